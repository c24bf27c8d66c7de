// SPDX-License-Identifier: MIT
#include "report/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "probe/registry.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/assemble.h"
#include "report/core/wording.h"
#include "report/teams.h"

namespace report {
namespace {

using probe::Outcome;
using probe::ProbeReport;
using probe::isolate::ChildEnd;
using probe::isolate::ChildRequest;
using probe::isolate::ChildResult;

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool NeedsSecondTry(const ProbeReport& report) {
  constexpr std::array kWhole = {Outcome::kCrashed, Outcome::kTimedOut, Outcome::kBadReply, Outcome::kFailed};
  return std::find(kWhole.begin(), kWhole.end(), report.outcome) != kWhole.end();
}

ChildRequest RequestFor(const DetectRequest& request, const std::vector<const probe::Module*>& modules,
                        const probe::system::FileSystem& files, std::optional<std::string> manifest) {
  ProbeRequest probe;
  for (const probe::Module* module : modules) probe.modules.emplace_back(module->name);
  // Modules that share a child load nothing, so that none of them sets GPUs up.
  const double usual =
      modules.size() > 1 ? kDetectionDeadlineSeconds : DetectionDeadline(*modules.front(), files);
  probe.allow_s = request.options.timeout_s.value_or(usual);
  ChildRequest child;
  child.task = kProbeTask;
  child.environment = request.child_environment;
  child.deadline_s = probe.allow_s * static_cast<double>(modules.size());
  child.scratch = probe::system::Medium::kMemory;
  if (manifest && modules.front()->restrict_to != nullptr) {
    const auto variables = modules.front()->restrict_to(*manifest);
    child.environment.insert(child.environment.end(), variables.begin(), variables.end());
  }
  probe.sysroot = request.options.sysroot;
  probe.manifest = std::move(manifest);
  probe.record_files = request.record_files;
  child.request = EncodeProbeRequest(probe);
  return child;
}

// What all modules came to, and why those were refused that were.
struct Answers {
  std::vector<ChildResult> results;
  std::vector<std::optional<std::string>> refusals;
};

// Runs every module once, all teams in parallel. A module that brings its team down costs the others one
// more child.
Answers RunModules(const DetectRequest& request, const std::vector<const probe::Module*>& modules,
                   const probe::ProbeContext& context, probe::isolate::Supervisor& supervisor) {
  Answers answers{std::vector<ChildResult>(modules.size()),
                  std::vector<std::optional<std::string>>(modules.size())};
  auto meanwhile = request.meanwhile;
  for (auto teams = MakeTeams(modules, context); !teams.empty();) {
    std::vector<ChildRequest> children;
    for (const Team& team : teams) {
      std::vector<const probe::Module*> members;
      for (const std::size_t i : team) members.push_back(modules[i]);
      children.push_back(RequestFor(request, members, context.files, std::nullopt));
      if (!request.permit || team.size() > 1 || !MayLoad(*members.front(), context)) continue;
      children.back().permit = [&request, &refusal = answers.refusals[team.front()],
                                module = members.front()] {
        auto permit = request.permit(*module);
        if (!permit) refusal = permit.error().text;
        return permit;
      };
    }
    std::vector<std::vector<probe::system::SteadyTime>> begun(teams.size());
    const auto note = [&](std::size_t child, const probe::Json& record) {
      if (record.contains(kModuleKey)) begun[child].push_back(probe::system::Now());
    };
    auto finished = supervisor.RunAll(children, note, std::exchange(meanwhile, nullptr));
    std::vector<Team> left;
    for (std::size_t i = 0; i < teams.size(); ++i) {
      auto rest = Share(teams[i], std::move(finished[i]), begun[i], answers.results);
      if (!rest.empty()) left.push_back(std::move(rest));
    }
    teams = std::move(left);
  }
  return answers;
}

struct Retry {
  std::size_t report = 0;  // which probe it belongs to
  std::string manifest;
};

// Runs every module that failed as a whole once more, a child for each of its manifests, all in parallel.
void RetryByDriver(const DetectRequest& request, const std::vector<const probe::Module*>& modules,
                   probe::isolate::Supervisor& supervisor, const probe::ProbeContext& context,
                   Detection& detection) {
  std::vector<Retry> retries;
  std::vector<ChildRequest> children;
  std::vector<std::optional<Permit>> permits(modules.size());  // one a module, for all of its children
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (!NeedsSecondTry(detection.probes[i]) || modules[i]->manifests == nullptr) continue;
    for (const std::string& manifest : modules[i]->manifests(context)) {
      retries.push_back({i, manifest});
      children.push_back(RequestFor(request, {modules[i]}, context.files, manifest));
      if (!request.permit) continue;
      children.back().permit = [&request, &permit = permits[i], module = modules[i]] {
        if (!permit) permit = request.permit(*module);
        return *permit;
      };
    }
  }
  const auto results = supervisor.RunAll(children, nullptr);
  for (std::size_t i = 0; i < modules.size(); ++i) {
    std::vector<std::pair<std::string, ProbeReport>> drivers;
    for (std::size_t child = 0; child < retries.size(); ++child) {
      if (retries[child].report != i || results[child].end == ChildEnd::kInterrupted) continue;
      drivers.emplace_back(retries[child].manifest,
                           Assemble(std::string(modules[i]->name), results[child], detection.files));
    }
    if (drivers.empty()) continue;
    auto merged = MergeDrivers(std::string(modules[i]->name), drivers);
    merged.elapsed_s = merged.elapsed_s.value_or(0) + detection.probes[i].elapsed_s.value_or(0);
    if (merged.environment.empty()) merged.environment = detection.probes[i].environment;
    if (merged.outcome == Outcome::kOk && merged.warnings.empty() &&
        std::all_of(drivers.begin(), drivers.end(),
                    [](const auto& driver) { return !NeedsSecondTry(driver.second); })) {
      merged.warnings.push_back(
          fmt::format("together its drivers failed ({}), each alone answered: suspect an implicit layer or a "
                      "clash between them",
                      detection.probes[i].error ? detection.probes[i].error->text : "no reason given"));
    }
    detection.probes[i] = std::move(merged);
  }
}

// Without a source of hardware devices may be missing that no runtime reaches.
std::optional<std::string> MissedSource(const probe::Module& module, const ProbeReport& report) {
  const bool was_heard = !NeedsSecondTry(report) || !report.error || report.error->name == kInterruptedError;
  if (module.kind != probe::ModuleKind::kHardware || was_heard) return std::nullopt;
  return fmt::format("{} was not read ({}): hardware may be missing here", module.title,
                     probe::Describe(*report.error));
}

ProbeReport Refused(const probe::Module& module, const std::string& reason) {
  ProbeReport report;
  report.module = module.name;
  report.outcome = Outcome::kCrashed;
  report.error = probe::Error{"", std::nullopt, "not tried again", reason};
  return report;
}

}  // namespace

bool IsAsked(const Options& options, std::string_view module) {
  const auto known = probe::Modules();
  const bool is_source = std::any_of(known.begin(), known.end(), [&](const probe::Module& one) {
    return one.name == module && one.kind == probe::ModuleKind::kHardware;
  });
  const bool named = options.only.empty() || Contains(options.only, module) || is_source;
  return named && !Contains(options.skip, module);
}

std::vector<const probe::Module*> Selected(const Options& options) {
  std::vector<const probe::Module*> selected;
  const bool live = options.sysroot == "/";
  for (const probe::Module& module : probe::Modules()) {
    if (IsAsked(options, module.name) && (live || !module.loads_vendor_code)) selected.push_back(&module);
  }
  return selected;
}

double DetectionDeadline(const probe::Module& module, const probe::system::FileSystem& files) {
  constexpr std::string_view kDevices = "/sys/bus/pci/devices";
  if (module.gpu_vendor == 0) return kDetectionDeadlineSeconds;
  int gpus = 0;
  for (const std::string& name : files.List(kDevices)) {
    const std::string directory = std::string(kDevices) + "/" + name;
    const auto base = files.ReadNumber(directory + "/class").value_or(0) >> 16U;
    const bool computes = base == 0x03 || base == 0x12;  // display, processing accelerator
    gpus += computes && files.ReadNumber(directory + "/vendor") == module.gpu_vendor ? 1 : 0;
  }
  return gpus > 1 ? kSeveralGpusDeadlineSeconds : kDetectionDeadlineSeconds;
}

Detection Detect(const DetectRequest& request, probe::isolate::Supervisor& supervisor,
                 const probe::system::FileSystem& files, const probe::system::Environment& environment) {
  Detection detection;
  for (const auto& [folder, file] : {std::pair("/proc", "/proc/version"), std::pair("/sys", "/sys/class")}) {
    if (files.live() && !files.Exists(file)) detection.warnings.push_back(NotMountedText(folder));
  }
  const probe::ProbeContext context{files, environment, std::nullopt, nullptr};
  const auto selected = Selected(request.options);
  const auto answers = RunModules(request, selected, context, supervisor);
  std::vector<const probe::Module*> modules;
  std::vector<ProbeReport> refused;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (answers.refusals[i]) {
      refused.push_back(Refused(*selected[i], *answers.refusals[i]));
      continue;
    }
    modules.push_back(selected[i]);
    detection.probes.push_back(Assemble(std::string(selected[i]->name), answers.results[i], detection.files));
  }
  RetryByDriver(request, modules, supervisor, context, detection);
  const bool is_explained = !detection.warnings.empty();
  for (std::size_t i = 0; i < modules.size() && !is_explained; ++i) {
    if (auto missed = MissedSource(*modules[i], detection.probes[i]))
      detection.warnings.push_back(*std::move(missed));
  }
  detection.probes.insert(detection.probes.end(), refused.begin(), refused.end());
  return detection;
}

}  // namespace report
