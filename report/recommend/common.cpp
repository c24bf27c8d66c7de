// SPDX-License-Identifier: MIT
// Of GPUs whose rates nobody knows, and for which a common one's stand: where they are beside those whose
// rates are known.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

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

// Of all cards of the device's architecture that a table has; nullopt where it has none.
std::optional<double> LeastMemoryRate(const probe::PhysicalDevice& device) {
  if (!device.hardware || !device.hardware->architecture) return std::nullopt;
  std::optional<double> least;
  for (const DevicePeak& row : EmbeddedPeaks().devices) {
    if (row.memory && IsCardOf(row, *device.hardware->architecture))
      least = std::min(least.value_or(*row.memory), *row.memory);
  }
  return least;
}

// How many times as fast as the known card the slowest known one of the other's architecture reads its
// memory.
double LeadOf(const Report& report, const Score& unknown, const Score& known) {
  const auto* device = FindDevice(report.devices, unknown.device_id);
  const auto* other = FindDevice(report.devices, known.device_id);
  const auto least = device ? LeastMemoryRate(*device) : std::nullopt;
  const auto* peak = other ? FindPeak(EmbeddedPeaks(), *other) : nullptr;
  return least && peak && peak->memory ? *least / *peak->memory : 0;
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

double LeastMemoryRateOf(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  return device ? LeastMemoryRate(*device).value_or(0) : 0;
}

std::optional<std::uint32_t> VendorOf(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  return device ? report::VendorOf(*device) : std::nullopt;
}

// Of unknown cards the first, or one of its maker whose architecture is faster by as much: what makers'
// architectures have is compared with none of another's.
const Score* FastestOf(const Report& report, const Scores& unknown) {
  const Score* fastest = unknown.front();
  for (const Score* score : unknown) {
    if (IsOfSlowerArchitecture(report, *fastest, *score)) fastest = score;
  }
  return fastest;
}

}  // namespace

bool IsOfSlowerArchitecture(const Report& report, const Score& one, const Score& than) {
  if (!one.of_common_gpu || !than.of_common_gpu || !IsEstimatedCard(report, one) ||
      !IsEstimatedCard(report, than) || VendorOf(report, one) != VendorOf(report, than))
    return false;
  const double rate = LeastMemoryRateOf(report, one);
  return rate > 0 && kOfASeries * rate <= LeastMemoryRateOf(report, than);
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
  if (const auto lead = LeadOf(report, unknown, **other);
      chosen.of_common_gpu && lead >= kOfASeries && !(**other).of_common_gpu)
    text += fmt::format(
        "; the slowest card of its architecture that is known reads its memory {} times as fast as {}",
        SignificantText(lead, 2), DeviceName(report.devices, (*other)->device_id));
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
