// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/add_once.h"
#include "probe/core/names.h"
#include "probe/core/note.h"
#include "probe/core/parse.h"
#include "probe/core/topology_variables.h"
#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/known_error.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

using probe::Outcome;

// Of what a driver that is well may fail, too.
struct Circumstance {
  std::string meaning;
  Fix fix;
  Evidence evidence;
};

std::vector<Circumstance> Circumstances(const Report& report, const std::optional<std::string>& runtime) {
  std::vector<Circumstance> out;
  for (const Warning& warning : report.warnings) {
    if (warning.kind != WarningKind::kLimit) continue;
    out.push_back(
        {"this run is under a limit so low that a driver may fail of it that is well: that comes first",
         {"raise " + warning.subject, std::nullopt, false, false},
         {"limit", warning.text}});
  }
  for (const auto& folder : SubjectsOf(report.warnings, WarningKind::kNotMounted)) {
    out.push_back(
        {fmt::format("{} is not mounted, of which a driver may fail that is well: that comes first", folder),
         {"mount " + folder, std::nullopt, true, false},
         {"machine", folder + " is not mounted"}});
  }
  for (const auto& probe : report.probes) {
    if (probe.module != runtime) continue;
    for (const auto& variable : probe.environment) {
      if (variable.value.empty() || !variable.name.starts_with(probe::kTopologyVariablePrefix)) continue;
      out.push_back(
          {fmt::format("{} is set, of which a driver may fail that is well: that comes first", variable.name),
           {fmt::format("unset {}, unless it is meant", variable.name), "unset " + variable.name, false,
            false},
           {"environment", variable.name + "=" + variable.value}});
    }
  }
  return out;
}

}  // namespace

void BlameCircumstances(const Report& report, bool is_known, Finding& finding) {
  const auto circumstances = Circumstances(report, finding.runtime);
  if (circumstances.empty()) return;
  if (!is_known) {
    finding.meaning = circumstances.front().meaning;
    finding.fix.clear();
  }
  std::vector<Fix> fixes;
  for (const Circumstance& circumstance : circumstances) {
    fixes.push_back(circumstance.fix);
    AddEvidence(finding, circumstance.evidence.source, circumstance.evidence.value);
  }
  finding.fix.insert(finding.fix.begin(), fixes.begin(), fixes.end());
}

bool MayComeOfCircumstances(Outcome outcome, const std::optional<probe::Error>& error) {
  if (error && (IsRefusal(error) || IsOutOfMemoryError(error))) return false;
  return outcome == Outcome::kFailed || outcome == Outcome::kCrashed || outcome == Outcome::kTimedOut ||
         outcome == Outcome::kBadReply;
}

bool MayComeOfCircumstances(const backends::Measurement& measurement) {
  using backends::MeasurementStatus;
  if (IsOutOfMemory(measurement)) return false;
  return measurement.status == MeasurementStatus::kFailed ||
         measurement.status == MeasurementStatus::kCrashed ||
         measurement.status == MeasurementStatus::kTimedOut;
}

std::string VariableId(std::string_view module, std::string_view variable) {
  return fmt::format("variable.{}.{}", module, variable);
}

namespace {

// Which devices the variable makes the module take for others.
std::vector<std::string> TakenForOthers(const Report& report, std::string_view module,
                                        std::string_view variable) {
  std::vector<std::string> ids;
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      const auto* by = probe::FindFact(view.device.facts, probe::kTakenForAnotherFact);
      if (view.device.runtime == module && by != nullptr && *by == variable) probe::AddOnce(device.id, ids);
    }
  }
  return ids;
}

Finding OfVariables(const Report& report, std::string_view module, const std::string& warning,
                    const std::vector<probe::EnvironmentVariable>& variables) {
  Finding finding;
  finding.id = VariableId(module, variables.front().name);
  finding.layer = "programming_interface";
  finding.severity = Severity::kDegraded;
  finding.summary = warning;
  finding.meaning = "other programs started like this one have the same variable";
  if (auto ids = TakenForOthers(report, module, variables.front().name); !ids.empty()) {
    finding.device_id = ids.front();
    if (ids.size() > 1) finding.device_ids = std::move(ids);
  }
  std::vector<std::string_view> names;
  for (const auto& variable : variables) {
    AddEvidence(finding, "environment", SettingText({variable}));
    names.push_back(variable.name);
  }
  finding.fix.push_back({fmt::format("correct {} or unset {}, unless it is meant", fmt::join(names, " and "),
                                     names.size() == 1 ? "it" : "them"),
                         UnsetCommand(variables), false, false});
  return finding;
}

}  // namespace

void AddVariables(const Report& report, const ToldVariables& told, std::vector<Finding>& out) {
  for (const auto& probe : report.probes) {
    for (const std::string& warning : probe.warnings) {
      const auto variables = VariablesIn(probe, warning);
      if (variables.empty() || AreTold(told, variables) || IsNoted(report, probe.module, warning)) continue;
      auto finding = OfVariables(report, probe.module, warning, variables);
      const auto known = std::find_if(out.begin(), out.end(), [&](const Finding& one) {
        return one.id == finding.id && one.fix.front().command == finding.fix.front().command;
      });
      if (known == out.end()) {
        out.push_back(std::move(finding));
        continue;
      }
      // One thing to mend, of which there is more to say.
      known->summary += "; " + finding.summary;
      for (const auto& evidence : finding.evidence) AddEvidence(*known, evidence.source, evidence.value);
    }
  }
}

namespace {

// Where nothing was measured that would tell so, what was found does.
void AddFull(const Report& report, const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  if (!IsFull(report, device)) return;
  Finding finding;
  finding.id = "memory.others." + probe::Slug(device.id);
  finding.layer = "system_runtime";
  finding.severity = Severity::kDegraded;
  finding.device_id = device.id;
  finding.summary = fmt::format("{}: {} of its {} are free, too little for the work that is predicted",
                                NameIn(report, device), BytesText(*device.memory.free_bytes),
                                BytesText(*device.memory.total_bytes));
  finding.meaning = "others hold its memory; nothing is known to be wrong with the device or its driver";
  finding.fix.push_back(
      {fmt::format("end the programs that hold the device's memory, or wait until they have ended{}",
                   IsSeenInUse(device) ? "" : "; look for them as root, of a container on its host"),
       std::nullopt, false, false});
  out.push_back(std::move(finding));
}

// Of what a call failed for nobody knows how much it would have been.
std::uint64_t NeededBytes(const backends::Measurement& m) { return m.needed_bytes.value_or(UINT64_MAX); }

}  // namespace

bool IsLeftToOthers(const probe::PhysicalDevice& device, const backends::Measurement& m) {
  return IsForWantOfMemory(m) && (m.needed_bytes || IsMostlyHeld(device));
}

void AddLeftToOthers(const Tables& tables, const Report& report, const MeasurementIndex& measurements,
                     const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  const backends::Measurement* gravest = nullptr;
  bool computes = false, reads = false;
  Finding finding;
  const auto of_device = measurements.Of(device.id);
  for (const auto* m : of_device) {
    computes = computes || (m->kernel == kernels::Kernel::kGemm && IsVerified(*m));
    reads = reads || (m->kernel == kernels::Kernel::kRead && IsVerified(*m));
    if (!IsLeftToOthers(device, *m)) continue;
    AddEvidence(finding, m->implementation, FailureText(*m));
    if (gravest == nullptr || NeededBytes(*m) < NeededBytes(*gravest)) gravest = m;
  }
  if (of_device.empty()) return AddFull(report, device, out);
  if (gravest == nullptr) return;
  finding.id = "memory.others." + probe::Slug(device.id);
  finding.layer = "system_runtime";
  finding.severity = computes && reads ? Severity::kNote : Severity::kDegraded;
  finding.device_id = device.id;
  finding.runtime = gravest->runtime;
  const bool is_all = !computes && !reads;
  finding.summary = fmt::format("{} on {}: {} not measured for want of free memory: {}",
                                Title(tables, gravest->runtime), NameIn(report, device),
                                is_all ? "it was" : "a part of it was", gravest->reason.value_or(""));
  const bool is_seen = gravest->holder_unseen ? !*gravest->holder_unseen : IsSeenInUse(device);
  finding.meaning = fmt::format(
      "{}; nothing is known to be wrong with the device or its driver",
      is_seen
          ? "other programs hold its memory, and of what they leave free this tool takes a small part, so "
            "as not to disturb them"
          : "its memory is full, and who holds it can not be seen from here: programs of another user, of "
            "another container or of a virtual machine, or what a program left that did not end well");
  finding.fix.push_back({fmt::format("end the programs that hold the device's memory, or wait until they "
                                     "have ended, and measure again{}",
                                     is_seen ? "" : "; look for them as root, of a container on its host"),
                         std::nullopt, false, false});
  out.push_back(std::move(finding));
}

namespace {

void AddNarrowLink(const Report& report, const probe::PhysicalDevice& device, const probe::PcieLink& link,
                   std::vector<Finding>& out) {
  if (device.kind != probe::DeviceKind::kDiscrete || !link.generation || !link.lanes) return;
  const auto most_lanes = std::max(link.max_lanes, link.lanes),
             most = std::max(link.max_generation, link.generation);
  if (most_lanes == link.lanes && most == link.generation) return;
  Finding finding;
  finding.id = "link.narrow." + probe::Slug(device.id);
  finding.layer = "kernel_driver";
  finding.severity = Severity::kNote;
  finding.device_id = device.id;
  finding.summary = fmt::format("{} was at work over PCIe {}.0 x{}, of {}.0 x{} that it can",
                                NameIn(report, device), *link.generation, *link.lanes, *most, *most_lanes);
  finding.meaning =
      "loading a model and what GPUs exchange is slower by that; what is in its memory computes as fast";
  finding.fix.push_back(
      {"try a slot of the processor's own with all its lanes, without a riser, and what the firmware sets of "
       "the slot",
       std::nullopt, false, false});
  out.push_back(std::move(finding));
}

}  // namespace

void AddNarrowLinks(const Report& report, std::vector<Finding>& out) {
  std::map<std::string_view, std::optional<probe::PcieLink>> links;  // one look at figures for all devices
  for (const auto& m : report.measurements) {
    if (m.pcie) links[m.device_id] = probe::Faster(links[m.device_id], m.pcie);
  }
  for (const auto& [id, link] : links) {
    if (const auto* device = FindDevice(report.devices, id)) AddNarrowLink(report, *device, *link, out);
  }
}

void AddLentMemory(const Report& report, const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  const auto& memory = device.memory;
  if (!HasCarveOut(device) || *memory.total_bytes >= *memory.gtt_bytes) return;
  Finding finding;
  finding.id = "memory.carve-out." + device.id;
  finding.layer = "kernel_driver";
  finding.severity = Severity::kNote;
  finding.device_id = device.id;
  finding.summary =
      fmt::format("{} has {} of its own and borrows up to {} of the host's memory", NameIn(report, device),
                  BytesText(*memory.total_bytes), BytesText(*memory.gtt_bytes));
  finding.meaning =
      "the firmware sets the first apart; the kernel driver lends the second, which some programs do not "
      "count";
  if (memory.usable_bytes) finding.evidence.push_back({"usable now", BytesText(*memory.usable_bytes)});
  finding.fix.push_back(
      {"for programs that see the set-apart part alone, raise it in the firmware's setup (UMA frame "
       "buffer size)",
       std::nullopt, false, true});
  finding.fix.push_back({"what is lent grows with the kernel parameter ttm.pages_limit, in pages of 4 KiB",
                         std::nullopt, true, true});
  out.push_back(std::move(finding));
}

}  // namespace report::explain
