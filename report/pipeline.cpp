// SPDX-License-Identifier: MIT
#include "report/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "probe/core/fields.h"
#include "probe/isolate/supervisor.h"
#include "probe/system/clock.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/process.h"
#include "probe/unify/unify.h"
#include "report/cache.h"
#include "report/cache_key.h"
#include "report/calibrate.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/detect.h"
#include "report/explain/explain.h"
#include "report/host.h"
#include "report/load.h"
#include "report/peaks/estimate.h"
#include "report/peaks/peaks.h"
#include "report/recommend/recommend.h"
#include "report/record.h"
#include "report/risk.h"
#include "report/score/score.h"
#include "report/select.h"
#include "report/turns.h"

namespace report {
namespace {

namespace system = probe::system;

Problem BadInput(const probe::Error& error) { return {kExitUsage, probe::Describe(error)}; }

// The embedded tables, parsed when they are first needed: that takes as long as starting a child.
class LateTables {
 public:
  // nullptr where they are malformed.
  const Tables* Get() {
    if (!tables_) tables_ = EmbeddedTables();
    return tables_->ok() ? &tables_->value() : nullptr;
  }
  [[nodiscard]] Problem Failure() const { return {kExitInternal, probe::Describe(tables_->error())}; }
  [[nodiscard]] Tables Take() { return *std::move(*tables_); }

 private:
  std::optional<probe::Result<Tables>> tables_;
};

// Everything that a live run carries from one step to the next.
struct Live {
  const Options& options;
  std::unique_ptr<const system::FileSystem> files;
  std::unique_ptr<const system::Environment> environment;
  probe::isolate::Supervisor supervisor;
  std::unique_ptr<const RiskLedger> risks;
  std::optional<Pseudonyms> pseudonyms;  // of a recording run
  std::vector<FileRead> read;
  // What the shown form of a device (pseudonyms in a recording run) stands for.
  std::map<std::string, probe::RuntimeDevice> originals;
  std::vector<std::string> warnings;
  std::vector<probe::EnvironmentVariable> child_environment;
};

std::optional<probe::Processor> HostProcessor(const std::vector<probe::PhysicalDevice>& devices) {
  for (const probe::PhysicalDevice& device : devices) {
    if (device.kind == probe::DeviceKind::kCpu && device.hardware) return device.hardware->processor;
  }
  return std::nullopt;
}

std::string Key(const probe::RuntimeDevice& device) { return probe::ToText(probe::Encode(device)); }

// Replaces names before unification, so that the recording run and its replay say the same.
std::optional<Problem> HideNames(Live& live, Record& record) {
  if (!live.pseudonyms) return std::nullopt;
  auto shown = Anonymous(record.probes, *live.pseudonyms);
  if (!shown) return Problem{kExitInternal, probe::Describe(shown.error())};
  for (std::size_t i = 0; i < shown->size(); ++i) {
    for (std::size_t j = 0; j < (*shown)[i].devices.size(); ++j) {
      live.originals.emplace(Key((*shown)[i].devices[j]), record.probes[i].devices[j]);
    }
  }
  record.probes = *std::move(shown);
  if (record.host.name) record.host.name = live.pseudonyms->Replace(*record.host.name);
  for (std::string& warning : record.warnings) warning = live.pseudonyms->Replace(warning);
  return std::nullopt;
}

int SignalOf(const Context& context) {
  return context.interrupt.signal == nullptr ? 0 : context.interrupt.signal->load();
}

std::optional<Problem> DetectLive(Live& live, LateTables& tables, Record& record, Progress& progress) {
  progress.Show("looking for devices ...");
  const DetectRequest request{live.options, live.options.record_dir.has_value(), live.child_environment,
                              [&](const probe::Module& module) { return live.risks->Permit(module); },
                              [&] {
                                record.host = DescribeHost(*live.files, *live.environment);
                                tables.Get();
                              }};
  auto detection = Detect(request, live.supervisor, *live.files, *live.environment);
  record.probes = std::move(detection.probes);
  live.read = std::move(detection.files);
  record.warnings.insert(record.warnings.end(), detection.warnings.begin(), detection.warnings.end());
  return HideNames(live, record);
}

// Narrows the devices to the one asked for.
std::optional<Problem> KeepSelected(const Options& options, std::vector<probe::PhysicalDevice>& devices) {
  if (!options.device) return std::nullopt;
  const auto index = SelectDevice(devices, *options.device);
  if (!index) return BadInput(index.error());
  devices = {devices[*index]};
  return std::nullopt;
}

void MeasureLive(Live& live, const std::vector<probe::PhysicalDevice>& devices,
                 const std::optional<probe::Processor>& processor, const probe::isolate::Interrupt& interrupt,
                 Record& record, Progress& progress) {
  auto targets = PlanTargets(devices, live.options);
  const auto restore = [&](probe::RuntimeDevice& device) {
    const auto original = live.originals.find(Key(device));
    if (original != live.originals.end()) device = original->second;
  };
  for (Target& target : targets) {
    restore(target.device);
    for (auto& peer : target.peers) restore(peer.device);
  }
  progress.Show("looking for other load ...");
  if (auto warning = LoadWarning(*live.files)) record.warnings.push_back(*std::move(warning));
  const auto name = [&](const Target& target) {
    const auto* device = FindDevice(devices, target.device_id);
    return PlainName(device == nullptr ? target.device.name : device->name);
  };
  const Turns turns(*live.environment, *live.files, interrupt);
  CalibrationHooks hooks;
  hooks.files = live.files.get();
  hooks.child_environment = live.child_environment;
  hooks.on_progress = [&](const Target& target, const backends::MeasureStage* stage) {
    progress.Show(fmt::format("measuring {} on {}: {}", target.device.runtime, name(target),
                              stage == nullptr ? "starting" : stage->kernel));
  };
  hooks.wait = [&](const Target& target) {
    return turns.ToMeasure(target.device_id, [&] {
      progress.Show(fmt::format("waiting for another run that measures {}", name(target)));
    });
  };
  hooks.refuse = [&](const Target& target) { return live.risks->Refuse(target); };
  hooks.arm = [&](const Target& target) { return live.risks->Arm(target); };
  record.measurements = Calibrate(targets, processor, live.supervisor, hooks);
  if (!live.pseudonyms) return;
  for (backends::Measurement& measurement : record.measurements) {
    if (measurement.reason) measurement.reason = live.pseudonyms->Replace(*measurement.reason);
    if (measurement.manifest) measurement.manifest = live.pseudonyms->Replace(*measurement.manifest);
  }
}

// The scores of what was measured and, where nothing was or time ran out, of what the facts alone suggest.
std::vector<Score> Scores(const Tables& tables, const Record& record, const Report& report, Basis measured) {
  const bool estimated = !record.calibrated && report.measurements.empty();
  const auto estimates = peaks::Estimated(tables, report.devices);
  auto scores =
      score::ScoreAll(tables, report.devices, estimated ? estimates : report.measurements, estimates);
  for (Score& score : scores) {
    if (score.basis != Basis::kEstimated) score.basis = estimated ? Basis::kEstimated : measured;
  }
  return scores;
}

// The part that a replay and a cached answer share with a live run.
Report Decide(const Options& options, const Tables& tables, const Record& record,
              std::vector<probe::PhysicalDevice> devices, Basis measured = Basis::kMeasured) {
  Report report;
  report.tool_version = record.tool_version;
  report.command = NameOfCommand(options.command);
  report.created = record.created;
  report.interrupted = record.interrupted;
  report.host = record.host;
  report.probes = record.probes;
  report.devices = std::move(devices);
  report.warnings = record.warnings;
  for (const backends::Measurement& measurement : record.measurements) {
    const bool shown = std::any_of(report.devices.begin(), report.devices.end(),
                                   [&](const auto& device) { return device.id == measurement.device_id; });
    if (shown) report.measurements.push_back(measurement);
  }
  peaks::Judge(tables, report.devices, report.measurements);
  if (options.command != Command::kList) {
    report.scores = Scores(tables, record, report, measured);
    const std::vector<Use> uses = options.command == Command::kRecommend
                                      ? std::vector<Use>{options.use}
                                      : std::vector<Use>{Use::kInference, Use::kTraining};
    for (const Use use : uses) {
      if (auto answer = recommend::Recommend(tables, report, use))
        report.recommendations.push_back(*std::move(answer));
    }
  }
  explain::Explain(tables, report);
  return report;
}

std::variant<Produced, Problem> Replay(const Options& options, const Tables& tables) {
  const auto record = ReadRecord(*options.replay_dir);
  if (!record) return BadInput(record.error());
  auto devices = probe::unify::Unify(record->probes);
  if (auto problem = KeepSelected(options, devices)) return *problem;
  return Produced{{}, Decide(options, tables, *record, std::move(devices)), std::nullopt, 0};
}

// Measurements of earlier runs, and the key of what this one would see.
struct Kept {
  std::unique_ptr<const system::FileSystem> files;
  MeasurementCache cache;
  Turns turns;
  std::string key;
};

// Nothing where this run can neither use nor leave measurements for others.
std::optional<Kept> OpenKept(const Options& options, const Context& context) {
  const bool measures = options.command == Command::kReport || options.command == Command::kRecommend;
  if (!measures || !options.calibrate || options.sysroot != "/" || options.record_dir) return std::nullopt;
  auto opened = system::FileSystem::Open("/");
  if (!opened) return std::nullopt;
  auto files = std::make_unique<const system::FileSystem>(*std::move(opened));
  const auto environment = system::Environment::OfProcess();
  MeasurementCache cache(environment, *files);
  auto key = CacheKey(options, context.tool_version, *files, environment);
  Turns turns(environment, *files, context.interrupt);
  return Kept{std::move(files), std::move(cache), std::move(turns), std::move(key)};
}

// The answer of an earlier run, or a note on why what it left is not used.
std::optional<std::variant<Produced, Problem>> FromKept(const Options& options, const Tables& tables,
                                                        const Kept& kept, std::string& note) {
  auto found = kept.cache.Find(kept.key, options.effort);
  note = std::move(found.note);
  if (!found.record) return std::nullopt;
  auto devices = probe::unify::Unify(found.record->probes);
  if (auto problem = KeepSelected(options, devices)) return *problem;
  auto report = Decide(options, tables, *found.record, std::move(devices), Basis::kCached);
  for (Recommendation& answer : report.recommendations) {
    // The last reason is the arithmetic.
    answer.reasons.insert(answer.reasons.empty() ? answer.reasons.end() : answer.reasons.end() - 1,
                          "from measurements of " + found.record->created);
  }
  // What was said of the machine then is not so now.
  for (std::string& warning : report.warnings)
    warning = fmt::format("when this was measured ({}): {}", found.record->created, warning);
  report.created = system::CalendarNow();
  return Produced{{}, std::move(report), std::nullopt, 0};
}

// What the process's own limits take away.
std::vector<std::string> LimitWarnings() {
  constexpr double kBytesPerGibibyte = 1U << 30U;
  constexpr std::uint64_t kAmple = std::uint64_t{8} << 30U;
  const auto limit = system::AddressSpaceLimit();
  if (!limit || *limit >= kAmple) return {};
  return {fmt::format(
      "this process may use only {:.1f} GiB of address space (ulimit -v): drivers may fail to load and "
      "measurements are smaller",
      static_cast<double>(*limit) / kBytesPerGibibyte)};
}

std::variant<Live, Problem> Open(const Options& options, const Context& context) {
  if (options.record_dir) {
    if (auto status = CheckRecordDirectory(*options.record_dir); !status) return BadInput(status.error());
  }
  auto opened = system::FileSystem::Open(options.sysroot);
  if (!opened) return BadInput(opened.error());
  auto files = std::make_unique<const system::FileSystem>(*std::move(opened));
  auto environment = std::make_unique<const system::Environment>(system::Environment::OfProcess());
  probe::isolate::SupervisorOptions supervision;
  supervision.interrupt = context.interrupt;
  auto supervisor = probe::isolate::Supervisor::Create(supervision, *environment);
  if (!supervisor) return Problem{kExitInternal, probe::Describe(supervisor.error())};
  auto risks = std::make_unique<const RiskLedger>(*environment, *files, options.retry_crashed);
  std::vector<std::string> warnings = LimitWarnings();
  auto child_environment = ChildEnvironment(*files, *environment);
  std::optional<Pseudonyms> pseudonyms;
  if (options.record_dir) {
    const auto host = DescribeHost(*files, *environment);
    pseudonyms.emplace(*environment, host.name.value_or(""), options.record_ids);
  }
  return Live{options,
              std::move(files),
              std::move(environment),
              *std::move(supervisor),
              std::move(risks),
              std::move(pseudonyms),
              {},
              {},
              std::move(warnings),
              std::move(child_environment)};
}

// Produce, without the tables in what it produced.
std::variant<Produced, Problem> Run(const Options& options, LateTables& late, const Context& context,
                                    Progress& progress) {
  if (options.replay_dir) return late.Get() == nullptr ? late.Failure() : Replay(options, *late.Get());
  const auto kept = OpenKept(options, context);
  std::string note;
  std::shared_ptr<void> turn;
  if (kept && options.cache && options.command == Command::kRecommend) {
    if (late.Get() == nullptr) return late.Failure();
    if (auto found = FromKept(options, *late.Get(), *kept, note)) return *std::move(found);
    turn = kept->turns.ToAnswer();
    if (auto found = FromKept(options, *late.Get(), *kept, note)) return *std::move(found);
  }
  auto opened = Open(options, context);
  if (auto* problem = std::get_if<Problem>(&opened)) return *problem;
  Live& live = std::get<Live>(opened);
  Record record;
  record.tool_version = context.tool_version;
  record.created = system::CalendarNow();
  record.warnings = live.warnings;
  if (auto problem = DetectLive(live, late, record, progress)) return *problem;
  if (late.Get() == nullptr) return late.Failure();
  const auto all = probe::unify::Unify(record.probes);
  auto devices = all;
  if (auto problem = KeepSelected(options, devices)) return *problem;
  record.calibrated = options.calibrate && options.command != Command::kList && options.sysroot == "/";
  if (record.calibrated && SignalOf(context) == 0)
    MeasureLive(live, devices, HostProcessor(all), context.interrupt, record, progress);
  record.interrupted = SignalOf(context) != 0;
  if (const auto warning = live.risks->warning(); !warning.empty()) record.warnings.push_back(warning);
  progress.Clear();
  Produced outcome{
      {}, Decide(options, *late.Get(), record, std::move(devices)), std::nullopt, SignalOf(context)};
  // What measures too little to answer by would answer no better later.
  const bool answers =
      std::any_of(outcome.report.scores.begin(), outcome.report.scores.end(),
                  [](const Score& score) { return score.eligible && score.basis == Basis::kMeasured; });
  if (options.budget_s && !answers && record.calibrated && !record.interrupted) {
    const auto text = fmt::format("--budget: {} s is too short to measure what an answer needs",
                                  SignificantText(*options.budget_s, 2));
    record.warnings.push_back(text);
    outcome.report.warnings.push_back(text);
  }
  if (kept && answers && record.calibrated && !record.interrupted) {
    if (auto failure = kept->cache.Keep(kept->key, options.effort, record); !failure.empty())
      note = std::move(failure);
  }
  if (!note.empty()) outcome.report.warnings.push_back(note);
  if (live.pseudonyms) {
    if (auto status = WriteRecord(*options.record_dir, record, live.read, *live.pseudonyms); !status) {
      outcome.problem = Problem{kExitInternal, probe::Describe(status.error())};
    }
  }
  return outcome;
}

}  // namespace

std::variant<Produced, Problem> Produce(const Options& options, const Context& context, Progress& progress) {
  LateTables tables;
  auto outcome = Run(options, tables, context, progress);
  if (auto* produced = std::get_if<Produced>(&outcome)) produced->tables = tables.Take();
  return outcome;
}

}  // namespace report
