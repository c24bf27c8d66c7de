// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/not_measurable.h"
#include "report/core/quantity.h"
#include "report/core/unreached.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"

namespace report::recommend {
namespace {

Rejected Option(const Score& score, ReasonId id, std::string reason) {
  auto cause = score.reasons.empty() ? reason : score.reasons.front().text;
  return {score.device_id, score.runtime, score.driver, std::move(reason), std::move(cause), id};
}

// Against what was chosen or, where maturity made it win over faster ones, against the fastest of them. What
// can not be told apart is not called slower.
Rejected SlowerOption(const Report& report, const Score& score, const Score& chosen,
                      const std::vector<const Score*>& tied) {
  const auto speed = [](const Score& s) { return s.tokens_per_s->value; };
  const Score& than = speed(score) < kWhole * speed(chosen) ? chosen : *tied.front();
  const double share = speed(score) / speed(than);
  const bool unknown = share >= kWhole || IsUndecided(*tied.front(), chosen, score);
  const Score* of_unknown = score.rates_unknown                       ? &score
                            : chosen.rates_unknown && share >= kWhole ? &chosen
                                                                      : nullptr;
  const auto* device = of_unknown ? FindDevice(report.devices, of_unknown->device_id) : nullptr;
  std::string reason =
      fmt::format("{}: {}", unknown ? "not known to be faster" : "slower",
                  unknown && device ? UnknownRatesText(*device) : ComparedText(report, score, than, share));
  if (!score.reasons.empty()) reason.append("; ").append(Joined(score.reasons));
  auto option = Option(score, unknown ? ReasonId::kNotKnownFaster : ReasonId::kSlower, std::move(reason));
  option.cause = option.reason;
  option.ratio = speed(score) / speed(chosen);
  return option;
}

// What is wrong with the way itself is told beside it, and comes first where that alone rules it out.
Rejected OmittedOption(const Score& score, const Omission& omission) {
  const auto own = Joined(score.reasons);
  const bool is_by_caller = !omission.option.empty();
  auto option = Option(score, is_by_caller ? ReasonId::kLeftOut : ReasonId::kStandsOn,
                       own.empty() ? omission.reason : omission.reason + "; " + own);
  if (score.eligible) option.cause = omission.reason;
  if (is_by_caller) option.option = omission.option;
  return option;
}

void AddScored(const Report& report, Use use, const Score* chosen, const std::vector<const Score*>& tied,
               std::vector<Rejected>& out) {
  const std::set<const Score*> alike(tied.begin(), tied.end());
  for (const Score& score : report.scores) {
    if (score.use != use || &score == chosen || alike.contains(&score)) continue;
    if (const auto omission = OmissionOf(report, score)) {
      out.push_back(OmittedOption(score, *omission));
      continue;
    }
    const bool slower = score.eligible && chosen && chosen->tokens_per_s && !tied.empty();
    const auto* device = FindDevice(report.devices, score.device_id);
    const auto* view = device ? FindView(*device, score.runtime, score.driver) : nullptr;
    const auto id = view && IsSoftware(*device, *view) ? ReasonId::kSoftware : ReasonId::kUnusable;
    out.push_back(slower ? SlowerOption(report, score, *chosen, tied)
                         : Option(score, id, Joined(score.reasons)));
  }
}

// Most machines have drivers for hardware that they lack: those reject nothing.
bool IsRejected(const probe::DriverReport& driver) {
  return driver.outcome != probe::Outcome::kNoDevice && driver.outcome != probe::Outcome::kAbsent &&
         driver.outcome != probe::Outcome::kOk;
}

void AddProbed(const Tables& tables, const Report& report, std::vector<Rejected>& out) {
  for (const auto& probe : report.probes) {
    if (!Find(tables, probe.module)) continue;  // a source of hardware facts, not a way to compute
    // What became of the whole runtime by one of its drivers is told of that.
    const bool is_a_drivers = std::any_of(
        probe.drivers.begin(), probe.drivers.end(),
        [&](const auto& driver) { return IsRejected(driver) && driver.outcome == probe.outcome; });
    if (probe.outcome != probe::Outcome::kOk && !IsUntold(probe) && !is_a_drivers) {
      const auto reason = OutcomeText(tables, probe);
      out.push_back({std::nullopt, probe.module, std::nullopt, reason, reason, ReasonId::kRuntimeFailed});
    }
    for (const auto& driver : probe.drivers) {
      if (!IsRejected(driver)) continue;
      const auto reason = OutcomeText(tables, probe.module, driver);
      out.push_back(
          {std::nullopt, probe.module, DriverName(driver), reason, reason, ReasonId::kRuntimeFailed});
    }
  }
}

// What might reach a GPU here: that it is no option tells nothing of it.
void AddNotAsked(const Tables& tables, const Report& report, std::vector<Rejected>& out) {
  const auto may_reach = [](const RuntimeFacts& facts, const probe::PhysicalDevice& device) {
    const auto vendor = VendorOf(device);
    return IsGpu(device) && !facts.stands_on && (!facts.vendor || (vendor && IsOfVendor(facts, *vendor)));
  };
  for (const RuntimeFacts& facts : tables.runtimes) {
    const bool is_known = std::any_of(report.probes.begin(), report.probes.end(),
                                      [&](const auto& probe) { return probe.module == facts.name; });
    const bool has_view = std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
      return std::any_of(device.views.begin(), device.views.end(),
                         [&](const probe::View& view) { return view.device.runtime == facts.name; });
    });
    if (facts.name == kProcessorRuntime || is_known || has_view ||
        std::none_of(report.devices.begin(), report.devices.end(),
                     [&](const auto& device) { return may_reach(facts, device); }))
      continue;
    const auto reason = NotAskedText(tables, facts.name);
    out.push_back({std::nullopt, facts.name, std::nullopt, reason, reason, ReasonId::kNotAsked});
  }
}

std::string UnreachedReason(const Tables& tables, const Report& report, const probe::PhysicalDevice& device) {
  if (report.not_asked.device_ids.contains(device.id)) return "not asked: " + report.not_asked.because;
  // Of a GPU what stands between it and its runtime comes first.
  const auto why = WhyNotMeasurable(device);
  if (why && !IsGpu(device)) return ReasonText(device, *why);
  if (device.hardware) {
    for (const auto& node : device.hardware->nodes) {
      if (IsDenied(node)) return "no runtime reaches it: " + node.path + " may not be opened";
    }
    if (const auto hiding = HidingVariables(report, device); !hiding.empty())
      return "hidden by " + SettingText(hiding);
    if (const auto driver = HeldForGuest(device)) return "held for a virtual machine by " + *driver;
  }
  if (const auto cause = CauseOf(tables, device)) return "no runtime reaches it: " + cause->error.text;
  if (why) return (why->runtime ? "no runtime reaches it: " : "") + ReasonText(device, *why);
  if (device.hardware && !device.hardware->kernel_driver)
    return "no runtime reaches it: no kernel driver is bound to it";
  if (const auto failure = FailureOfMakers(tables, report, device))
    return "no runtime reaches it: " + FailureText(tables, *failure);
  return "no runtime reaches it";
}

void AddUnreached(const Tables& tables, const Report& report, std::vector<Rejected>& out) {
  const auto parents = ParentIds(report.devices);
  for (const auto& device : report.devices) {
    const bool is_reached = !device.views.empty() || IsUsedByParts(parents, device);
    if (is_reached || device.kind == probe::DeviceKind::kCpu) continue;
    const auto reason = UnreachedReason(tables, report, device);
    const auto id =
        report.not_asked.device_ids.contains(device.id) ? ReasonId::kNotAsked : ReasonId::kUnreached;
    out.push_back({device.id, std::nullopt, std::nullopt, reason, reason, id});
  }
}

}  // namespace

std::string WayText(const Report& report, const Score& score) {
  return fmt::format("{} on {}", RuntimeName(report.devices, score.device_id, score.runtime, score.driver),
                     DeviceName(report.devices, score.device_id));
}

std::string ComparedText(const Report& report, const Score& score, const Score& than, double share) {
  const bool same_device = score.device_id == than.device_id;
  const auto name = same_device ? RuntimeName(report.devices, than.device_id, than.runtime, than.driver)
                                : WayText(report, than);
  const bool estimated = score.basis == Basis::kEstimated;
  if (share >= kWhole) {
    const auto* like = estimated     ? "is estimated equal to"
                       : same_device ? "measures like"
                                     : "should be as fast as";
    return fmt::format("it {} {}", like, name);
  }
  const auto* reaches = estimated ? "is estimated at" : same_device ? "measures" : "should reach";
  return fmt::format("it {} {} of the speed of {}", reaches, PercentText(share), name);
}

std::vector<Rejected> RejectedOptions(const Tables& tables, const Report& report, Use use,
                                      const Score* chosen, const std::vector<const Score*>& tied) {
  std::vector<Rejected> out;
  AddScored(report, use, chosen, tied, out);
  AddUnreached(tables, report, out);
  AddProbed(tables, report, out);
  AddNotAsked(tables, report, out);
  return out;
}

}  // namespace report::recommend
