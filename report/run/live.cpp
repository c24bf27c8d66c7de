// SPDX-License-Identifier: MIT
#include "report/run/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "probe/core/fields.h"
#include "probe/core/text.h"
#include "probe/registry.h"
#include "probe/system/environment.h"
#include "probe/system/host.h"
#include "probe/system/library.h"
#include "probe/system/limits.h"
#include "probe/system/scratch.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/run/calibrate.h"
#include "report/run/detect.h"
#include "report/run/load.h"

namespace report {
namespace {

namespace system = probe::system;

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
  if (record.host.name) record.host.name = Pseudonyms::ReplaceHostName(*record.host.name);
  if (record.host.kernel) record.host.kernel = live.pseudonyms->Replace(*record.host.kernel);
  for (Warning& warning : record.warnings) {
    for (std::string* text : {&warning.subject, &warning.text}) *text = live.pseudonyms->Replace(*text);
  }
  return std::nullopt;
}

// With the identifiers that a recording run does not show.
void Restore(const Live& live, probe::RuntimeDevice& device) {
  const auto original = live.originals.find(Key(device));
  if (original != live.originals.end()) device = original->second;
}

// What is being measured, in the report's words.
std::string StageText(const backends::MeasureStage* stage) {
  if (stage == nullptr) return "starting";
  return stage->kind ? FigureName(*stage->kind) : stage->title;
}

// Of the time that was set apart for measuring. Nothing where that is over: compiling is not in it.
std::string LeftText(double seconds) {
  return seconds < 1 ? "" : fmt::format(", about {:.0f} s left", seconds);
}

std::vector<backends::Measurement> CalibrateLive(Live& live, Measuring& measuring,
                                                 const std::vector<Target>& targets, std::string_view doing,
                                                 Record& record) {
  const auto name = [&](const Target& target) {
    const auto* device = FindDevice(measuring.devices, target.device_id);
    return PlainName(device == nullptr ? target.device.name : device->name);
  };
  CalibrationHooks hooks;
  hooks.files = live.files.get();
  hooks.child_environment = live.child_environment;
  const auto begun = std::chrono::steady_clock::now();
  const double planned_s = measuring.left_s;
  hooks.on_progress = [&, begun, planned_s](const Target& target, const backends::MeasureStage* stage) {
    live.progress(fmt::format("{} {} on {}: {}{}", doing, target.device.runtime, name(target),
                              StageText(stage), LeftText(planned_s - system::SecondsSince(begun))));
  };
  hooks.wait = [&](const Target& target) {
    auto turn = measuring.turns.ToMeasure(target.device_id, name(target), [&] {
      live.progress(fmt::format("waiting for another run that measures {}", name(target)));
    });
    if (!turn.warning.empty()) record.warnings.push_back(live.Shown(turn.warning));
    return turn;
  };
  hooks.refuse = [&](const Target& target) {
    auto sentence = live.risks->Refuse(target);
    if (sentence) record.warnings.push_back(LeftOutWarning(live.Shown(*sentence)));
    return sentence;
  };
  hooks.arm = [&](const Target& target) { return live.risks->Arm(target); };
  hooks.marker = [&](const Target& target) { return live.risks->MarkerOf(target); };
  if (measuring.openings) hooks.openings = &*measuring.openings;
  if (&targets == &measuring.planned) hooks.is_needless = measuring.is_needless;  // of the first look
  auto done = Calibrate(targets, measuring.processor, live.supervisor, hooks);
  measuring.left_s = std::max(0.0, measuring.left_s - done.spent_s);
  if (!done.needless.empty()) record.settled_without = std::move(done.needless);
  if (!live.pseudonyms) return std::move(done.measurements);
  for (backends::Measurement& measurement : done.measurements) {
    measurement.driver = live.pseudonyms->Replace(measurement.driver);
    if (measurement.reason) measurement.reason = live.pseudonyms->Replace(*measurement.reason);
    if (measurement.manifest) measurement.manifest = live.pseudonyms->Replace(*measurement.manifest);
  }
  return std::move(done.measurements);
}

bool HasLibrary(const probe::Module& module, const probe::ProbeContext& context) {
  if (module.is_installed != nullptr) return module.is_installed(context);
  if (module.loads_nothing != nullptr) return !module.loads_nothing(context);
  return probe::system::Library::Exists(module.libraries, {}, context.files, context.environment);
}

// What a tree that is not this machine's holds of runtimes that are not asked there: driver manifests of the
// runtimes that have such, the loaders' sonames of the others, in the registry's order. Loads nothing.
std::vector<Installed> FindInstalled(const probe::system::FileSystem& files) {
  std::vector<Installed> out;
  const probe::system::Environment none;  // this process's variables say nothing of another machine
  const probe::ProbeContext context{files, none, std::nullopt, nullptr};
  for (const probe::Module& module : probe::Modules()) {
    if (module.kind != probe::ModuleKind::kRuntime || !module.loads_vendor_code) continue;
    const std::string runtime(module.name);
    if (module.manifests != nullptr) {
      for (const std::string& path : module.manifests(context))
        out.push_back({runtime, probe::CleanText(path)});
    } else if (!module.libraries.empty() && HasLibrary(module, context)) {
      out.push_back({runtime, std::string(module.libraries.front())});
    }
  }
  return out;
}

}  // namespace

std::variant<Live, Problem> OpenLive(const RunRequest& request, const probe::isolate::Interrupt& interrupt,
                                     std::function<void(const std::string&)> progress) {
  if (request.record_dir) {
    if (auto status = CheckRecordDirectory(*request.record_dir); !status) return BadInput(status.error());
  }
  auto opened = system::FileSystem::Open(request.sysroot);
  if (!opened) {
    return BadInput(probe::Error{"", std::nullopt, "", "--sysroot: " + opened.error().text});
  }
  // One that is named may be opened by whoever may pass through it, and would look empty to who may not read
  // it. This machine's own is never listed.
  if (request.sysroot != "/") {
    std::error_code unreadable;
    const std::filesystem::directory_iterator entries(request.sysroot, unreadable);
    if (unreadable)
      return BadInput(
          probe::Error{"", std::nullopt, "", "--sysroot: " + request.sysroot + ": " + unreadable.message()});
  }
  auto files = std::make_unique<const system::FileSystem>(*std::move(opened));
  auto environment = std::make_unique<const system::Environment>(system::Environment::OfProcess());
  auto risks = std::make_unique<const RiskLedger>(*environment, *files, request.retry_crashed);
  probe::isolate::SupervisorOptions supervision;
  supervision.interrupt = interrupt;
  auto supervisor = probe::isolate::Supervisor::Create(supervision, *environment);
  if (!supervisor) return Problem{kExitInternal, probe::Describe(supervisor.error())};
  const auto machine = system::FileSystem::Open("/");
  std::vector<Warning> warnings;
  for (auto& limit : system::ScarceLimits(machine ? *machine : *files))
    warnings.emplace_back(WarningKind::kLimit, std::move(limit.name), std::move(limit.sentence));
  if (files->live() && !system::ScratchDirectory::UsualParent(*environment, system::Medium::kDisk))
    warnings.emplace_back(
        "no folder for temporary files can be written (TMPDIR, /tmp, /dev/shm): drivers that need one have "
        "no device");
  std::vector<std::string> left_out;
  auto child_environment = ChildEnvironment(*files, *environment, left_out);
  warnings.insert(warnings.end(), left_out.begin(), left_out.end());
  std::optional<Pseudonyms> pseudonyms;
  if (request.record_dir) {
    const auto host = probe::system::DescribeHost(*files, *environment);
    pseudonyms.emplace(*environment, host.name.value_or(""), request.record_ids, FindNames(*files));
  }
  return Live{request,
              std::move(progress),
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

std::optional<Problem> DetectLive(Live& live, Record& record) {
  live.progress("looking for devices ...");
  const DetectRequest request{
      live.request, live.child_environment,
      [&](const probe::Module& module, RiskyStep step, Company company) {
        return live.risks->Permit(module, step, company);
      },
      [&](const probe::Module& module, RiskyStep step) { return live.risks->MarkerOf(module, step); },
      [&] {
        record.host = {probe::system::DescribeHost(*live.files, *live.environment), std::nullopt};
        if (!live.files->live()) record.host.installed = FindInstalled(*live.files);
        system::ScratchDirectory::RemoveAbandoned(*live.environment);
        // Parsed meanwhile, which takes as long as starting a child.
        static_cast<void>(EmbeddedTables());
      }};
  auto detection = Detect(request, live.supervisor, *live.files, *live.environment);
  record.probes = std::move(detection.probes);
  live.read = std::move(detection.files);
  record.warnings.insert(record.warnings.end(), detection.warnings.begin(), detection.warnings.end());
  return HideNames(live, record);
}

void MeasureLive(Live& live, Measuring& measuring, Record& record) {
  auto& targets = measuring.planned;
  targets = PlanTargets(measuring.devices, live.request);
  measuring.left_s = KeepForSecondLook(targets);
  measuring.openings.emplace(live.request.effort, record.probes);
  for (Target& target : targets) {
    measuring.left_s += target.budget_s;
    Restore(live, target.device);
    if (target.utilization) target.device.facts.push_back(*target.utilization);
    for (auto& peer : target.peers) Restore(live, peer.device);
  }
  live.progress("looking for other load ...");
  const auto quota_cores = measuring.processor ? measuring.processor->quota_cores : std::nullopt;
  if (auto warning = LoadWarning(*live.files, quota_cores))
    record.warnings.push_back(live.Shown(*std::move(warning)));
  record.measurements = CalibrateLive(live, measuring, targets, "measuring", record);
}

void MeasureAgain(Live& live, Measuring& measuring, const Tables& tables, const Report& report,
                  Record& record) {
  const auto targets = PlanSecondLook(tables, report, measuring.planned, measuring.left_s);
  // One of the two alone says nothing of which is faster.
  if (targets.empty() || (measuring.openings && !measuring.openings->MayOpenAgain(targets))) return;
  MergeSecondLook(CalibrateLive(live, measuring, targets, "measuring again", record), record.measurements);
}

}  // namespace report
