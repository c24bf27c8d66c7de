// SPDX-License-Identifier: MIT
#include <algorithm>

#include "report/core/devices.h"
#include "report/decide/decide.h"

namespace report {
namespace {

// How far the best that facts tell of a way has to be from the least that was measured of the answer. Facts
// alone are within a factor of two of what processors and cards measured (docs/score.md); this is its square.
constexpr double kFar = 4.0;

const Score* ScoreOf(const Report& report, Use use, const WayKey& way) {
  const auto found = std::find_if(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.use == use && score.device_id == way.device_id && score.runtime == way.runtime &&
           score.driver == way.driver;
  });
  return found == report.scores.end() ? nullptr : &*found;
}

bool IsFarBehind(const Report& report, const WayKey& way, const Score& answer) {
  const Score* score = ScoreOf(report, answer.use, way);
  if (!score || !score->tokens_per_s) return false;
  const bool is_answer = score == &answer;
  const bool has_part = answer.rest && answer.rest->device_id == way.device_id;
  return !is_answer && !has_part && kFar * score->tokens_per_s->high < answer.tokens_per_s->low;
}

}  // namespace

bool StandsWithout(const std::vector<WayKey>& ways, const Report& report, const std::vector<Use>& uses) {
  return std::all_of(uses.begin(), uses.end(), [&](Use use) {
    const auto answer = std::find_if(report.recommendations.begin(), report.recommendations.end(),
                                     [&](const Recommendation& one) { return one.use == use; });
    if (answer == report.recommendations.end() || answer->confidence == Confidence::kLow) return false;
    const Score* score =
        ScoreOf(report, use, {answer->device_id, answer->backend, answer->driver.value_or("")});
    if (!score || !score->tokens_per_s || !score->fits.value_or(true) || score->basis == Basis::kEstimated)
      return false;
    return std::all_of(ways.begin(), ways.end(),
                       [&](const WayKey& way) { return IsFarBehind(report, way, *score); });
  });
}

bool IsSettledWithout(const WayKey& way, const RunRequest& request, const Tables& tables, Record so_far,
                      const Asked& asked) {
  if (so_far.measurements.empty()) return false;
  so_far.settled_without = {way};
  // Runs that ask otherwise are answered by the same figures.
  RunRequest whole = request;
  whole.terms = {};
  const auto stands = [&](const RunRequest& one) {
    return StandsWithout(*so_far.settled_without, Decide(one, tables, so_far, asked), one.uses);
  };
  return stands(whole) && stands(request);
}

}  // namespace report
