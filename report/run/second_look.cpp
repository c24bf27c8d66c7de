// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "backends/core/statistics.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/recommend/recommend.h"
#include "report/run/calibrate.h"
#include "report/score/score.h"

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

std::vector<backends::Figure> FiguresOf(const Tables& tables, const Report& report, const Score& score) {
  std::vector<backends::Figure> figures;
  const auto measured = MeasurementsOf(report.measurements, score.device_id, score.runtime, score.driver);
  for (const Measurement* m : score::DecidingFigures(tables, score.runtime, measured, score.use)) {
    const backends::Figure figure{m->kernel, m->in_dtype, m->acc_dtype, m->implementation, m->shape};
    if (std::find(figures.begin(), figures.end(), figure) == figures.end()) figures.push_back(figure);
  }
  return figures;
}

// The same way to equal devices: what those differ in is chance.
bool AreAlike(const Report& report, const Score& a, const Score& b) {
  const auto* one = FindDevice(report.devices, a.device_id);
  const auto* other = FindDevice(report.devices, b.device_id);
  return a.runtime == b.runtime && a.driver == b.driver && one && other && AreEqualGpus(*one, *other);
}

std::vector<Target> TargetsFor(const Tables& tables, const Report& report, const Recommendation& answer,
                               const std::vector<Target>& planned) {
  std::vector<Target> targets;
  const auto pair = recommend::OpenPair(report, answer);
  if (!pair || AreAlike(report, *pair->first, *pair->second)) return targets;
  for (const Score* score : {pair->first, pair->second}) {
    const Target* first = TargetOf(report, *score, planned);
    if (first == nullptr) return {};
    Target& target = targets.emplace_back(*first);
    target.scope = backends::Scope::kAgain;
    target.figures = FiguresOf(tables, report, *score);
  }
  return targets;
}

double Width(const Measurement& m) {
  const Range range = score::RangeOf(m);
  return range.high / range.low;
}

Measurement Merged(const Measurement& one, const Measurement& other) {
  const bool first_is_narrower = Width(one) <= Width(other);
  Measurement merged = first_is_narrower ? one : other;
  const Range kept = score::RangeOf(merged);
  const Range second = score::RangeOf(first_is_narrower ? other : one);
  if (kept.low <= second.high && second.low <= kept.high) return merged;
  const auto low = std::min(kept.low, second.low) / kept.value;
  const auto high = std::max(kept.high, second.high) / kept.value;
  merged.ci95 = {{low, high}};
  const double spread = std::max(1 - low, high - 1);
  if (spread <= backends::kGoodSpread) return merged;
  if (merged.quality != backends::Quality::kNoisy)
    merged.quality = spread > backends::kFairSpread ? backends::Quality::kNoisy : backends::Quality::kFair;
  AddReason(merged, fmt::format("measured twice, {} and {}: it is not steady", RateText(*one.rate, one.unit),
                                RateText(*other.rate, other.unit)));
  return merged;
}

// A disturbed one says less than the first, and so does one of a few batches.
bool TellsMore(const Measurement& again, const Measurement& known) {
  using backends::Quality;
  return again.ci95 && (again.quality != Quality::kNoisy || known.quality == Quality::kNoisy);
}

bool IsSameFigure(const Measurement& a, const Measurement& b) {
  return a.kernel != kernels::Kernel::kGemm || a.shape == b.shape;
}

void Refute(const Measurement& by, Measurement& known) {
  known.status = by.status;
  known.stage = by.stage;
  known.reason = by.reason;
  known.verified = false;
  known.rate.reset();
  known.share_of_peak.reset();
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
  double kept_s = 0;
  for (const Target& target : targets) kept_s += gives(target) ? target.budget_s * kSecondLookShare : 0;
  const bool several = std::count_if(targets.begin(), targets.end(), gives) > 1;
  if (!several || kept_s < 2 * kLeastSecondLookSeconds) return 0;
  for (Target& target : targets) {
    if (gives(target)) target.budget_s *= 1 - kSecondLookShare;
  }
  return kept_s;
}

std::vector<Target> PlanSecondLook(const Tables& tables, const Report& report,
                                   const std::vector<Target>& planned, double left_s) {
  for (const Recommendation& answer : report.recommendations) {
    auto targets = TargetsFor(tables, report, answer, planned);
    std::size_t figures = 0;
    for (const Target& target : targets) figures += target.figures.size();
    const double each_s = figures == 0 ? 0 : left_s / static_cast<double>(figures);
    if (each_s < kLeastSecondLookSeconds) continue;
    for (Target& target : targets) target.budget_s = each_s * static_cast<double>(target.figures.size());
    return targets;
  }
  return {};
}

void MergeSecondLook(const std::vector<Measurement>& second, std::vector<Measurement>& first) {
  for (const Measurement& again : second) {
    const bool wrong = again.status == backends::MeasurementStatus::kWrongResult;
    if (!wrong && !IsVerified(again)) continue;
    for (Measurement& known : first) {
      if (!IsVerified(known) || KernelOf(known) != KernelOf(again)) continue;
      if (wrong) {
        Refute(again, known);
      } else if (IsSameFigure(known, again) && TellsMore(again, known)) {
        known = Merged(known, again);
      }
    }
  }
}

}  // namespace report
