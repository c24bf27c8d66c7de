// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/core/clean.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/render/bound.h"
#include "report/render/faces.h"
#include "report/render/page.h"

namespace report::render {
std::string Token(const Recommendation& recommendation) {
  const auto& token = recommendation.backend;
  const bool plain = !token.empty() && std::all_of(token.begin(), token.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain ? token : "unknown";
}

std::string NoAnswerText(const NoAnswer& none) {
  return fmt::format("no answer for {}: {}", none.asked, none.reason);
}

namespace {

void AddRejected(const Report& report, const std::vector<Rejected>& rejected, Page& page) {
  for (const auto& option : rejected) {
    const auto name =
        option.runtime && option.device_id
            ? WayName(report.devices, *option.device_id, *option.runtime, option.driver.value_or(""))
        : option.runtime ? *option.runtime
                         : option.device_id.value_or("");
    page.Add(page.signs().cross, Style::kBad)
        .Add(" ")
        .Flow(fmt::format("not {}: {}", name, option.reason), 3);
  }
}

}  // namespace

std::string Why(const Report& dirty, const TerminalOptions& options) {
  constexpr std::size_t kLongestText = 400;
  const Report report = Cleaned(Bounded(dirty), kLongestText);
  Page page(options);
  if (report.no_answer) {
    page.Flow(NoAnswerText(*report.no_answer), 2, Style::kStrong);
    AddRejected(report, report.no_answer->rejected, page);
  }
  if (report.recommendations.empty()) return page.text();
  const auto& answer = report.recommendations.front();
  page.Flow(
      fmt::format("{} on {} ({}), confidence {}",
                  RuntimeName(report.devices, answer.device_id, answer.backend, answer.driver.value_or("")),
                  DeviceName(report.devices, answer.device_id), probe::NameOf(answer.basis),
                  probe::NameOf(answer.confidence)),
      2, Style::kStrong);
  if (answer.artefact) {
    const auto& artefact = *answer.artefact;
    page.Flow(fmt::format("{}'s {} ({}; {})", answer.target.value_or(""), artefact.id, artefact.source,
                          artefact.date),
              2);
    if (artefact.note) page.Flow(*artefact.note, 2);
    for (const std::string& missing : artefact.missing) page.Flow("it needs: " + missing, 2);
  }
  const auto because = [&](const std::string& reason) {
    page.Add(page.signs().arrow, Style::kGood).Add(" ").Flow(reason, 3);
  };
  for (const auto& reason : answer.reasons) because(reason);
  if (answer.arithmetic) because(*answer.arithmetic);
  for (const auto& warning : answer.warnings)
    page.Add(page.signs().warning, Style::kFair).Add(" ").Flow(warning, 3);
  AddRejected(report, answer.rejected, page);
  return page.text();
}

MachineCode ExitCodeOf(const Report& report) {
  if (report.other_gpus == OtherGpus::kNone &&
      std::none_of(report.devices.begin(), report.devices.end(), IsGpu))
    return !report.hidden_gpus.empty()    ? MachineCode::kUnusableGpu
           : WhyNotLooked(report).empty() ? MachineCode::kNoGpu
                                          : MachineCode::kGpuNotAsked;
  const bool asked = std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
    return IsGpu(device) && !report.not_asked.device_ids.contains(device.id);
  });
  const bool one_was_left_out = !report.not_asked.device_ids.empty();
  if (!asked && (one_was_left_out || report.other_gpus != OtherGpus::kUnusable))
    return MachineCode::kGpuNotAsked;
  const bool usable = std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    const bool ran = score.basis == Basis::kMeasured || score.basis == Basis::kCached;
    return score.eligible && ran && device && IsGpu(*device);
  });
  return usable ? MachineCode::kUsableGpu : MachineCode::kUnusableGpu;
}

}  // namespace report::render
