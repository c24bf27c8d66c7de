// SPDX-License-Identifier: MIT
// Of GPUs whose rates nobody knows, and for which a common one's stand: where they are beside those whose
// rates are known.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>

#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "report/core/device_peak.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"

namespace report::recommend {
namespace {

// Of a series the smallest cards read their memory at about two thirds of the rate of those of which tables
// have figures.
constexpr double kOfASeries = 1.5;

bool IsCardOf(const DevicePeak& row, const std::string& architecture) {
  std::string_view ids = row.id;
  const auto vendor = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(ids, ':'), 16);
  const auto number = probe::ParseNumber<std::uint32_t>(ids, 16);
  const auto known = probe::PciRows();
  return vendor && number && std::any_of(known.begin(), known.end(), [&](const probe::PciRow& one) {
           return one.vendor == *vendor && one.kind == "discrete" && one.target == architecture &&
                  probe::ListsNumber(one.devices, *number);
         });
}

// What bounds the use most: reading the memory, or arithmetic.
using Rate = std::optional<double> DevicePeak::*;
Rate RateFor(Use use) {
  return use == Use::kTraining || use == Use::kPrefill ? &DevicePeak::fp32 : &DevicePeak::memory;
}

// Of all cards of the device's architecture that a table has; 0 where it has none.
double LeastRate(const probe::PhysicalDevice& device, Rate rate) {
  if (!device.hardware || !device.hardware->architecture) return 0;
  std::optional<double> least;
  for (const DevicePeak& row : EmbeddedPeaks().devices) {
    if (row.*rate && IsCardOf(row, *device.hardware->architecture))
      least = std::min(least.value_or(*(row.*rate)), *(row.*rate));
  }
  return least.value_or(0);
}

double LeastRateOf(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  return device ? LeastRate(*device, RateFor(score.use)) : 0;
}

// How many times as fast as the other card the slowest known one of the unknown one's architecture is; of
// another unknown one the slowest of its architecture stands for it.
double LeadOf(const Report& report, const Score& unknown, const Score& than) {
  if (than.of_common_gpu) {
    const double least = LeastRateOf(report, than);
    return least > 0 ? LeastRateOf(report, unknown) / least : 0;
  }
  const auto* other = FindDevice(report.devices, than.device_id);
  const auto* peak = other ? FindPeak(EmbeddedPeaks(), *other) : nullptr;
  const auto rate = peak ? peak->*RateFor(unknown.use) : std::nullopt;
  return rate ? LeastRateOf(report, unknown) / *rate : 0;
}

bool IsEstimatedGpu(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  return score.basis == Basis::kEstimated && device && IsGpu(*device);
}

bool IsEstimatedCard(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  return IsEstimatedGpu(report, score) && device->kind == probe::DeviceKind::kDiscrete;
}

// Whether its own memory has all of the work.
bool HoldsAll(const Score& score) {
  return score.fits.value_or(true) && !score.rest && !score.streamed_bytes;
}

std::optional<std::uint32_t> VendorOf(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  return device ? report::VendorOf(*device) : std::nullopt;
}

// By its number: "gfx1200" is newer than "gfx1032".
bool IsOfNewerArchitecture(const Report& report, const Score& one, const Score& than) {
  const auto text = [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    return device && device->hardware ? device->hardware->architecture.value_or("") : "";
  };
  const auto a = text(one), b = text(than);
  return std::tuple(a.size(), a) > std::tuple(b.size(), b);
}

// Of the first one's maker the one whose architecture is faster by as much, or else is newest: what makers'
// architectures have is compared with none of another's.
const Score* FastestOf(const Report& report, const Scores& unknown) {
  Scores of_maker;
  std::copy_if(unknown.begin(), unknown.end(), std::back_inserter(of_maker), [&](const Score* score) {
    return VendorOf(report, *score) == VendorOf(report, *unknown.front());
  });
  const Scores all = of_maker;
  std::erase_if(of_maker, [&](const Score* score) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Score* other) { return IsOfSlowerArchitecture(report, *score, *other); });
  });
  const Score* newest = of_maker.front();
  for (const Score* score : of_maker) {
    if (IsOfNewerArchitecture(report, *score, *newest)) newest = score;
  }
  return newest;
}

}  // namespace

bool IsOfSlowerArchitecture(const Report& report, const Score& one, const Score& than) {
  if (!one.of_common_gpu || !than.of_common_gpu || !IsEstimatedCard(report, one) ||
      !IsEstimatedCard(report, than) || VendorOf(report, one) != VendorOf(report, than))
    return false;
  return LeadOf(report, than, one) >= kOfASeries;
}

void PutTheMeantFirst(const Report& report, Scores& ordered) {
  if (ordered.empty() || !IsEstimatedCard(report, *ordered.front())) return;
  const bool one_holds = std::any_of(ordered.begin(), ordered.end(), [&](const Score* score) {
    return IsEstimatedCard(report, *score) && HoldsAll(*score);
  });
  const Score* known = nullptr;  // the first
  Scores unknown;
  for (const Score* score : ordered) {
    if (!IsEstimatedCard(report, *score) || (one_holds && !HoldsAll(*score))) continue;
    if (score->of_common_gpu) unknown.push_back(score);
    if (!score->of_common_gpu && !known) known = score;
  }
  if (unknown.empty()) return;
  if (known) {
    std::erase_if(unknown, [&](const Score* score) { return LeadOf(report, *score, *known) < kOfASeries; });
  }
  const Score* meant = unknown.empty() ? known : FastestOf(report, unknown);
  const auto at = std::find(ordered.begin(), ordered.end(), meant);
  if (at != ordered.end()) std::rotate(ordered.begin(), at, at + 1);
}

Reason UnknownRatesReason(const Report& report, const Scores& ordered, const Score& chosen) {
  const auto other = std::find_if(ordered.begin(), ordered.end(), [&](const Score* score) {
    // Of a card that is known and one that is part of the processor it is known which is faster.
    const bool is_open = chosen.of_common_gpu || (score->of_common_gpu && IsEstimatedCard(report, *score));
    return score->device_id != chosen.device_id && is_open && IsEstimatedGpu(report, *score);
  });
  if (!IsEstimatedGpu(report, chosen) || other == ordered.end()) return {};
  const Score& unknown = chosen.of_common_gpu ? chosen : **other;
  auto text = fmt::format("it is not known whether {} is faster, for no table has the rates of {}",
                          WayText(report, **other), DeviceName(report.devices, unknown.device_id));
  const auto lead = LeadOf(report, unknown, **other);
  if (chosen.of_common_gpu && lead >= kOfASeries)
    text += fmt::format("; the slowest card of its architecture that is known {} {} times as fast as {}{}",
                        RateFor(chosen.use) == &DevicePeak::memory ? "reads its memory" : "computes",
                        SignificantText(lead, 2), (*other)->of_common_gpu ? "that of " : "",
                        DeviceName(report.devices, (*other)->device_id));
  return {ReasonId::kAhead,
          std::move(text),
          {WayName(report.devices, (*other)->device_id, (*other)->runtime, (*other)->driver)}};
}

void WarnOfUnknownRates(const Report& report, const Score& chosen, Recommendation& answer) {
  const auto* device = FindDevice(report.devices, chosen.device_id);
  if (chosen.of_common_gpu && device) answer.warnings.emplace_back(OfCommonGpuText(*device));
  // What bounds the phase says that it is assumed.
  if (chosen.assumes_upload && answer.confidence == Confidence::kHigh)
    answer.confidence = Confidence::kMedium;
}

}  // namespace report::recommend
