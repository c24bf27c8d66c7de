// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/hidden.h"
#include "probe/core/names.h"
#include "probe/core/parse.h"
#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/impossible.h"
#include "report/core/not_measurable.h"
#include "report/core/report_names.h"
#include "report/core/unreached.h"
#include "report/core/wording.h"
#include "report/explain/explain.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

using probe::Outcome;

// The runtime that the device's maker made for it, where it was looked for, is not installed and can be.
const RuntimeFacts* MissingRuntime(const Tables& tables, const Report& report,
                                   const probe::PhysicalDevice& device) {
  const auto vendor = VendorOf(device);
  for (const probe::ProbeReport& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (probe.outcome == Outcome::kAbsent && facts && vendor && IsMakersOwn(*facts, *vendor) &&
        CanBeInstalled(*facts, report.host))
      return facts;
  }
  return nullptr;
}

// Some card here is one that the runtime is made for; of a runtime for all makers' always.
bool HasCardFor(const Report& report, const RuntimeFacts& facts) {
  return !facts.vendor || std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
    const auto vendor = VendorOf(device);
    return IsGpu(device) && vendor && IsOfVendor(facts, *vendor);
  });
}

// In the commands of a table {folder} is that of the library which the finding is of. One that a shell, or
// grep, would take for more than a name is left to the reader.
void NameFolder(const std::optional<std::string>& library, Finding& finding) {
  constexpr std::string_view kMark = "{folder}";
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
  const std::string folder = library ? library->substr(0, library->find_last_of('/')) : "";
  for (Fix& fix : finding.fix) {
    const auto at = fix.command ? fix.command->find(kMark) : std::string::npos;
    if (at == std::string::npos) continue;
    if (folder.starts_with('/') && folder.find_first_not_of(kPlain) == std::string::npos) {
      fix.command->replace(at, kMark.size(), folder);
    } else {
      fix.command.reset();
    }
  }
}

bool HidesSoftware(const std::optional<probe::Error>& error) {
  return error && error->name == probe::kHidesSoftware;
}

Finding OfRuntime(const Tables& tables, const Report& report, const probe::ProbeReport& probe,
                  const OutcomeAdvice& advice) {
  Finding finding;
  finding.id = fmt::format("runtime.{}.{}", probe.module,
                           IsLeftOut(probe) ? "left_out" : probe::NameOf(probe.outcome));
  finding.runtime = probe.module;
  finding.summary = OutcomeText(tables, probe);
  Advise(advice, finding);
  if (HidesSoftware(probe.error)) finding.severity = Severity::kNote;
  const auto* facts = Find(tables, probe.module);
  if (probe.outcome == Outcome::kAbsent && facts) {
    for (const auto& device : report.devices) {
      if (finding.fix.empty() && IsGpu(device)) AddHintsFor(device, *facts, report.host, finding);
    }
    if (finding.fix.empty() && HasCardFor(report, *facts)) AddInstallHints(*facts, report.host, finding);
  }
  const bool known = AdviseOnError(facts, probe.error, finding);
  if (probe.outcome == Outcome::kHidden) {
    BlameVariables(facts, report, probe, finding);
  } else {
    for (const auto& variable : probe.environment)
      AddEvidence(finding, "environment", variable.name + "=" + variable.value);
  }
  NameFolder(probe.library ? probe.library->path : std::nullopt, finding);
  if (probe.library) AddEvidence(finding, "library", probe.library->path.value_or(probe.library->soname));
  if (probe.error) AddEvidence(finding, "error", Describe(*probe.error));
  if (probe.stderr_tail) AddEvidence(finding, "stderr", *probe.stderr_tail);
  if (MayComeOfCircumstances(probe.outcome, probe.error) && !IsLeftOut(probe))
    BlameCircumstances(report, known, finding);
  return finding;
}

Finding OfDriver(const Tables& tables, const Report& report, std::string_view runtime,
                 const probe::DriverReport& driver, const OutcomeAdvice& advice) {
  Finding finding;
  finding.id =
      fmt::format("driver.{}.{}.{}", runtime, probe::Slug(DriverName(driver)), probe::NameOf(driver.outcome));
  finding.runtime = runtime;
  finding.summary = OutcomeText(tables, runtime, driver);
  Advise(advice, finding);
  // What stands before the driver is no way to any device: what it does to other programs is the finding.
  const bool misleads_others = driver.error && driver.error->name == probe::kBeforeDriver;
  if (misleads_others || (driver.error && driver.error->name == probe::kBeforeDriverHere))
    finding.summary = driver.error->text;
  if (misleads_others) finding.severity = Severity::kDegraded;
  if (HidesSoftware(driver.error)) finding.severity = Severity::kNote;
  const bool known = AdviseOnError(Find(tables, runtime), report, driver, finding);
  NameFolder(driver.library, finding);
  if (driver.manifest) AddEvidence(finding, "manifest", *driver.manifest);
  if (driver.library) AddEvidence(finding, "library", *driver.library);
  if (driver.error) AddEvidence(finding, "error", Describe(*driver.error));
  if (MayComeOfCircumstances(driver.outcome, driver.error)) BlameCircumstances(report, known, finding);
  return finding;
}

void AddProbes(const Tables& tables, const Report& report, const HidingRuntimes& hiding,
               std::vector<Finding>& out) {
  for (const auto& probe : report.probes) {
    if (!Find(tables, probe.module) || IsUntold(probe)) continue;
    const auto* of_runtime = IsOfDriver(probe) || hiding.IsToldElsewhere(probe) ? nullptr : AdviceFor(probe);
    if (of_runtime) out.push_back(OfRuntime(tables, report, probe, *of_runtime));
    for (const auto& driver : probe.drivers) {
      // One driver without a device beside another that has one is how most machines look.
      if (driver.outcome == Outcome::kNoDevice || hiding.IsToldElsewhere(probe, driver)) continue;
      if (const auto* advice = AdviceFor(driver))
        out.push_back(OfDriver(tables, report, probe.module, driver, *advice));
    }
  }
}

void AddNodes(const Report& report, const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  if (!device.hardware || !IsGpu(device)) return;
  Finding finding;
  finding.id = "device_node.denied." + probe::Slug(device.id);
  finding.device_id = device.id;
  Advise(*AdviceFor(Outcome::kDenied), finding);
  for (const auto& node : device.hardware->nodes) {
    if (IsDenied(node)) AddEvidence(finding, "node", node.path);
  }
  if (finding.evidence.empty()) return;
  finding.summary =
      fmt::format("{}: {} may not be opened", NameIn(report, device), finding.evidence.front().value);
  out.push_back(std::move(finding));
}

void AddHiding(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
               std::vector<Finding>& out) {
  for (const auto& view : device.views) {
    if (!view.environment_hidden) continue;
    Finding finding;
    finding.id = fmt::format("hidden.{}.{}", view.device.runtime, probe::Slug(device.id));
    finding.device_id = device.id;
    finding.runtime = view.device.runtime;
    finding.summary = fmt::format("{} hides {} from other programs that use {}", *view.environment_hidden,
                                  NameIn(report, device), Title(tables, view.device.runtime));
    AddEvidence(finding, "environment", *view.environment_hidden);
    Advise(*AdviceFor(Outcome::kHidden), finding);
    finding.fix = {{fmt::format("unset {}, unless it is meant", *view.environment_hidden),
                    "unset " + *view.environment_hidden, false, false}};
    finding.severity = Severity::kNote;
    out.push_back(std::move(finding));
  }
}

// A virtual machine may have it at this moment: nothing is broken.
void BlameGuest(const Report& report, const probe::PhysicalDevice& device, const std::string& driver,
                Finding& finding) {
  finding.layer = "kernel_driver";
  finding.summary = fmt::format("{} is held for a virtual machine by {}", NameIn(report, device), driver);
  finding.meaning = "what hands a device to a virtual machine keeps it from every program of this system";
  finding.fix.push_back(
      {fmt::format("use it inside the virtual machine; to use it here, take it from {} (the kernel's command "
                   "line, /etc/modprobe.d, driverctl) and restart",
                   driver),
       std::nullopt, true, true});
}

// Others of its kind may work beside it.
void BlameItself(const Report& report, const OwnCause& cause, const probe::PhysicalDevice& device,
                 Finding& finding) {
  finding.summary = fmt::format("no runtime reaches {}: {}", NameIn(report, device), cause.error.text);
  finding.runtime = cause.runtime->name;
  AdviseOnError(cause.runtime, cause.error, finding);
  AddEvidence(finding, "error", cause.error.name);
}

// What installs a runtime that is absent, or what it says of that itself: then its sentence is returned.
std::optional<std::string> AddWhatInstalls(const RuntimeFacts& facts, const Report& report,
                                           Finding& finding) {
  for (const probe::ProbeReport& probe : report.probes) {
    if (probe.module != facts.name || !AdviseOnError(&facts, probe.error, finding)) continue;
    if (probe.library) AddEvidence(finding, "library", probe.library->path.value_or(probe.library->soname));
    return probe.error->text.empty() ? std::nullopt : std::optional(probe.error->text);
  }
  AddInstallHints(facts, report.host, finding);
  return std::nullopt;
}

// Its maker's runtime is installed: what became of that is why, and nothing is to be installed beside it.
void BlameFailure(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                  const MakersFailure& failure, Finding& finding) {
  const auto* of_driver = failure.driver ? AdviceFor(*failure.driver) : nullptr;
  const auto* of_runtime = failure.driver ? nullptr : AdviceFor(*failure.probe);
  const auto text = FailureText(tables, failure);
  if (device.hardware && device.hardware->kernel_driver)
    finding.summary = fmt::format("no runtime reaches {}: {}", NameIn(report, device), text);
  else
    AddEvidence(finding, failure.probe->module, text);
  if (!of_driver && !of_runtime) return;  // this run was interrupted
  auto known = of_driver ? OfDriver(tables, report, failure.probe->module, *failure.driver, *of_driver)
                         : OfRuntime(tables, report, *failure.probe, *of_runtime);
  finding.runtime = known.runtime;
  finding.layer = known.layer;
  finding.meaning = known.meaning;
  finding.fix = std::move(known.fix);
  for (auto& evidence : known.evidence)
    AddEvidence(finding, std::move(evidence.source), std::move(evidence.value));
}

// Where nothing that was asked tells more.
std::string WhatItLacks(const Tables& tables, const Report& report, const probe::PhysicalDevice& device) {
  if (auto driver = DriverElsewhere(report.host)) return *std::move(driver);
  if (!device.hardware || !device.hardware->kernel_driver) return "install the kernel driver of its vendor";
  const auto vendor = VendorOf(device);
  for (const auto& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (!facts || !vendor || !IsMakersOwn(*facts, *vendor) || probe.outcome == Outcome::kAbsent) continue;
    return fmt::format(
        "{} is installed and does not show this GPU: give the container its device nodes, or "
        "install the release that knows it",
        facts->title);
  }
  return "install the runtime of its vendor, or give the container its device nodes";
}

// The runtime's makers serve such chips no more: nobody installs it for them.
bool IsUnserved(const RuntimeFacts& facts, const Host& host, const probe::PhysicalDevice& device) {
  if (!device.hardware) return false;
  const auto setting = SettingOf(host);
  const auto* chip = probe::FindFact(device.hardware->facts, "table_target");
  return UnservedOf(facts, device.hardware->architecture, setting) ||
         (chip && UnservedOf(facts, *chip, setting));
}

// That nothing reaches the device, before anybody asked why; `not_asked`: no runtime was.
Finding OfUnreached(const Report& report, const probe::PhysicalDevice& device, bool not_asked) {
  Finding finding;
  finding.id = "unreached." + probe::Slug(device.id);
  finding.layer = "system_runtime";
  finding.severity = not_asked ? Severity::kNote : Severity::kDegraded;
  finding.device_id = device.id;
  finding.summary =
      not_asked ? fmt::format("{} was not asked: {}", NameIn(report, device), report.not_asked.because)
                : fmt::format("{} is in this machine and no runtime reaches it", NameIn(report, device));
  const auto driver = device.hardware ? device.hardware->kernel_driver : std::nullopt;
  AddEvidence(finding, "kernel driver", driver.value_or("none is bound"));
  finding.meaning = not_asked ? "what it can be used for is known on the machine itself"
                              : "its compute power is not available to any program that was looked for";
  return finding;
}

void AddUnreached(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                  const std::set<std::string>& parents, HiddenGpus& hidden, std::vector<Finding>& out) {
  // A node that may not be opened is the finding of AddNodes.
  const bool denied =
      device.hardware && std::any_of(device.hardware->nodes.begin(), device.hardware->nodes.end(),
                                     [](const auto& node) { return IsDenied(node); });
  if (!IsGpu(device) || !device.views.empty() || IsUsedByParts(parents, device) || denied) return;
  // Of what was not asked nothing is known but what its files tell, and those are a sysroot's alone.
  const bool not_asked = report.not_asked.device_ids.contains(device.id);
  if (not_asked && !report.host.installed) return;
  Finding finding = OfUnreached(report, device, not_asked);
  const auto* none = device.hardware ? probe::FindFact(device.hardware->facts, "no_runtime") : nullptr;
  if (none != nullptr) {
    finding.severity = Severity::kNote;
    finding.meaning = *none;
    return out.push_back(std::move(finding));
  }
  if (const auto hiding = HidingVariables(report, device); !hiding.empty() && !not_asked)
    return hidden.Tell(report, device, hiding, std::move(finding), out);
  if (const auto held = HeldForGuest(device)) {
    BlameGuest(report, device, *held, finding);
    return out.push_back(std::move(finding));
  }
  if (const auto why = WhyNotMeasurable(device); why && !not_asked) {
    TellRuntimeOf(device, *why, finding);
    return out.push_back(std::move(finding));
  }
  if (const auto cause = CauseOf(tables, device); cause && !not_asked) {
    BlameItself(report, *cause, device, finding);
    return out.push_back(std::move(finding));
  }
  if (const auto failure = FailureOfMakers(tables, report, device); failure && !not_asked) {
    BlameFailure(tables, report, device, *failure, finding);
    if (finding.fix.empty() && failure->probe->outcome == Outcome::kNoDevice) {
      SuspectVariables(*failure->probe, finding);
      finding.fix.push_back({WhatItLacks(tables, report, device), std::nullopt, true, false});
    }
    return out.push_back(std::move(finding));
  }
  if (!not_asked && BlameUnplaced(tables, report, device, finding)) return out.push_back(std::move(finding));
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (!IsUnserved(facts, report.host, device)) AddHintsFor(device, facts, report.host, finding);
  }
  if (not_asked && finding.fix.empty()) return;
  const auto* missing = finding.fix.empty() ? MissingRuntime(tables, report, device) : nullptr;
  if (missing && IsUnserved(*missing, report.host, device)) missing = nullptr;
  const auto said = missing ? AddWhatInstalls(*missing, report, finding) : std::nullopt;
  if (said) finding.summary = fmt::format("no runtime reaches {}: {}", NameIn(report, device), *said);
  if (!finding.fix.empty()) return out.push_back(std::move(finding));
  finding.fix.push_back({WhatItLacks(tables, report, device), std::nullopt, true, false});
  out.push_back(std::move(finding));
}

// A card that others reach and its maker's own runtime, which is not installed, does not.
void AddMissingRuntime(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                       std::vector<Finding>& out) {
  if (device.views.empty()) return;
  Finding finding;
  const RuntimeFacts* facts = nullptr;
  std::optional<std::string> said;
  for (const probe::ProbeReport& probe : report.probes) {
    const auto* known = probe.outcome == Outcome::kAbsent ? Find(tables, probe.module) : nullptr;
    const bool is_makers =
        facts == nullptr && known && known->vendor && !IsUnserved(*known, report.host, device);
    if (is_makers && AddHintsFor(device, *known, report.host, finding)) facts = known;
  }
  finding.layer = "system_runtime";
  finding.meaning = "other drivers reach the card; most software that computes on it expects this one";
  if (facts == nullptr && device.kind == probe::DeviceKind::kDiscrete) {
    facts = MissingRuntime(tables, report, device);
    if (facts != nullptr && IsUnserved(*facts, report.host, device)) return;
    if (facts != nullptr) said = AddWhatInstalls(*facts, report, finding);
  }
  if (facts == nullptr) return;
  finding.id = fmt::format("missing.{}.{}", facts->name, probe::Slug(device.id));
  finding.device_id = device.id;
  finding.runtime = facts->name;
  finding.summary = fmt::format("{}, which is made for {}, is not installed{}", facts->title,
                                NameIn(report, device), said ? ": " + *said : "");
  out.push_back(std::move(finding));
}

std::string_view MeaningOf(const Doubt& doubt) {
  if (doubt.refuted) return "its driver makes it up: there is no GPU to compute with";
  if (doubt.fast)
    return "its clock may be wrong, or it is newer than this version knows: the figures are not certain";
  return doubt.slow ? "it is far slower than the card that it should be"
                    : "it may be another card than its driver says";
}

std::string_view StepOf(const Doubt& doubt) {
  if (doubt.refuted) return "remove the driver that claims it";
  return doubt.fast ? "compare the figures with what its maker says of it"
                    : "compare the driver's claim with what the machine is known to have";
}

// A card that the machine does not have, or one that is far from what it should be.
void AddDoubts(const Report& report, std::vector<Finding>& out) {
  for (const Doubt& doubt : report.doubts) {
    const auto* device = FindDevice(report.devices, doubt.device_id);
    Finding finding;
    finding.id = (doubt.fast ? "rate." : "claim.") + probe::Slug(doubt.device_id);
    finding.layer = "system_runtime";
    finding.severity = doubt.refuted ? Severity::kDegraded : Severity::kNote;
    finding.device_id = doubt.device_id;
    finding.summary =
        fmt::format("{}: {}", device ? NameIn(report, *device) : std::string(doubt.device_id), doubt.text);
    for (const auto& view : device && !doubt.fast ? device->views : std::vector<probe::View>())
      AddEvidence(finding, "claimed by", view.device.runtime + ", driver " + view.device.driver);
    finding.meaning = MeaningOf(doubt);
    finding.confidence = doubt.refuted ? Confidence::kHigh : Confidence::kMedium;
    finding.fix.push_back({std::string(StepOf(doubt)), std::nullopt, false, false});
    out.push_back(std::move(finding));
  }
}

// One for all: nothing is wrong with them.
void AddNotAsked(const Report& report, std::vector<Finding>& out) {
  const auto& left_out = report.not_asked.device_ids;
  if (left_out.empty()) return;
  Finding finding;
  finding.id = "not_asked";
  finding.layer = "system_runtime";
  finding.severity = Severity::kNote;
  finding.summary = fmt::format("{} GPU{} not asked: {}", left_out.size(),
                                left_out.size() == 1 ? " was" : "s were", report.not_asked.because);
  for (const auto& id : left_out) AddEvidence(finding, "device", id);
  finding.meaning = "nothing is known of what they can be used for";
  out.push_back(std::move(finding));
}

// What degrades a machine whose GPUs are all unusable blocks it.
void Escalate(const Report& report, std::vector<Finding>& findings) {
  const auto usable = [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    return score.eligible && device && IsGpu(*device);
  };
  // Nothing was measured where nothing was scored: then nothing is known to be unusable.
  const bool gpu = std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
    return IsGpu(device) && !report.not_asked.device_ids.contains(device.id);
  });
  if (!gpu || report.scores.empty() || std::any_of(report.scores.begin(), report.scores.end(), usable))
    return;
  for (auto& finding : findings) {
    if (finding.severity == Severity::kDegraded) finding.severity = Severity::kBlocking;
  }
}

}  // namespace

std::vector<Finding> Findings(const Tables& tables, const Report& report) {
  std::vector<Finding> findings;
  const auto parents = ParentIds(report.devices);
  const MeasurementIndex measurements(report.measurements);
  HiddenGpus hidden;
  for (const auto& device : report.devices) {
    AddUnreached(tables, report, device, parents, hidden, findings);
    AddNotMeasurable(report, device, findings);
    if (report.not_asked.device_ids.contains(device.id)) continue;
    AddMissingRuntime(tables, report, device, findings);
    AddNodes(report, device, findings);
    AddHiding(tables, report, device, findings);
    AddLentMemory(report, device, findings);
    AddLeftToOthers(tables, report, measurements, device, findings);
  }
  AddNotAsked(report, findings);
  AddDoubts(report, findings);
  AddMeasurements(tables, report, findings);
  const HidingRuntimes hiding(tables, report, hidden.told());
  AddProbes(tables, report, hiding, findings);
  AddVariables(report, hiding.told(), findings);
  AddNotes(tables, report, findings);
  AddUnplaced(tables, report, findings);
  AddSlowStarts(tables, report, findings);
  AddNarrowLinks(report, findings);
  NameGroups(tables, report, findings);
  SetAsideWhatChangesNothing(tables, report, findings);
  SpareWhatIsBrought(report, findings);
  Escalate(report, findings);
  for (const auto& device : report.devices) {
    if (!report.not_asked.device_ids.contains(device.id)) AddPower(device, findings);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return findings;
}

}  // namespace report::explain
