// SPDX-License-Identifier: MIT
#include "report/run/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "probe/core/text.h"
#include "probe/registry.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/processor.h"
#include "report/core/wording.h"
#include "report/run/assemble.h"
#include "report/run/out_of_memory.h"
#include "report/run/teams.h"

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

bool IsOnlyAlone(const Permit& permit) { return !permit && permit.error().Is(probe::OwnError::kOnlyAlone); }

ChildRequest RequestFor(const DetectRequest& request, const std::vector<const probe::Module*>& modules,
                        std::optional<std::string> manifest) {
  ProbeRequest probe;
  for (const probe::Module* module : modules) probe.modules.emplace_back(module->name);
  // Modules that share a child load nothing, so that none of them sets GPUs up.
  const double usual = modules.size() > 1 ? kDetectionDeadlineSeconds : DetectionDeadline(*modules.front());
  probe.allow_s = request.run.timeout_s.value_or(usual);
  ChildRequest child;
  child.task = kProbeTask;
  child.environment = request.child_environment.fixed;
  child.scratch_variables = request.child_environment.scratch;
  child.deadline_s = probe.allow_s * static_cast<double>(modules.size());
  child.most_allowed_s = [most_s = probe.allow_s](const probe::Json&) { return most_s; };
  child.scratch = probe::system::Medium::kMemory;
  if (manifest && modules.front()->restrict_to != nullptr) {
    const auto variables = modules.front()->restrict_to(*manifest);
    child.environment.insert(child.environment.end(), variables.begin(), variables.end());
  }
  probe.sysroot = request.run.sysroot;
  probe.manifest = std::move(manifest);
  probe.record_files = request.run.record_dir.has_value();
  child.request = EncodeProbeRequest(probe);
  return child;
}

// What all modules came to, and why those were left out that were.
struct Answers {
  std::vector<ChildResult> results;
  std::vector<std::optional<std::string>> refusals;
  std::vector<Team> alone;  // put off, for nothing else may run beside them
};

// Runs the teams in parallel; returns what is left of those whose child did not come to every module.
std::vector<Team> RunTeams(const DetectRequest& request, const std::vector<const probe::Module*>& modules,
                           const probe::ProbeContext& context, const std::vector<Team>& teams,
                           const std::function<void()>& meanwhile, probe::isolate::Supervisor& supervisor,
                           Answers& answers) {
  const auto is_risky = [&](const Team& team) {
    return request.permit && team.size() == 1 && MayLoad(*modules[team.front()], context);
  };
  const auto company =
      std::count_if(teams.begin(), teams.end(), is_risky) > 1 ? Company::kOthers : Company::kNone;
  std::vector<ChildRequest> children;
  std::vector<bool> is_put_off(teams.size());
  for (std::size_t i = 0; i < teams.size(); ++i) {
    std::vector<const probe::Module*> members;
    for (const std::size_t module : teams[i]) members.push_back(modules[module]);
    children.push_back(RequestFor(request, members, std::nullopt));
    if (!is_risky(teams[i])) continue;
    if (request.marker)
      children.back().marker = request.marker(*modules[teams[i].front()], RiskyStep::kTogether);
    children.back().permit = [&, i, company] {
      const std::size_t module = teams[i].front();
      auto permit = request.permit(*modules[module], RiskyStep::kTogether, company);
      is_put_off[i] = IsOnlyAlone(permit);
      if (!permit && !is_put_off[i]) answers.refusals[module] = permit.error().text;
      return permit;
    };
  }
  std::vector<std::vector<probe::system::SteadyTime>> begun(teams.size());
  const auto note = [&](std::size_t child, const probe::Json& record) {
    if (record.contains(kModuleKey)) begun[child].push_back(probe::system::Now());
  };
  const OomWatch memory(context.files);
  auto finished = supervisor.RunAll(children, note, meanwhile);
  memory.Mark(finished);
  std::vector<Team> left;
  for (std::size_t i = 0; i < teams.size(); ++i) {
    if (is_put_off[i]) {
      answers.alone.push_back(teams[i]);
      continue;
    }
    auto rest = Share(teams[i], std::move(finished[i]), begun[i], answers.results);
    if (!rest.empty()) left.push_back(std::move(rest));
  }
  return left;
}

// Runs every module once: all teams in parallel, then, one after the other, what may only be tried alone. A
// module that brings its team down costs the others one more child.
Answers RunModules(const DetectRequest& request, const std::vector<const probe::Module*>& modules,
                   const probe::ProbeContext& context, probe::isolate::Supervisor& supervisor) {
  Answers answers{
      std::vector<ChildResult>(modules.size()), std::vector<std::optional<std::string>>(modules.size()), {}};
  auto meanwhile = request.meanwhile;
  auto teams = MakeTeams(modules, context);
  while (!teams.empty()) {
    teams =
        RunTeams(request, modules, context, teams, std::exchange(meanwhile, nullptr), supervisor, answers);
    if (!teams.empty() || answers.alone.empty()) continue;
    teams.push_back(std::move(answers.alone.back()));
    answers.alone.pop_back();
  }
  return answers;
}

// The manifests to ask once more, each alone: all of a module that failed as a whole, else those whose driver
// could not answer because another had spoiled their process.
std::vector<std::string> ManifestsToRetry(const probe::Module& module, const ProbeReport& report,
                                          const probe::ProbeContext& context) {
  const bool not_started = report.error && report.error->Is(probe::OwnError::kNotStarted);
  if (module.manifests == nullptr || not_started) return {};
  const bool all = NeedsSecondTry(report);
  const auto unheard = [&](const std::string& manifest) {
    return std::any_of(report.drivers.begin(), report.drivers.end(), [&](const auto& driver) {
      return driver.outcome == Outcome::kBadReply && driver.manifest == probe::CleanText(manifest);
    });
  };
  if (!all && std::none_of(report.drivers.begin(), report.drivers.end(),
                           [](const auto& driver) { return driver.outcome == Outcome::kBadReply; }))
    return {};
  auto manifests = module.manifests(context);
  if (!all) std::erase_if(manifests, [&](const auto& manifest) { return !unheard(manifest); });
  return manifests;
}

// Puts what the drivers said that were asked alone into the report of those that answered together.
void AddAnswers(const ProbeReport& alone, ProbeReport& report) {
  for (const probe::DriverReport& driver : alone.drivers) probe::Apply(driver, report);
  for (const auto& device : alone.devices) probe::Apply(device, report);
  report.warnings.insert(report.warnings.end(), alone.warnings.begin(), alone.warnings.end());
  if (!report.stderr_tail) report.stderr_tail = alone.stderr_tail;
  report.elapsed_s = report.elapsed_s.value_or(0) + alone.elapsed_s.value_or(0);
  if (alone.devices.empty()) return;
  report.error.reset();  // of a module that by then had no device
  probe::Conclude(report);
}

// One driver of a module, in a child of its own.
struct DriverTry {
  std::size_t module = 0;
  std::string manifest;
  ChildResult result;
};

// What the drivers of those modules came to, and why they were not tried where they were not.
struct DriverAnswers {
  std::vector<DriverTry> tries;
  std::vector<std::optional<Permit>> permits;  // one a module, for all of its children
};

DriverAnswers TryDrivers(const DetectRequest& request, const std::vector<const probe::Module*>& modules,
                         const std::vector<std::size_t>& which,
                         const std::vector<std::vector<std::string>>& manifests,
                         const probe::ProbeContext& context, probe::isolate::Supervisor& supervisor) {
  DriverAnswers answers{{}, std::vector<std::optional<Permit>>(modules.size())};
  std::vector<ChildRequest> children;
  const auto company = which.size() > 1 ? Company::kOthers : Company::kNone;
  for (const std::size_t i : which) {
    for (const std::string& manifest : manifests[i]) {
      answers.tries.push_back({i, manifest, {}});
      children.push_back(RequestFor(request, {modules[i]}, manifest));
      if (!request.permit) continue;
      if (request.marker) children.back().marker = request.marker(*modules[i], RiskyStep::kByDriver);
      children.back().permit = [&request, &permit = answers.permits[i], module = modules[i], company] {
        if (!permit) permit = request.permit(*module, RiskyStep::kByDriver, company);
        return *permit;
      };
    }
  }
  const OomWatch memory(context.files);
  auto results = supervisor.RunAll(children, nullptr);
  memory.Mark(results);
  for (std::size_t i = 0; i < results.size(); ++i) answers.tries[i].result = std::move(results[i]);
  // They have ended: what stood for them must not stand while others are tried.
  for (auto& permit : answers.permits) {
    if (permit && permit->ok()) permit = Permit(std::shared_ptr<void>());
  }
  return answers;
}

// What the drivers of one module came to, in place of what it came to as a whole.
void UseDrivers(const std::vector<DriverTry>& tries, std::size_t module, Detection& detection) {
  ProbeReport& whole = detection.probes[module];
  std::vector<std::pair<std::string, ProbeReport>> drivers;
  for (const DriverTry& one : tries) {
    if (one.module != module || one.result.end == ChildEnd::kInterrupted) continue;
    drivers.emplace_back(one.manifest, Assemble(whole.module, one.result, detection.files));
  }
  if (drivers.empty()) return;
  auto merged = MergeDrivers(whole.module, drivers);
  if (!NeedsSecondTry(whole)) return AddAnswers(merged, whole);
  merged.elapsed_s = merged.elapsed_s.value_or(0) + whole.elapsed_s.value_or(0);
  if (merged.environment.empty()) merged.environment = whole.environment;
  const bool lacked_memory = whole.error && whole.error->Is(probe::OwnError::kOutOfMemory);
  if (merged.outcome == Outcome::kOk && merged.warnings.empty() && !lacked_memory &&
      std::all_of(drivers.begin(), drivers.end(),
                  [](const auto& driver) { return !NeedsSecondTry(driver.second); })) {
    merged.warnings.push_back(
        fmt::format("together its drivers failed ({}), each alone answered: suspect an implicit layer or a "
                    "clash between them",
                    whole.error ? whole.error->text : "no reason given"));
  }
  whole = std::move(merged);
}

// Asks once more whom ManifestsToRetry names, a child for each manifest: all in parallel, then each module
// that may only be tried alone.
void RetryByDriver(const DetectRequest& request, const std::vector<const probe::Module*>& modules,
                   probe::isolate::Supervisor& supervisor, const probe::ProbeContext& context,
                   Detection& detection) {
  std::vector<std::size_t> failed;
  std::vector<std::vector<std::string>> manifests;  // one list a module
  for (std::size_t i = 0; i < modules.size(); ++i) {
    manifests.push_back(ManifestsToRetry(*modules[i], detection.probes[i], context));
    if (!manifests.back().empty()) failed.push_back(i);
  }
  const auto all = TryDrivers(request, modules, failed, manifests, context, supervisor);
  for (const std::size_t i : failed) {
    const bool put_off = all.permits[i] && IsOnlyAlone(*all.permits[i]);
    const auto own =
        put_off ? TryDrivers(request, modules, {i}, manifests, context, supervisor) : DriverAnswers{};
    const auto& answers = put_off ? own : all;
    const auto& permit = answers.permits[i];
    if (!permit || permit->ok()) {
      UseDrivers(answers.tries, i, detection);
    } else {
      detection.warnings.push_back(LeftOutWarning(permit->error().text));
    }
  }
}

// Without a source of hardware devices may be missing that no runtime reaches.
std::optional<std::string> MissedSource(const probe::Module& module, const ProbeReport& report) {
  const bool was_heard =
      !NeedsSecondTry(report) || !report.error || report.error->Is(probe::OwnError::kInterrupted);
  if (module.kind != probe::ModuleKind::kHardware || was_heard) return std::nullopt;
  return fmt::format("{} was not read ({}): hardware may be missing here", module.title,
                     probe::Describe(*report.error));
}

ProbeReport LeftOut(const probe::Module& module, const std::string& reason) {
  ProbeReport report;
  report.module = module.name;
  report.outcome = Outcome::kFailed;
  report.error = probe::Own(probe::OwnError::kLeftOut, "", reason);
  return report;
}

}  // namespace

bool IsAsked(const RunRequest& request, std::string_view module) {
  if (request.Asks(module)) return true;
  const auto known = probe::Modules();
  const bool is_source = std::any_of(known.begin(), known.end(), [&](const probe::Module& one) {
    return one.name == module && one.kind == probe::ModuleKind::kHardware;
  });
  return is_source && !Contains(request.skip, module);
}

std::vector<const probe::Module*> Selected(const RunRequest& request) {
  std::vector<const probe::Module*> selected;
  for (const probe::Module& module : probe::Modules()) {
    if (IsAsked(request, module.name) && (request.IsOfThisMachine() || !module.loads_vendor_code))
      selected.push_back(&module);
  }
  return selected;
}

Detection Detect(const DetectRequest& request, probe::isolate::Supervisor& supervisor,
                 const probe::system::FileSystem& files, const probe::system::Environment& environment) {
  Detection detection;
  for (const auto& [folder, file] : {std::pair("/proc", "/proc/version"), std::pair("/sys", "/sys/class")}) {
    if (files.live() && probe::system::TellsByFiles() && !files.Exists(file))
      detection.warnings.push_back(NotMountedWarning(folder));
  }
  const bool is_explained = !detection.warnings.empty();
  const probe::ProbeContext context{files, environment, std::nullopt, nullptr};
  const auto selected = Selected(request.run);
  const auto answers = RunModules(request, selected, context, supervisor);
  std::vector<const probe::Module*> modules;
  std::vector<ProbeReport> refused;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (answers.refusals[i]) {
      refused.push_back(LeftOut(*selected[i], *answers.refusals[i]));
      detection.warnings.push_back(LeftOutWarning(*answers.refusals[i]));
      continue;
    }
    modules.push_back(selected[i]);
    detection.probes.push_back(Assemble(std::string(selected[i]->name), answers.results[i], detection.files));
  }
  RetryByDriver(request, modules, supervisor, context, detection);
  for (std::size_t i = 0; i < modules.size() && !is_explained; ++i) {
    if (auto missed = MissedSource(*modules[i], detection.probes[i]))
      detection.warnings.push_back(*std::move(missed));
  }
  detection.probes.insert(detection.probes.end(), refused.begin(), refused.end());
  return detection;
}

}  // namespace report
