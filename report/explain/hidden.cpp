// SPDX-License-Identifier: MIT
#include "probe/core/hidden.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/wording.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

using Variables = std::vector<probe::EnvironmentVariable>;

Fix Unset(const Variables& variables, std::string_view what) {
  std::vector<std::string_view> names;
  for (const auto& variable : variables) names.push_back(variable.name);
  return {fmt::format("unset {}, or let {} name {}", fmt::join(names, " and "),
                      names.size() == 1 ? "it" : "each", what),
          UnsetCommand(variables), false, false};
}

// With what the runtimes that read them say of them.
void AddVariablesAsEvidence(const Report& report, const Variables& variables, Finding& finding) {
  ToldVariables names;
  for (const auto& variable : variables) {
    AddEvidence(finding, "environment", SettingText({variable}));
    names.try_emplace(variable.name);
  }
  for (const auto& probe : report.probes) {
    for (const std::string& warning : probe.warnings) {
      if (AreTold(names, VariablesIn(probe, warning))) AddEvidence(finding, probe.module, warning);
    }
  }
}

}  // namespace

bool AreTold(const ToldVariables& told, const Variables& variables) {
  return !variables.empty() && std::all_of(variables.begin(), variables.end(), [&](const auto& variable) {
    return told.contains(variable.name);
  });
}

void HiddenGpus::Tell(const Report& report, const probe::PhysicalDevice& device, const Variables& variables,
                      Finding finding, std::vector<Finding>& out) {
  const auto maker = VendorOf(device);
  for (const auto& variable : variables)
    told_[variable.name].insert(maker ? fmt::format("{:04x}", *maker) : std::string());
  auto settings = SettingText(variables);
  const auto* because = probe::FindFact(device.hardware->facts, probe::kHiddenBecauseFact);
  // Of several it does not say whose value it is about.
  if (because != nullptr && variables.size() == 1) settings += ": " + *because;
  auto& [devices, place] = groups_[settings];
  devices.push_back(&device);
  const bool is_one = devices.size() == 1;
  if (is_one) {
    place = out.size();
    out.push_back(std::move(finding));
  }
  Finding& told = out[place];
  told.layer = "programming_interface";
  told.summary =
      fmt::format("{} {} hidden by {}", NamesOf(report.devices, devices), is_one ? "is" : "are", settings);
  told.meaning =
      fmt::format("other programs started like this one do not see {} either", is_one ? "it" : "them");
  told.fix = {Unset(variables, is_one ? "this GPU, too" : "these GPUs, too")};
  if (is_one) return AddVariablesAsEvidence(report, variables, told);
  auto& ids = told.device_ids ? *told.device_ids : told.device_ids.emplace({*told.device_id});
  ids.push_back(device.id);
  for (const auto& evidence : finding.evidence) AddEvidence(told, evidence.source, evidence.value);
}

void SuspectVariables(const probe::ProbeReport& probe, Finding& finding) {
  const auto variables = probe.error ? VariablesIn(probe, Describe(*probe.error)) : Variables();
  if (variables.empty()) return;
  for (const auto& variable : variables) AddEvidence(finding, "environment", SettingText({variable}));
  finding.fix.push_back(Unset(variables, "a GPU that is here"));
}

void BlameVariables(const RuntimeFacts* facts, const Report& report, const probe::ProbeReport& probe,
                    Finding& finding) {
  const auto variables = HidingVariables(probe);
  if (variables.empty()) return;
  AddVariablesAsEvidence(report, variables, finding);
  // What is wrong with its value; of several a GPU does not say whose that is.
  for (const auto& hardware : probe.hardware) {
    const auto* because = probe::FindFact(hardware.facts, probe::kHiddenBecauseFact);
    if (because == nullptr || variables.size() != 1) continue;
    finding.summary += ": " + *because;
    break;
  }
  const bool is_makers = facts != nullptr && facts->vendor;
  finding.fix = {Unset(variables, is_makers ? "a GPU that is here" : "what is here")};
}

namespace {

// What hides another maker's GPU may be of no account, while this runtime lacks all of its own.
bool AreToldOf(const RuntimeFacts& facts, const ToldVariables& told, const Variables& variables) {
  return !variables.empty() && std::all_of(variables.begin(), variables.end(), [&](const auto& variable) {
    const auto found = told.find(variable.name);
    return found != told.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](const std::string& maker) {
             return maker.empty() || !facts.vendor || *facts.vendor == maker;
           });
  });
}

}  // namespace

HidingRuntimes::HidingRuntimes(const Tables& tables, const Report& report, const ToldVariables& by_devices)
    : told_(by_devices) {
  for (const auto& probe : report.probes) {
    if (probe.outcome != probe::Outcome::kHidden || !Find(tables, probe.module) || IsOfDriver(probe))
      continue;
    const auto variables = HidingVariables(probe);
    const RuntimeFacts& facts = *Find(tables, probe.module);
    if (AreToldOf(facts, told_, variables)) continue;
    telling_.insert(probe.module);
    for (const auto& variable : variables) told_[variable.name].insert(facts.vendor.value_or(""));
  }
}

bool HidingRuntimes::IsToldElsewhere(const probe::ProbeReport& probe) const {
  return probe.outcome == probe::Outcome::kHidden && !telling_.contains(probe.module) &&
         AreTold(told_, HidingVariables(probe));
}

bool HidingRuntimes::IsToldElsewhere(const probe::ProbeReport& probe,
                                     const probe::DriverReport& driver) const {
  return driver.outcome == probe::Outcome::kHidden && driver.error &&
         AreTold(told_, VariablesIn(probe, Describe(*driver.error)));
}

bool IsOfDriver(const probe::ProbeReport& probe) {
  return std::any_of(probe.drivers.begin(), probe.drivers.end(),
                     [&](const auto& driver) { return driver.outcome == probe.outcome; });
}

}  // namespace report::explain
