// SPDX-License-Identifier: MIT
#include "report/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "probe/system/cache_dir.h"
#include "probe/system/clock.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/unify/unify.h"
#include "report/cache.h"
#include "report/cache_key.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/decide.h"
#include "report/detect.h"
#include "report/live.h"
#include "report/record.h"
#include "report/request_file.h"
#include "report/select.h"
#include "report/turns.h"

namespace report {
namespace {

namespace system = probe::system;

// The embedded tables, parsed when they are first needed: that takes as long as starting a child.
class LateTables {
 public:
  explicit LateTables(std::optional<ReferenceRequest> request) : request_(std::move(request)) {}

  // nullptr where they are malformed.
  const Tables* Get() {
    if (!tables_) {
      tables_ = EmbeddedTables();
      if (request_ && tables_->ok()) tables_->value().reference = *request_;
    }
    return tables_->ok() ? &tables_->value() : nullptr;
  }
  [[nodiscard]] Problem Failure() const { return {kExitInternal, probe::Describe(tables_->error())}; }
  [[nodiscard]] Tables Take() { return *std::move(*tables_); }

 private:
  std::optional<ReferenceRequest> request_;  // in the place of the tables'
  std::optional<probe::Result<Tables>> tables_;
};

std::optional<probe::Processor> HostProcessor(const std::vector<probe::PhysicalDevice>& devices) {
  for (const probe::PhysicalDevice& device : devices) {
    if (device.kind == probe::DeviceKind::kCpu && device.hardware) return device.hardware->processor;
  }
  return std::nullopt;
}

int SignalOf(const Context& context) {
  return context.interrupt.signal == nullptr ? 0 : context.interrupt.signal->load();
}

// Narrows them to the one asked for.
std::variant<Asked, Problem> KeepSelected(const Options& options,
                                          std::vector<probe::PhysicalDevice> devices) {
  if (!options.device) return Asked{std::move(devices), {}};
  const auto index = SelectDevice(devices, *options.device);
  if (!index) return BadInput(index.error());
  const auto selected = devices.begin() + static_cast<std::ptrdiff_t>(*index);
  std::rotate(devices.begin(), selected, selected + 1);
  std::vector<probe::PhysicalDevice> other_gpus;
  std::copy_if(devices.begin() + 1, devices.end(), std::back_inserter(other_gpus), IsGpu);
  devices.resize(1);
  return Asked{std::move(devices), std::move(other_gpus)};
}

// What --only and --skip leave of a record, as they would of a live run.
void KeepModules(const Options& options, Record& record) {
  std::erase_if(record.probes, [&](const auto& probe) { return !IsAsked(options, probe.module); });
  std::erase_if(record.measurements, [&](const auto& m) { return !IsAsked(options, m.runtime); });
}

std::variant<Produced, Problem> Replay(const Options& options, const Tables& tables) {
  auto record = ReadRecord(*options.replay_dir);
  if (!record) return BadInput(record.error());
  KeepModules(options, *record);
  auto asked = KeepSelected(options, probe::unify::Unify(record->probes));
  if (auto* problem = std::get_if<Problem>(&asked)) return *problem;
  return Produced{{}, Decide(options, tables, *record, std::get<Asked>(std::move(asked))), std::nullopt, 0};
}

// After what fills them: compiling kernels. Detection alone compiles nothing that is worth a look.
void BoundDriverCaches(const Live& live) {
  if (const auto directory = system::CacheDirectory(*live.environment, *live.files))
    system::TrimDriverCaches(*directory);
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
  auto asked = KeepSelected(options, probe::unify::Unify(found.record->probes));
  if (auto* problem = std::get_if<Problem>(&asked)) return *problem;
  auto report = Decide(options, tables, *found.record, std::get<Asked>(std::move(asked)), Basis::kCached);
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

// Produce, without the tables in what it produced.
std::variant<Produced, Problem> Run(const Options& options, LateTables& late, const Context& context,
                                    Progress& progress) {
  if (options.replay_dir) return late.Get() == nullptr ? late.Failure() : Replay(options, *late.Get());
  auto kept = OpenKept(options, context);
  std::string note;
  Turn turn;
  if (kept && options.cache && !options.retry_crashed && options.command == Command::kRecommend) {
    if (late.Get() == nullptr) return late.Failure();
    if (auto found = FromKept(options, *late.Get(), *kept, note)) return *std::move(found);
    turn = kept->turns.ToAnswer();
    if (auto found = FromKept(options, *late.Get(), *kept, note)) return *std::move(found);
  }
  auto opened = OpenLive(options, context.interrupt);
  if (auto* problem = std::get_if<Problem>(&opened)) return *problem;
  Live& live = std::get<Live>(opened);
  Record record;
  record.tool_version = context.tool_version;
  record.created = system::CalendarNow();
  record.left_out = LeftOutByOptions(options);
  record.warnings = live.warnings;
  if (!turn.warning.empty()) record.warnings.push_back(turn.warning);
  if (auto problem = DetectLive(live, [&late] { late.Get(); }, record, progress)) return *problem;
  if (late.Get() == nullptr) return late.Failure();
  const auto all = probe::unify::Unify(record.probes);
  auto selected = KeepSelected(options, all);
  if (auto* problem = std::get_if<Problem>(&selected)) return *problem;
  auto& asked = std::get<Asked>(selected);
  record.calibrated = options.calibrate && options.command != Command::kList && options.sysroot == "/";
  if (record.calibrated && SignalOf(context) == 0) {
    // The same as for the answer: what the run may wait is counted in them.
    Turns turns = kept ? std::move(kept->turns) : Turns(*live.environment, *live.files, context.interrupt);
    Measuring measuring{asked.devices, HostProcessor(all), std::move(turns)};
    MeasureLive(live, measuring, record, progress);
    if (SignalOf(context) == 0)
      MeasureAgain(live, measuring, *late.Get(), Decide(options, *late.Get(), record, asked), record,
                   progress);
  }
  if (record.calibrated) BoundDriverCaches(live);
  // Looked at once: what the report says and what the program returns agree.
  const int signal = SignalOf(context);
  record.interrupted = signal != 0;
  if (const auto warning = live.risks->warning(); !warning.empty())
    record.warnings.push_back(live.Shown(warning));
  progress.Clear();
  Produced outcome{{}, Decide(options, *late.Get(), record, std::move(asked)), std::nullopt, signal};
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
  // A later run may try what this one left out.
  const bool whole = std::none_of(record.warnings.begin(), record.warnings.end(), IsLeftOutWarning);
  if (kept && answers && whole && record.calibrated && !record.interrupted) {
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
  std::optional<ReferenceRequest> request;
  if (options.request_file) {
    auto read = ReadRequest(*options.request_file);
    if (!read) return BadInput(read.error());
    request = *std::move(read);
  }
  LateTables tables(std::move(request));
  auto outcome = Run(options, tables, context, progress);
  if (auto* produced = std::get_if<Produced>(&outcome)) produced->tables = tables.Take();
  return outcome;
}

}  // namespace report
