// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "probe/core/hidden.h"
#include "probe/core/parse.h"
#include "report/core/card_name.h"
#include "report/core/device_peak.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/peaks/peaks.h"

namespace report::peaks {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using probe::DeviceKind;

// What the least able of a card's units does beside the figure for its matrix units.
constexpr double kVectorShareOfMatrix = 1.0 / 16;

struct ClaimedCard {
  std::string id;  // "10de:2684"
  double flop_per_s = 0;
};

std::string Hex(std::uint32_t number) { return fmt::format("{:04x}", number); }

// Where a runtime tells no number of the card: the row of the longest name in what it is called.
const DevicePeak* RowByName(const Peaks& peaks, const probe::RuntimeDevice& device) {
  const DevicePeak* best = nullptr;
  std::size_t longest = 0;
  const auto& ids = device.identity.ids;
  for (const DevicePeak& row : peaks.devices) {
    if (ids && !row.id.starts_with(Hex(ids->vendor))) continue;
    for (std::string_view names = row.name; !names.empty();) {
      const auto name = probe::Trim(probe::TakeUpTo(names, '/'));
      if (name.size() <= longest || device.name.find(name) == std::string::npos) continue;
      best = &row;
      longest = name.size();
    }
  }
  return best;
}

const DevicePeak* ClaimedRow(const Peaks& peaks, const probe::RuntimeDevice& device,
                             const probe::PhysicalDevice& whole) {
  const auto& ids = device.identity.ids;
  if (!ids || ids->device == 0) return RowByName(peaks, device);
  const std::array names = {PrintedName(device.name), PrintedName(whole.name)};
  return RowOf(peaks, *ids, names);
}

std::optional<ClaimedCard> ClaimOf(const Peaks& peaks, const probe::PhysicalDevice& device) {
  for (const probe::View& view : device.views) {
    if (view.device.identity.partition || IsSoftware(device, view)) continue;
    const auto* row = ClaimedRow(peaks, view.device, device);
    if (row == nullptr) continue;
    if (row->fp32) return ClaimedCard{row->id, *row->fp32};
    if (row->matrix16) return ClaimedCard{row->id, *row->matrix16 * kVectorShareOfMatrix};
  }
  return std::nullopt;
}

// The fastest that any of its drivers was seen to compute; nullopt where no product was verified.
std::optional<double> FastestProduct(const MeasurementIndex& index, const probe::PhysicalDevice& device) {
  std::optional<double> best;
  for (const probe::View& view : device.views) {
    for (const auto* m : index.Of(device.id, view.device.runtime, view.device.driver)) {
      const bool product = m->kernel == Kernel::kGemm || m->kernel == Kernel::kChain;
      const bool counts =
          m->in_dtype == Dtype::kFp32 || m->in_dtype == Dtype::kFp16 || m->in_dtype == Dtype::kBf16;
      if (product && counts && IsVerified(*m)) best = std::max(best.value_or(0), *m->rate);
    }
  }
  return best;
}

// Whether this piece of hardware may be what a driver calls such a card: of that maker, or one that is not on
// the bus or that stands for others' (a virtual machine's display passes the host's card on).
bool MayBe(const probe::HardwareDevice& hardware, const ClaimedCard& claimed) {
  constexpr std::uint32_t kMicrosoft = 0x1414;  // of a guest that the host's cards are lent to
  if (hardware.kind == DeviceKind::kCpu) return false;
  const auto& identity = hardware.identity;
  if (!identity.pci || !identity.ids || hardware.kind == DeviceKind::kVirtual) return true;
  return claimed.id.starts_with(Hex(identity.ids->vendor)) || identity.ids->vendor == kMicrosoft;
}

bool IsOffTheBus(const Report& report, const probe::PhysicalDevice& device, const ClaimedCard& claimed) {
  if (device.hardware || !IsBusListed(report)) return false;
  return std::none_of(report.probes.begin(), report.probes.end(), [&](const probe::ProbeReport& probe) {
    return std::any_of(probe.hardware.begin(), probe.hardware.end(),
                       [&](const auto& one) { return !IsHidden(one) && MayBe(one, claimed); });
  });
}

// The figures of a way that are held against its kind, each with the bound.
using Bounded = std::pair<const backends::Measurement*, KindBound>;
std::vector<Bounded> BoundedFigures(const Peaks& peaks, const Report& report, const MeasurementIndex& index,
                                    const probe::PhysicalDevice& device, const probe::View& view) {
  std::vector<Bounded> figures;
  if (IsSoftware(device, view)) return figures;
  for (const auto* m : index.Of(device.id, view.device.runtime, view.device.driver)) {
    auto bound = IsVerified(*m) ? KindBoundOf(peaks, device, *m, report.measurements) : std::nullopt;
    if (bound) figures.emplace_back(m, *std::move(bound));
  }
  return figures;
}

std::string FasterThanItsKind(const std::vector<Bounded>& figures) {
  for (const auto& [m, bound] : figures) {
    if (*m->rate <= bound.rate) continue;
    return fmt::format("its {} of {} is more than that of {}, the fastest known of its kind: {}",
                       kernels::Row(m->kernel).name, RateText(*m->rate, m->unit), bound.name,
                       RateText(bound.rate, m->unit));
  }
  return "";
}

const backends::Measurement* FastestOf(Kernel kernel, const std::vector<Bounded>& figures) {
  const backends::Measurement* best = nullptr;
  for (const auto& [m, bound] : figures) {
    if (m->kernel == kernel && (best == nullptr || *m->rate > *best->rate)) best = m;
  }
  return best;
}

std::string ReadsFarFasterThanItCopies(const std::vector<Bounded>& figures) {
  const auto* read = FastestOf(Kernel::kRead, figures);
  const auto* copy = FastestOf(Kernel::kCopy, figures);
  if (!read || !copy || *read->rate <= kMostReadsOfCopies * *copy->rate) return "";
  return fmt::format("{} reads {} times as fast as it copies, {} beside {}: no memory does", read->runtime,
                     SignificantText(*read->rate / *copy->rate, 2), RateText(*read->rate, read->unit),
                     RateText(*copy->rate, copy->unit));
}

std::string MultipliesFarFasterThanItReads(const std::vector<Bounded>& figures) {
  const auto* gemv = FastestOf(Kernel::kGemv, figures);
  const auto* read = FastestOf(Kernel::kRead, figures);
  if (!gemv || !read || *gemv->rate <= kMostGemvOfReads * *read->rate) return "";
  return fmt::format("{} multiplies weights at {} and reads at {}: one of the two is not its speed",
                     gemv->runtime, RateText(*gemv->rate, gemv->unit), RateText(*read->rate, read->unit));
}

}  // namespace

bool IsBusListed(const Report& report) {
  return WhyNotLooked(report).empty() &&
         std::any_of(report.probes.begin(), report.probes.end(), [](const probe::ProbeReport& probe) {
           return probe.module == kBusModule && !probe.error;
         });
}

std::vector<Doubt> DoubtedClaims(const Peaks& peaks, const Report& report) {
  std::vector<Doubt> doubts;
  if (report.measurements.empty()) return doubts;
  const MeasurementIndex index(report.measurements);
  for (const auto& device : report.devices) {
    if (!IsGpu(device) || device.parent_id) continue;
    const auto rate = FastestProduct(index, device);
    const auto claim = rate ? ClaimOf(peaks, device) : std::nullopt;
    if (!claim) continue;
    const double share = *rate / claim->flop_per_s;
    const bool slow = share < kPhantomShare;
    const bool absent = IsOffTheBus(report, device, *claim);
    if (!slow && !absent) continue;
    const auto pace = fmt::format("it computes at {} of that card's peak", PercentText(share));
    Doubt doubt;
    doubt.device_id = device.id;
    doubt.refuted = slow && absent;
    doubt.slow = slow;
    doubt.text = fmt::format(
        "it claims to be {} ({}): {}", PlainName(device.name), claim->id,
        !absent ? pace
                : fmt::format("no such card is on this machine's bus, {} {}", slow ? "and" : "though", pace));
    doubts.push_back(std::move(doubt));
  }
  return doubts;
}

std::vector<Doubt> DoubtedRates(const Peaks& peaks, const Report& report) {
  std::vector<Doubt> doubts;
  const MeasurementIndex index(report.measurements);
  for (const auto& device : report.devices) {
    std::string text;
    for (const probe::View& view : device.views) {
      if (!text.empty()) break;
      const auto figures = BoundedFigures(peaks, report, index, device, view);
      text = FasterThanItsKind(figures);
      if (text.empty()) text = ReadsFarFasterThanItCopies(figures);
      const bool is_processor = device.kind == DeviceKind::kCpu;
      if (text.empty() && is_processor) text = MultipliesFarFasterThanItReads(figures);
    }
    if (!text.empty()) doubts.push_back({.device_id = device.id, .fast = true, .text = std::move(text)});
  }
  return doubts;
}

}  // namespace report::peaks
