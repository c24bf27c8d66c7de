// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "report/core/device_peak.h"
#include "report/core/devices.h"
#include "report/decide/decide.h"
#include "report/peaks/peaks.h"
#include "report/recommend/recommend.h"

namespace report {
namespace {

// How far the best that facts tell of a way has to be from the least that was measured of the answer.

// Of a card whose own peaks are known: kernels do not exceed those.
constexpr double kFar = 4.0;
// Of a processor, whose memory channels nobody tells: estimates take 40 GB/s, a thread reads hardly more, and
// servers reach twenty times that.
constexpr double kFarthest = 20.0;

// nullopt where facts are those of a common card: it may be any.
std::optional<double> FarFor(const Report& report, const WayKey& way) {
  const auto* device = FindDevice(report.devices, way.device_id);
  const auto* view = device ? FindView(*device, way.runtime, way.driver) : nullptr;
  if (!view) return std::nullopt;
  // Drivers of one name can not be told apart before they are measured.
  const auto is_same = [&](const probe::View& other) {
    return other.device.runtime == way.runtime && other.device.manifest != view->device.manifest;
  };
  if (std::any_of(device->views.begin(), device->views.end(), is_same)) return std::nullopt;
  if (device->kind == probe::DeviceKind::kCpu) {
    const auto* processor =
        device->hardware && device->hardware->processor ? &*device->hardware->processor : nullptr;
    const auto threads = processor ? processor->threads : std::nullopt;
    return threads ? std::clamp(static_cast<double>(*threads), kFar, kFarthest) : kFarthest;
  }
  if (!peaks::HasOwnRates(EmbeddedPeaks(), *device, view->device)) return std::nullopt;
  return kFar;
}

bool IsFarBehind(const Report& report, const WayKey& way, const Score& answer) {
  const Score* score = FindScore(report, answer.use, way.device_id, way.runtime, way.driver);
  if (!score || !score->tokens_per_s) return false;
  const bool is_answer = score == &answer;
  const bool has_part = answer.rest && answer.rest->device_id == way.device_id;
  const auto far = FarFor(report, way);
  return far && !is_answer && !has_part && *far * score->tokens_per_s->high < answer.tokens_per_s->low;
}

bool YieldsToAnother(const Report& report, const WayKey& way, Use use) {
  const Score* score = FindScore(report, use, way.device_id, way.runtime, way.driver);
  return score && recommend::StandsOnAnother(report, *score);
}

}  // namespace

bool StandsWithout(const std::vector<WayKey>& ways, const Report& report, const std::vector<Use>& uses) {
  return std::all_of(uses.begin(), uses.end(), [&](Use use) {
    const auto answer = std::find_if(report.recommendations.begin(), report.recommendations.end(),
                                     [&](const Recommendation& one) { return one.use == use; });
    if (answer == report.recommendations.end() || answer->confidence == Confidence::kLow) return false;
    const Score* score = ScoreOf(report, *answer);
    if (!score || !score->tokens_per_s || !score->fits.value_or(true) || score->basis == Basis::kEstimated)
      return false;
    return std::all_of(ways.begin(), ways.end(), [&](const WayKey& way) {
      return IsFarBehind(report, way, *score) || YieldsToAnother(report, way, use);
    });
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
