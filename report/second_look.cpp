// SPDX-License-Identifier: MIT
#include "report/second_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "backends/core/statistics.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/recommend/recommend.h"
#include "report/score/rates.h"

namespace report {
namespace {

using backends::Measurement;

bool MayCompete(const Target& target) {
  return target.peers.empty() && target.device.kind != probe::DeviceKind::kSoftware;
}

// Which of the planned targets the score is of; nullptr where it was none.
const Target* TargetOf(const Report& report, const Score& score, const std::vector<Target>& planned) {
  const auto* device = FindDevice(report.devices, score.device_id);
  if (device == nullptr) return nullptr;
  const auto view = std::find_if(device->views.begin(), device->views.end(), [&](const probe::View& known) {
    return known.device.runtime == score.runtime && known.device.driver == score.driver;
  });
  const auto index = static_cast<std::size_t>(view - device->views.begin());
  const auto found = std::find_if(planned.begin(), planned.end(), [&](const Target& target) {
    return MayCompete(target) && target.device_id == score.device_id && target.view == index;
  });
  return found == planned.end() ? nullptr : &*found;
}

void AddFigures(const Report& report, const Score& score, std::vector<backends::Figure>& figures) {
  const auto measured = MeasurementsOf(report.measurements, score.device_id, score.runtime, score.driver);
  for (const Measurement* m : score::DecidingFigures(measured, score.use)) {
    const backends::Figure figure{m->kernel, m->in_dtype, m->acc_dtype};
    if (std::find(figures.begin(), figures.end(), figure) == figures.end()) figures.push_back(figure);
  }
}

// The fastest of the ways whose order is open and the next that is not the same way to an equal device: what
// those differ in is chance. Empty where there is none.
std::vector<const Score*> Leaders(const Report& report, Use use) {
  const auto open = recommend::OpenScores(report, use);
  if (open.empty()) return {};
  const auto is_equal = [&](const Score* score) {
    const auto* a = FindDevice(report.devices, score->device_id);
    const auto* b = FindDevice(report.devices, open.front()->device_id);
    return score->runtime == open.front()->runtime && score->driver == open.front()->driver && a && b &&
           AreEqualGpus(*a, *b);
  };
  const auto next = std::find_if_not(open.begin() + 1, open.end(), is_equal);
  if (next == open.end()) return {};
  return {open.front(), *next};
}

// The target of a second look at what `first` is of, added where it is not there.
Target& Again(const Target& first, std::vector<Target>& targets) {
  for (Target& known : targets) {
    if (known.device_id == first.device_id && known.view == first.view) return known;
  }
  Target& added = targets.emplace_back(first);
  added.scope = backends::Scope::kAgain;
  added.figures.clear();
  return added;
}

// As scoring reads it: of the rate, whichever batch that is of.
Range RangeOf(const Measurement& m) {
  constexpr std::array<double, 2> kUnknown = {1 - score::kUnknownSpread, 1 + score::kUnknownSpread};
  const auto ci = m.ci95.value_or(kUnknown);
  return {*m.rate, *m.rate * std::min(ci[0], 1.0), *m.rate * std::max(ci[1], 1.0)};
}

double Width(const Measurement& m) {
  const Range range = RangeOf(m);
  return range.high / range.low;
}

Measurement Merged(const Measurement& one, const Measurement& other) {
  const bool first_is_narrower = Width(one) <= Width(other);
  Measurement merged = first_is_narrower ? one : other;
  const Range kept = RangeOf(merged);
  const Range second = RangeOf(first_is_narrower ? other : one);
  if (kept.low <= second.high && second.low <= kept.high) return merged;
  const auto low = std::min(kept.low, second.low) / kept.value;
  const auto high = std::max(kept.high, second.high) / kept.value;
  merged.ci95 = {{low, high}};
  const double spread = std::max(1 - low, high - 1);
  if (spread > backends::kGoodSpread && merged.quality != backends::Quality::kNoisy)
    merged.quality = spread > backends::kFairSpread ? backends::Quality::kNoisy : backends::Quality::kFair;
  AddReason(merged, fmt::format("measured twice, {} and {}: it is not steady", RateText(*one.rate, one.unit),
                                RateText(*other.rate, other.unit)));
  return merged;
}

auto KernelOf(const Measurement& m) {
  return std::tie(m.device_id, m.runtime, m.driver, m.manifest, m.kernel, m.implementation, m.in_dtype,
                  m.acc_dtype);
}

}  // namespace

double KeepForSecondLook(std::vector<Target>& targets) {
  // Equal devices have an equal's figures to go by, and hardly any time.
  const auto gives = [](const Target& target) {
    return MayCompete(target) && target.scope != backends::Scope::kBrief;
  };
  if (std::count_if(targets.begin(), targets.end(), gives) < 2) return 0;
  double kept_s = 0;
  for (Target& target : targets) {
    if (!gives(target)) continue;
    kept_s += target.budget_s * kSecondLookShare;
    target.budget_s *= 1 - kSecondLookShare;
  }
  return kept_s;
}

std::vector<Target> PlanSecondLook(const Report& report, const std::vector<Target>& planned, double left_s) {
  std::vector<Target> targets;
  for (const Recommendation& answer : report.recommendations) {
    const auto leaders = Leaders(report, answer.use);
    std::vector<const Target*> found(leaders.size());
    std::transform(leaders.begin(), leaders.end(), found.begin(),
                   [&](const Score* score) { return TargetOf(report, *score, planned); });
    if (std::find(found.begin(), found.end(), nullptr) != found.end()) continue;
    for (std::size_t i = 0; i < leaders.size(); ++i)
      AddFigures(report, *leaders[i], Again(*found[i], targets).figures);
  }
  const double each_s = targets.empty() ? 0 : left_s / static_cast<double>(targets.size());
  if (each_s < kLeastSecondLookSeconds) return {};
  for (Target& target : targets) target.budget_s = each_s;
  return targets;
}

void MergeSecondLook(const std::vector<Measurement>& second, std::vector<Measurement>& first) {
  for (const Measurement& again : second) {
    const bool wrong = again.status == backends::MeasurementStatus::kWrongResult;
    if (!wrong && !IsVerified(again)) continue;
    for (Measurement& known : first) {
      if (!IsVerified(known) || KernelOf(known) != KernelOf(again)) continue;
      if (wrong) {
        known = again;
      } else if (known.shape == again.shape) {
        known = Merged(known, again);
      }
    }
  }
}

}  // namespace report
