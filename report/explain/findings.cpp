// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "probe/core/fields.h"
#include "report/core/devices.h"
#include "report/core/report_fields.h"
#include "report/core/wording.h"
#include "report/explain/explain.h"
#include "report/explain/lent_memory.h"
#include "report/explain/variables.h"

namespace report::explain {
namespace {

using probe::Outcome;

// What an outcome of a runtime or of one driver means, and what to do. `layer` as in the schema.
struct OutcomeAdvice {
  Outcome outcome;
  std::string_view layer;
  Severity severity;
  std::string_view meaning;
  std::string_view fix;  // "" where the tables or the evidence name it
  std::string_view command;
  bool needs_root;
};
constexpr std::array kAdvice = {
    OutcomeAdvice{Outcome::kAbsent, "system_runtime", Severity::kNote,
                  "nothing can use this runtime until it is installed", "", "", true},
    OutcomeAdvice{Outcome::kNoDevice, "system_runtime", Severity::kNote,
                  "its drivers answer and none of them has a device here", "", "", false},
    OutcomeAdvice{
        Outcome::kDenied, "device_node", Severity::kDegraded,
        "the device is there; this user may not open its node",
        "join the groups that own the node, then log in again; in a container pass their numeric ids with "
        "--group-add",
        "usermod -aG render,video \"$USER\"", true},
    OutcomeAdvice{Outcome::kHidden, "programming_interface", Severity::kDegraded,
                  "other programs started like this one do not see the devices either", "unset the variable",
                  "", false},
    OutcomeAdvice{Outcome::kFailed, "system_runtime", Severity::kDegraded,
                  "the runtime is installed and does not work as it is",
                  "update or reinstall the driver; the evidence names the call that failed", "", true},
    OutcomeAdvice{Outcome::kCrashed, "system_runtime", Severity::kDegraded,
                  "any program that uses this driver is at risk of dying the same way",
                  "update the driver, or remove the file that registers it", "", true},
    OutcomeAdvice{Outcome::kTimedOut, "kernel_driver", Severity::kDegraded,
                  "the driver hangs: often a kernel module and a library of different versions",
                  "update the kernel driver and its libraries together, then restart", "", true},
    OutcomeAdvice{Outcome::kBadReply, "system_runtime", Severity::kDegraded, "what it said cannot be trusted",
                  "update or reinstall the driver", "", true},
};

const OutcomeAdvice* AdviceFor(Outcome outcome) {
  const auto found =
      std::find_if(kAdvice.begin(), kAdvice.end(), [&](const auto& row) { return row.outcome == outcome; });
  return found == kAdvice.end() ? nullptr : &*found;
}

// A part of an id: lower case letters and digits, everything else a dash.
std::string Slug(std::string_view text) {
  std::string slug;
  for (const char c : text.substr(0, 64)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) && byte < 0x80) {
      slug += static_cast<char>(std::tolower(byte));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  if (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

void AddEvidence(Finding& finding, std::string source, std::string value) {
  if (!value.empty()) finding.evidence.push_back({std::move(source), std::move(value)});
}

void Advise(const OutcomeAdvice& advice, Finding& finding) {
  finding.layer = advice.layer;
  finding.severity = advice.severity;
  finding.meaning = advice.meaning;
  if (advice.fix.empty()) return;
  Fix fix{std::string(advice.fix), std::nullopt, advice.needs_root, false};
  if (!advice.command.empty()) fix.command = advice.command;
  finding.fix.push_back(std::move(fix));
}

// Where the runtime's table knows this very error, its words replace the outcome's.
template <class IsIt>
void AdviseOn(const RuntimeFacts* facts, IsIt is_it, Finding& finding) {
  if (facts == nullptr || !facts->errors) return;
  const auto row = std::find_if(facts->errors->begin(), facts->errors->end(), is_it);
  if (row == facts->errors->end()) return;
  finding.layer = row->layer;
  finding.meaning = row->meaning;
  finding.fix.clear();
  for (const auto& fix : row->fix)
    finding.fix.push_back({fix.text, fix.command, fix.needs_root, fix.needs_reboot});
}

void AdviseOnError(const RuntimeFacts* facts, const std::optional<probe::Error>& error, Finding& finding) {
  if (error) AdviseOn(facts, [&](const ErrorFacts& known) { return known.name == error->name; }, finding);
}

// A measurement's reason names the vendor's error within a sentence.
void AdviseOnReason(const RuntimeFacts* facts, const backends::Measurement& measurement, Finding& finding) {
  const std::string reason = measurement.reason.value_or("");
  const auto named = [&](const ErrorFacts& known) {
    return reason.find(known.name + " (") != std::string::npos;
  };
  AdviseOn(facts, named, finding);
}

void AddInstallHints(const RuntimeFacts& facts, Finding& finding) {
  for (const auto& hint : facts.install) finding.fix.push_back({hint.text, hint.command, true, false});
}

// The runtime that the device's maker made for it, where it was looked for and is not installed.
const RuntimeFacts* MissingRuntime(const Tables& tables, const Report& report,
                                   const probe::PhysicalDevice& device) {
  const auto vendor = VendorOf(device);
  for (const probe::ProbeReport& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (probe.outcome == Outcome::kAbsent && facts && vendor && IsOfVendor(*facts, *vendor)) return facts;
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

Finding OfRuntime(const Tables& tables, const Report& report, const probe::ProbeReport& probe,
                  const OutcomeAdvice& advice) {
  Finding finding;
  finding.id = fmt::format("runtime.{}.{}", probe.module, probe::NameOf(probe.outcome));
  finding.runtime = probe.module;
  finding.summary = OutcomeText(tables, probe);
  Advise(advice, finding);
  const auto* facts = Find(tables, probe.module);
  if (probe.outcome == Outcome::kAbsent && facts && HasCardFor(report, *facts)) {
    AddInstallHints(*facts, finding);
  }
  AdviseOnError(facts, probe.error, finding);
  for (const auto& variable : probe.environment)
    AddEvidence(finding, "environment", variable.name + "=" + variable.value);
  if (probe.library) AddEvidence(finding, "library", probe.library->path.value_or(probe.library->soname));
  if (probe.error) AddEvidence(finding, "error", Describe(*probe.error));
  if (probe.stderr_tail) AddEvidence(finding, "stderr", *probe.stderr_tail);
  return finding;
}

Finding OfDriver(const Tables& tables, std::string_view runtime, const probe::DriverReport& driver,
                 const OutcomeAdvice& advice) {
  Finding finding;
  finding.id =
      fmt::format("driver.{}.{}.{}", runtime, Slug(DriverName(driver)), probe::NameOf(driver.outcome));
  finding.runtime = runtime;
  finding.summary = OutcomeText(tables, runtime, driver);
  Advise(advice, finding);
  AdviseOnError(Find(tables, runtime), driver.error, finding);
  if (driver.manifest) AddEvidence(finding, "manifest", *driver.manifest);
  if (driver.library) AddEvidence(finding, "library", *driver.library);
  if (driver.error) AddEvidence(finding, "error", Describe(*driver.error));
  return finding;
}

void AddProbes(const Tables& tables, const Report& report, std::vector<Finding>& out) {
  for (const auto& probe : report.probes) {
    if (!Find(tables, probe.module)) continue;
    const bool blamed = std::any_of(probe.drivers.begin(), probe.drivers.end(),
                                    [&](const auto& driver) { return driver.outcome == probe.outcome; });
    const auto* of_runtime = blamed ? nullptr : AdviceFor(probe.outcome);
    if (of_runtime) out.push_back(OfRuntime(tables, report, probe, *of_runtime));
    for (const auto& driver : probe.drivers) {
      // One driver without a device beside another that has one is how most machines look.
      if (driver.outcome == Outcome::kNoDevice) continue;
      if (const auto* advice = AdviceFor(driver.outcome))
        out.push_back(OfDriver(tables, probe.module, driver, *advice));
    }
  }
}

struct StatusAdvice {
  backends::MeasurementStatus status;
  std::string_view meaning;
  std::string_view fix;
};
constexpr std::array kStatusAdvice = {
    StatusAdvice{
        backends::MeasurementStatus::kWrongResult,
        "the driver says that its kernels succeed and their results are wrong: a simulated device, or a "
        "broken "
        "driver",
        "do not compute on it; update the driver, or remove the variables that make it claim hardware"},
    StatusAdvice{backends::MeasurementStatus::kCrashed, "a kernel took the whole process down",
                 "update the driver; until then keep programs from using this runtime"},
    StatusAdvice{
        backends::MeasurementStatus::kTimedOut,
        "a kernel did not end in its time: a hang (firmware, kernel driver, an override of the "
        "architecture), "
        "or a machine too busy to measure",
        "measure again on an idle machine; if it lasts, unset overrides such as HSA_OVERRIDE_GFX_VERSION, "
        "update the driver, or use another runtime"},
    StatusAdvice{backends::MeasurementStatus::kFailed, "it enumerates and cannot run a kernel",
                 "update the driver; the evidence names the call that failed"},
    StatusAdvice{backends::MeasurementStatus::kImplausible, "its clock or its results cannot be believed",
                 "update the driver"},
};

// One finding for every way with such a measurement, of the gravest status, with every figure as evidence.
void AddMeasurements(const Tables& tables, const Report& report, std::vector<Finding>& out) {
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      const auto& of = view.device;
      const auto measured = MeasurementsOf(report.measurements, device.id, of.runtime, of.driver);
      const backends::Measurement* worst = nullptr;
      for (const auto* m : measured) {
        if (!worst || Row(m->status).weight > Row(worst->status).weight) worst = m;
      }
      const auto advice = std::find_if(kStatusAdvice.begin(), kStatusAdvice.end(),
                                       [&](const auto& row) { return worst && row.status == worst->status; });
      if (advice == kStatusAdvice.end()) continue;
      Finding finding;
      const auto status = probe::NameOf(worst->status);
      finding.id = fmt::format("measure.{}.{}.{}", of.runtime, Slug(of.driver), status);
      finding.layer = "programming_interface";
      // What a software device cannot do costs nobody a device.
      finding.severity = IsSoftware(device, view) ? Severity::kNote : Severity::kDegraded;
      finding.device_id = device.id;
      finding.runtime = of.runtime;
      finding.summary =
          fmt::format("{} on {}: {}", Title(tables, of.runtime), device.name, FailureText(*worst));
      for (const auto* m : measured) {
        if (m->status == worst->status) AddEvidence(finding, m->implementation, FailureText(*m));
      }
      finding.meaning = advice->meaning;
      finding.fix.push_back({std::string(advice->fix), std::nullopt, false, false});
      AdviseOnReason(Find(tables, of.runtime), *worst, finding);
      out.push_back(std::move(finding));
    }
  }
}

void AddNodes(const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  if (!device.hardware || !IsGpu(device)) return;
  Finding finding;
  finding.id = "device_node.denied." + Slug(device.id);
  finding.device_id = device.id;
  Advise(*AdviceFor(Outcome::kDenied), finding);
  for (const auto& node : device.hardware->nodes) {
    if (node.exists && !node.openable) AddEvidence(finding, "node", node.path);
  }
  if (finding.evidence.empty()) return;
  finding.summary = fmt::format("{}: {} may not be opened", device.name, finding.evidence.front().value);
  out.push_back(std::move(finding));
}

void AddHiding(const Tables& tables, const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  for (const auto& view : device.views) {
    if (!view.environment_hidden) continue;
    Finding finding;
    finding.id = fmt::format("hidden.{}.{}", view.device.runtime, Slug(device.id));
    finding.device_id = device.id;
    finding.runtime = view.device.runtime;
    finding.summary = fmt::format("{} hides {} from other programs that use {}", *view.environment_hidden,
                                  device.name, Title(tables, view.device.runtime));
    AddEvidence(finding, "environment", *view.environment_hidden);
    Advise(*AdviceFor(Outcome::kHidden), finding);
    finding.severity = Severity::kNote;
    out.push_back(std::move(finding));
  }
}

void AddUnreached(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                  std::vector<Finding>& out) {
  const bool parent = std::any_of(report.devices.begin(), report.devices.end(),
                                  [&](const auto& other) { return other.parent_id == device.id; });
  // A node that may not be opened is the finding of AddNodes.
  const bool denied =
      device.hardware && std::any_of(device.hardware->nodes.begin(), device.hardware->nodes.end(),
                                     [](const auto& node) { return node.exists && !node.openable; });
  if (!IsGpu(device) || !device.views.empty() || parent || denied) return;
  Finding finding;
  finding.id = "unreached." + Slug(device.id);
  finding.layer = "system_runtime";
  finding.severity = Severity::kDegraded;
  finding.device_id = device.id;
  finding.summary = fmt::format("{} is in this machine and no runtime reaches it", device.name);
  const auto driver = device.hardware ? device.hardware->kernel_driver : std::nullopt;
  AddEvidence(finding, "kernel driver", driver.value_or("none is bound"));
  finding.meaning = "its compute power is not available to any program that was looked for";
  if (const auto* facts = MissingRuntime(tables, report, device)) AddInstallHints(*facts, finding);
  if (!finding.fix.empty()) return out.push_back(std::move(finding));
  finding.fix.push_back({driver ? "install the runtime of its vendor, or give the container its device nodes"
                                : "install the kernel driver of its vendor",
                         std::nullopt, true, false});
  out.push_back(std::move(finding));
}

// A card that others reach and its maker's own runtime, which is not installed, does not.
void AddMissingRuntime(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                       std::vector<Finding>& out) {
  if (device.kind != probe::DeviceKind::kDiscrete || device.views.empty()) return;
  const auto* facts = MissingRuntime(tables, report, device);
  if (facts == nullptr) return;
  Finding finding;
  finding.id = fmt::format("missing.{}.{}", facts->name, Slug(device.id));
  finding.layer = "system_runtime";
  finding.device_id = device.id;
  finding.runtime = facts->name;
  finding.summary = fmt::format("{}, which is made for {}, is not installed", facts->title, device.name);
  finding.meaning = "other drivers reach the card; most software that computes on it expects this one";
  AddInstallHints(*facts, finding);
  out.push_back(std::move(finding));
}

// What degrades a machine whose GPUs are all unusable blocks it.
void Escalate(const Report& report, std::vector<Finding>& findings) {
  const auto usable = [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    return score.eligible && device && IsGpu(*device);
  };
  // Nothing was measured where nothing was scored: then nothing is known to be unusable.
  const bool gpu = std::any_of(report.devices.begin(), report.devices.end(), IsGpu);
  if (!gpu || report.scores.empty() || std::any_of(report.scores.begin(), report.scores.end(), usable))
    return;
  for (auto& finding : findings) {
    if (finding.severity == Severity::kDegraded) finding.severity = Severity::kBlocking;
  }
}

}  // namespace

std::vector<Finding> Findings(const Tables& tables, const Report& report) {
  std::vector<Finding> findings;
  for (const auto& device : report.devices) {
    AddUnreached(tables, report, device, findings);
    AddMissingRuntime(tables, report, device, findings);
    AddNodes(device, findings);
    AddHiding(tables, device, findings);
    AddLentMemory(device, findings);
  }
  AddMeasurements(tables, report, findings);
  AddProbes(tables, report, findings);
  AddVariables(report, findings);
  Escalate(report, findings);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return findings;
}

}  // namespace report::explain
