// SPDX-License-Identifier: MIT
#include "report/core/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "report/core/clean.h"
#include "report/core/quantity.h"
#include "report/render/compared.h"
#include "report/render/faces.h"
#include "report/render/page.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

constexpr std::array kGroups = {VerdictGroup{Verdict::kFailed, "Failing", Style::kBad, true},
                                VerdictGroup{Verdict::kSlower, "Slower", Style::kBad, true},
                                VerdictGroup{Verdict::kFaster, "Faster", Style::kGood, true},
                                VerdictGroup{Verdict::kMissing, "Missing", Style::kFair, true},
                                VerdictGroup{Verdict::kMissing, "New", Style::kGood, true, true},
                                VerdictGroup{Verdict::kNoisy, "Too noisy to say", Style::kFair, false},
                                VerdictGroup{Verdict::kSame, "The same", Style::kPlain, false}};

std::size_t Count(const Comparison& comparison, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [&](const ComparedRow& row) { return row.verdict == verdict; }));
}

std::string ChangeText(const ComparedRow& row, std::string_view arrow) {
  std::string change =
      fmt::format("{} {} {}", ValueText(row.base, row.unit), arrow, ValueText(row.other, row.unit));
  if (row.ratio) change += fmt::format(" ({})", PercentChange(*row.ratio));
  if (row.reason) change += ", " + *row.reason;
  return change;
}

void Row(const ComparedRow& row, Style style, Page& page) {
  page.To(2).Add(fmt::format("{} on {}: {}", row.runtime, row.device_id, row.figure));
  const std::string change = ChangeText(row, page.signs().arrow);
  constexpr int kBeside = 48;
  if (page.width() - kBeside >= DisplayWidth(change) && page.column() < kBeside) {
    page.To(kBeside).Add(change, style);
    return page.End();
  }
  page.End();
  page.To(4).Flow(change, 6, style);
}

std::string AllText(std::size_t figures) {
  return figures == 1 ? "the one figure is" : fmt::format("all {} figures are", figures);
}

std::string RegressionText(std::size_t failed, std::size_t slower, std::size_t in_both) {
  std::string text;
  if (failed > 0) {
    text = fmt::format("{} verified in the first {} in the second",
                       failed == 1 ? "1 figure" : fmt::format("{} figures", failed),
                       failed == 1 ? "fails" : "fail");
  }
  if (slower > 0) {
    text += fmt::format("{}{} of {} figures {} slower, beyond both spreads", failed > 0 ? "; " : "", slower,
                        in_both, slower == 1 ? "is" : "are");
  }
  return text;
}

// "; 13 of the first are not in the second"
std::string GoneText(const Comparison& comparison) {
  const auto gone = std::count_if(comparison.rows.begin(), comparison.rows.end(), [](const ComparedRow& row) {
    return row.verdict == Verdict::kMissing && row.base;
  });
  if (gone == 0) return "";
  return fmt::format("; {} of the first {} not in the second", gone, gone == 1 ? "is" : "are");
}

}  // namespace

std::span<const VerdictGroup> VerdictGroups() { return kGroups; }

bool IsIn(const VerdictGroup& group, const ComparedRow& row) {
  return row.verdict == group.verdict &&
         (row.verdict != Verdict::kMissing || group.is_new == !row.base.has_value());
}

std::string ValueText(const std::optional<double>& value, const std::string& unit) {
  return value ? RateText(*value, unit) : "-";
}

std::string PercentChange(double ratio) {
  return fmt::format("{}{} %", ratio >= 1 ? "+" : "", SignificantText((ratio - 1) * 100, 2));
}

namespace {

std::string SpeedText(const ComparedChoice& choice, std::string_view dash) {
  if (choice.alone) return TokensRangeText(*choice.alone, dash);
  return choice.tokens_per_s ? TokensText(*choice.tokens_per_s) : "?";
}

// "still cuda on RTX 4090", "now vulkan in the place of cuda, on RTX 4090"
std::string ChoiceText(const ComparedAnswer& answer) {
  const auto& [backend, device_id, device, speed, alone, measured] = answer.other;
  // Another card may stand in one's place.
  const bool same_device = answer.base.device_id == device_id && answer.base.device == device;
  if (same_device && answer.base.backend == backend) return fmt::format("still {} on {}", backend, device);
  if (same_device)
    return fmt::format("now {} in the place of {}, on {}", backend, answer.base.backend, device);
  return fmt::format("now {} on {}, where it was {} on {}", backend, device, answer.base.backend,
                     answer.base.device);
}

// "writes 119 -> 84 tokens/s (-29 %)"
std::string ChangeText(const ComparedAnswer& answer, std::string_view arrow, std::string_view dash) {
  const auto verb = answer.use == Use::kTraining ? "trains" : "writes";
  const auto before = SpeedText(answer.base, dash);
  const auto after = SpeedText(answer.other, dash);
  if (before == after) return fmt::format("{} {} tokens/s as before", verb, after);
  auto text = fmt::format("{} {} {} {} tokens/s", verb, before, arrow, after);
  if (answer.ratio)
    text +=
        fmt::format(" ({}{})", PercentChange(*answer.ratio), *answer.differs ? "" : ", as runs may differ");
  return text;
}

}  // namespace

std::vector<MeaningLine> Meanings(const Comparison& comparison, std::string_view arrow,
                                  std::string_view dash) {
  std::vector<MeaningLine> lines;
  for (const ComparedAnswer& answer : comparison.answers) {
    std::string text = ChoiceText(answer);
    if (answer.base.tokens_per_s || answer.other.tokens_per_s)
      text = fmt::format("{}, {}", ChangeText(answer, arrow, dash), text);
    lines.push_back({std::move(text), answer.differs.value_or(false) ? Style::kStrong : Style::kPlain});
  }
  if (!lines.empty() && comparison.base.tool_version != comparison.other.tool_version)
    lines.push_back({fmt::format("predicted by versions {} and {}, which may not reckon alike",
                                 comparison.base.tool_version, comparison.other.tool_version),
                     Style::kDim});
  return lines;
}

std::string VerdictText(const Comparison& comparison) {
  const auto failed = Count(comparison, Verdict::kFailed);
  const auto slower = Count(comparison, Verdict::kSlower);
  const auto noisy = Count(comparison, Verdict::kNoisy);
  const auto in_both = comparison.rows.size() - Count(comparison, Verdict::kMissing) - failed;
  if (comparison.rows.empty()) return "Nothing to compare: neither report holds a verified figure";
  if (failed + slower > 0) return RegressionText(failed, slower, in_both) + GoneText(comparison);
  if (!comparison.conclusive) {
    const auto which = noisy == comparison.rows.size() ? "too noisy"
                       : noisy == 0                    ? "in one report alone"
                                                       : "too noisy or in one report alone";
    return fmt::format("Cannot tell: {} {}{}", AllText(comparison.rows.size()), which, GoneText(comparison));
  }
  return fmt::format("No regression in {} figures{}{}", in_both,
                     noisy > 0 ? fmt::format(", {} of them too noisy to say", noisy) : "",
                     GoneText(comparison));
}

std::string ComparedText(const Comparison& comparison) {
  return fmt::format("from {} ({}) to {} ({})", comparison.base.file, comparison.base.created,
                     comparison.other.file, comparison.other.created);
}

std::string ComparisonText(const Comparison& comparison, const TerminalOptions& options) {
  const Comparison clean = Cleaned(comparison, kLongestShownBytes);
  Page page(options);
  page.Flow(VerdictText(clean), 2, Style::kStrong);
  page.Flow(ComparedText(clean), 2, Style::kDim);
  for (const std::string& note : clean.notes)
    page.To(0).Add(page.signs().warning, Style::kFair).Add(" ").Flow(note, 2);
  for (const VerdictGroup& group : kGroups) {
    const auto is_in = [&](const ComparedRow& row) { return IsIn(group, row); };
    if (std::none_of(clean.rows.begin(), clean.rows.end(), is_in) || !(group.shown || options.verbose))
      continue;
    Heading(page, group.title, "");
    for (const auto& row : clean.rows) {
      if (is_in(row)) Row(row, group.style, page);
    }
  }
  if (const auto lines = Meanings(clean, page.signs().arrow, page.signs().dash); !lines.empty()) {
    Heading(page, "What it means", "");
    for (const auto& [text, style] : lines) page.To(2).Flow(text, 4, style);
  }
  return page.text();
}

probe::Json ComparisonObject(const Comparison& comparison) { return probe::Encode(Cleaned(comparison)); }

std::string ComparisonJson(const Comparison& comparison) {
  return probe::ToText(ComparisonObject(comparison), 2) + "\n";
}

}  // namespace report::render
