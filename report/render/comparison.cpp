// SPDX-License-Identifier: MIT
#include "report/core/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "report/core/clean.h"
#include "report/core/quantity.h"
#include "report/render/faces.h"
#include "report/render/page.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

struct Group {
  Verdict verdict;
  std::string_view title;
  Style style;
  bool shown;           // without --verbose
  bool is_new = false;  // of what is in one report alone: in the second
};
constexpr std::array kGroups = {Group{Verdict::kFailed, "Failing", Style::kBad, true},
                                Group{Verdict::kSlower, "Slower", Style::kBad, true},
                                Group{Verdict::kFaster, "Faster", Style::kGood, true},
                                Group{Verdict::kMissing, "Missing", Style::kFair, true},
                                Group{Verdict::kMissing, "New", Style::kGood, true, true},
                                Group{Verdict::kNoisy, "Too noisy to say", Style::kFair, false},
                                Group{Verdict::kSame, "The same", Style::kPlain, false}};

std::size_t Count(const Comparison& comparison, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [&](const ComparedRow& row) { return row.verdict == verdict; }));
}

bool IsIn(const Group& group, const ComparedRow& row) {
  return row.verdict == group.verdict &&
         (row.verdict != Verdict::kMissing || group.is_new == !row.base.has_value());
}

std::string Value(const std::optional<double>& value, const std::string& unit) {
  return value ? RateText(*value, unit) : "-";
}

void Row(const ComparedRow& row, Style style, Page& page) {
  page.To(2).Add(fmt::format("{} on {}: {}", row.runtime, row.device_id, row.figure));
  std::string change =
      fmt::format("{} {} {}", Value(row.base, row.unit), page.signs().arrow, Value(row.other, row.unit));
  if (row.ratio)
    change +=
        fmt::format(" ({}{} %)", *row.ratio >= 1 ? "+" : "", SignificantText((*row.ratio - 1) * 100, 2));
  if (row.reason) change += ", " + *row.reason;
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

void Verdicts(const Comparison& comparison, Page& page) {
  const auto failed = Count(comparison, Verdict::kFailed);
  const auto slower = Count(comparison, Verdict::kSlower);
  const auto noisy = Count(comparison, Verdict::kNoisy);
  const auto in_both = comparison.rows.size() - Count(comparison, Verdict::kMissing) - failed;
  if (comparison.rows.empty()) {
    page.Flow("Nothing to compare: neither report holds a verified figure", 2, Style::kStrong);
  } else if (failed + slower > 0) {
    page.Flow(RegressionText(failed, slower, in_both) + GoneText(comparison), 2, Style::kStrong);
  } else if (!comparison.conclusive) {
    const auto which = noisy == comparison.rows.size() ? "too noisy"
                       : noisy == 0                    ? "in one report alone"
                                                       : "too noisy or in one report alone";
    page.Flow(
        fmt::format("Cannot tell: {} {}{}", AllText(comparison.rows.size()), which, GoneText(comparison)), 2,
        Style::kStrong);
  } else {
    page.Flow(fmt::format("No regression in {} figures{}{}", in_both,
                          noisy > 0 ? fmt::format(", {} of them too noisy to say", noisy) : "",
                          GoneText(comparison)),
              2, Style::kStrong);
  }
  page.Flow(fmt::format("from {} ({}) to {} ({})", comparison.base.file, comparison.base.created,
                        comparison.other.file, comparison.other.created),
            2, Style::kDim);
  for (const std::string& note : comparison.notes)
    page.To(0).Add(page.signs().warning, Style::kFair).Add(" ").Flow(note, 2);
}

std::string SpeedText(const ComparedChoice& choice) {
  return choice.tokens_per_s ? TokensText(*choice.tokens_per_s) : "?";
}

// "still cuda on RTX 4090", "now vulkan in the place of cuda, on RTX 4090"
std::string ChoiceText(const ComparedAnswer& answer) {
  const auto& [backend, device_id, device, speed, measured] = answer.other;
  const bool same_device = answer.base.device_id == device_id;
  if (same_device && answer.base.backend == backend) return fmt::format("still {} on {}", backend, device);
  if (same_device)
    return fmt::format("now {} in the place of {}, on {}", backend, answer.base.backend, device);
  return fmt::format("now {} on {}, where it was {} on {}", backend, device, answer.base.backend,
                     answer.base.device);
}

// "writes 119 -> 84 tokens/s (-29 %)"
std::string ChangeText(const ComparedAnswer& answer, std::string_view arrow) {
  const auto verb = answer.use == Use::kTraining ? "trains" : "writes";
  const auto before = SpeedText(answer.base);
  const auto after = SpeedText(answer.other);
  if (before == after) return fmt::format("{} {} tokens/s as before", verb, after);
  auto text = fmt::format("{} {} {} {} tokens/s", verb, before, arrow, after);
  if (answer.ratio)
    text += fmt::format(" ({}{} %{})", *answer.ratio >= 1 ? "+" : "",
                        SignificantText((*answer.ratio - 1) * 100, 2),
                        *answer.differs ? "" : ", as runs may differ");
  return text;
}

// What the figures come to: "writes 119 -> 84 tokens/s (-29 %), still cuda on RTX 4090".
void Meaning(const Comparison& comparison, Page& page) {
  if (comparison.answers.empty()) return;
  Heading(page, "What it means", "");
  for (const ComparedAnswer& answer : comparison.answers) {
    std::string text = ChoiceText(answer);
    if (answer.base.tokens_per_s || answer.other.tokens_per_s)
      text = fmt::format("{}, {}", ChangeText(answer, page.signs().arrow), text);
    page.To(2).Flow(text, 4, answer.differs.value_or(false) ? Style::kStrong : Style::kPlain);
  }
  if (comparison.base.tool_version != comparison.other.tool_version)
    page.To(2).Flow(fmt::format("predicted by versions {} and {}, which may not reckon alike",
                                comparison.base.tool_version, comparison.other.tool_version),
                    4, Style::kDim);
}

}  // namespace

std::string ComparisonText(const Comparison& comparison, const TerminalOptions& options) {
  const Comparison clean = Cleaned(comparison, 400);
  Page page(options);
  Verdicts(clean, page);
  for (const Group& group : kGroups) {
    const auto is_in = [&](const ComparedRow& row) { return IsIn(group, row); };
    if (std::none_of(clean.rows.begin(), clean.rows.end(), is_in) || !(group.shown || options.verbose))
      continue;
    Heading(page, group.title, "");
    for (const auto& row : clean.rows) {
      if (is_in(row)) Row(row, group.style, page);
    }
  }
  Meaning(clean, page);
  return page.text();
}

std::string ComparisonJson(const Comparison& comparison) {
  return probe::ToText(probe::Encode(Cleaned(comparison)), 2) + "\n";
}

}  // namespace report::render
