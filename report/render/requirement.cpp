// SPDX-License-Identifier: MIT
// Whether the answer is what --require asks for, and why it is not.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/tables.h"
#include "report/core/wording.h"
#include "report/render/faces.h"

namespace report::render {
namespace {

// The answer is by a way that this tool did not see, and no program is named that would bring it.
bool IsUnseen(const Report& report) {
  const auto& answer = report.recommendations.front();
  const auto* device = FindDevice(report.devices, answer.device_id);
  const auto* view = device ? FindView(*device, answer.backend, answer.driver.value_or("")) : nullptr;
  return !report.terms.target && view && IsSupposed(*view);
}

// The answer is of the kind that is required.
bool IsOfRequired(const Report& report, const std::string& requirement) {
  const auto& answer = report.recommendations.front();
  if (requirement != "gpu") return answer.backend == requirement;
  return std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
    return device.id == answer.device_id && device.kind != probe::DeviceKind::kCpu;
  });
}

// What was not taken and would have met the requirement: of "gpu" a way to any.
bool WouldMeet(const Report& report, const Rejected& option, const std::string& requirement) {
  if (requirement != "gpu") return option.runtime == requirement;
  return option.runtime && std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
           return device.id == option.device_id && device.kind != probe::DeviceKind::kCpu;
         });
}

// Of what was weighed and is slower, with the figures of both: "vulkan on GT 1030 is slower: ... (4.1 and
// 9.8 tokens/s)"; of any other the reason as it is.
std::string WhyRejected(const Report& report, const Rejected& option) {
  const auto& answer = report.recommendations.front();
  if (option.id != ReasonId::kSlower && option.id != ReasonId::kNotKnownFaster) return option.reason;
  const auto score = std::find_if(report.scores.begin(), report.scores.end(), [&](const auto& one) {
    return one.use == answer.use && one.device_id == option.device_id && one.runtime == option.runtime &&
           one.driver == option.driver;
  });
  if (score == report.scores.end() || !score->tokens_per_s || !answer.tokens_per_s) return option.reason;
  return fmt::format("{} on {} is {} ({} and {} tokens/s)", score->runtime,
                     DeviceName(report.devices, score->device_id), option.reason,
                     TokensText(score->tokens_per_s->value), TokensText(answer.tokens_per_s->value));
}

// Of a runtime for the GPUs of a maker who has none here, as far as anybody looked. What stands on others
// reaches what those do.
bool LacksItsMaker(const Report& report, const RuntimeFacts& facts) {
  if (!facts.vendor || facts.stands_on || !WhyNotLooked(report).empty()) return false;
  return std::none_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
    const auto vendor = VendorOf(device);
    return IsGpu(device) && vendor && IsOfVendor(facts, *vendor);
  });
}

// Of a runtime that reaches no device here: whose GPUs it is for, where none is here, or what became of it.
// Empty of one that does: then the answer's own reasons compare with it.
std::string WhyNotThere(const Tables& tables, const Report& report, const std::string& runtime) {
  const auto* facts = Find(tables, runtime);
  const bool reaches_one = std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
    return std::any_of(device.views.begin(), device.views.end(),
                       [&](const auto& view) { return view.device.runtime == runtime; });
  });
  if (!facts || reaches_one) return "";
  const auto probe = std::find_if(report.probes.begin(), report.probes.end(),
                                  [&](const auto& one) { return one.module == runtime; });
  const bool is_known = probe != report.probes.end();
  // What is said of a described machine says as much.
  const bool is_said = is_known && (IsUntold(*probe) || IsLeftOut(*probe));
  if (is_said || !LacksItsMaker(report, *facts))
    return is_known ? OutcomeText(tables, *probe) : NotAskedText(tables, runtime);
  const auto vendor = probe::ParseNumber<std::uint32_t>(*facts->vendor, 16).value_or(0);
  return fmt::format("{} is for GPUs of {}, and none is in this machine", facts->title,
                     probe::VendorName(vendor));
}

}  // namespace

bool Meets(const Report& report, const std::string& requirement) {
  return !report.recommendations.empty() && IsOfRequired(report, requirement) && !IsUnseen(report);
}

std::string UnmetText(const Tables& tables, const Report& report, const std::string& requirement) {
  if (report.recommendations.empty()) return fmt::format("required {}, got no answer", requirement);
  const auto& answer = report.recommendations.front();
  if (IsUnseen(report) && IsOfRequired(report, requirement))
    return fmt::format("required {}, and nothing showed that {} works here", requirement, answer.backend);
  const auto rejected = std::find_if(answer.rejected.begin(), answer.rejected.end(), [&](const auto& option) {
    return WouldMeet(report, option, requirement);
  });
  auto reason = rejected != answer.rejected.end() ? WhyRejected(report, *rejected)
                                                  : WhyNotThere(tables, report, requirement);
  if (reason.empty() && !answer.reasons.empty()) reason = answer.reasons.front().text;
  return fmt::format("required {}, got {}{}{}", requirement, answer.backend, reason.empty() ? "" : ": ",
                     reason);
}

}  // namespace report::render
