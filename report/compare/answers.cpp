// SPDX-License-Identifier: MIT
#include <algorithm>

#include "probe/core/fields.h"
#include "report/compare/compare.h"

namespace report::compare {
namespace {

bool AreAlike(const std::optional<ReferenceRequest>& one, const std::optional<ReferenceRequest>& two) {
  if (!one || !two) return one.has_value() == two.has_value();
  return probe::Encode(*one) == probe::Encode(*two);
}

// The floor of single figures holds for what is computed of them, too.
bool Differ(const ComparedChoice& base, const ComparedChoice& other, double ratio) {
  if (ratio > 1 - kFloor && ratio < 1 / (1 - kFloor)) return false;
  if (!base.measured || !other.measured) return true;
  // These are of the whole request; in shares of it they bound the rate of writing, too.
  const auto low = [](const ComparedChoice& of) {
    return *of.tokens_per_s * of.measured->low / of.measured->value;
  };
  const auto high = [](const ComparedChoice& of) {
    return *of.tokens_per_s * of.measured->high / of.measured->value;
  };
  return high(other) < low(base) || low(other) > high(base);
}

}  // namespace

std::vector<ComparedAnswer> CompareAnswers(const MeasuredReport& base, const MeasuredReport& other) {
  std::vector<ComparedAnswer> answers;
  if (!AreAlike(base.request, other.request)) return answers;
  for (const auto& [use, choice] : base.answers) {
    const auto found = std::find_if(other.answers.begin(), other.answers.end(),
                                    [wanted = use](const auto& of) { return of.first == wanted; });
    if (found == other.answers.end()) continue;
    ComparedAnswer answer{.use = use, .base = choice, .other = found->second};
    if (choice.tokens_per_s.value_or(0) > 0 && answer.other.tokens_per_s) {
      answer.ratio = *answer.other.tokens_per_s / *choice.tokens_per_s;
      answer.differs = Differ(choice, answer.other, *answer.ratio);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace report::compare
