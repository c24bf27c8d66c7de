// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "probe/core/pci_table.h"
#include "report/core/device_fit.h"
#include "report/core/device_peak.h"
#include "report/core/devices.h"
#include "report/core/memory.h"
#include "report/peaks/peaks.h"

namespace report::peaks {
namespace {

using backends::Measurement;
using kernels::Dtype;
using kernels::Kernel;

struct Usual {
  Kernel kernel;
  Dtype in;
  Dtype acc;
  double UsualShares::* share;  // of the peak that verified kernels of this kind reach
};
constexpr std::array kUsual = {Usual{Kernel::kGemm, Dtype::kFp32, Dtype::kFp32, &UsualShares::fp32},
                               Usual{Kernel::kGemm, Dtype::kFp16, Dtype::kFp32, &UsualShares::matrix16},
                               Usual{Kernel::kGemm, Dtype::kBf16, Dtype::kFp32, &UsualShares::matrix16},
                               Usual{Kernel::kRead, Dtype::kU32, Dtype::kU32, &UsualShares::read}};
// Of a processor, and of a GPU whose maker has no published rows.
constexpr UsualShares kCommonShares = {0.85, 0.7, 0.6};

const UsualShares& SharesOf(const probe::PhysicalDevice& device, std::string_view runtime) {
  const auto* own = device.kind == probe::DeviceKind::kCpu ? nullptr : FitOf(device, runtime);
  return own ? own->usual : kCommonShares;
}

constexpr double kCommonClockHz = 2.5e9;        // of a processor under load
constexpr double kCommonBytesPerSecond = 40e9;  // of two channels of DDR4-3200, read

// Of the memory that a chip's GPU and its processor share: what an M1 Max's processor reads of it, 243 of 400
// GB/s (AnandTech, Apple's M1 Pro and M1 Max, 2021-10-25). Of a faster memory the estimate is no more than
// the 243 GB/s of that chip: this project has no source for what the processor of another one reads (an M2
// Ultra's, an MI300A's), and the whole is where the range of the estimate ends.
constexpr double kShareOfShared = 243.0 / 400;
constexpr double kMostOfShared = 243e9;

// Of a GPU that no table knows: what a middling card of some years ago has, and a GPU beside a processor.
// They put it before the processor and say no more: between a GT 710, with a twentieth of it, and the fastest
// of its kind (data/peaks/kinds.csv), with up to 327 times as much.
struct CommonGpu {
  probe::DeviceKind kind;
  double bytes_per_s;
  double fp32;
  double matrix16;
};
constexpr std::array kCommonGpus = {CommonGpu{probe::DeviceKind::kDiscrete, 250e9, 8e12, 16e12},
                                    CommonGpu{probe::DeviceKind::kIntegrated, 60e9, 1.5e12, 3e12}};

std::optional<double> CommonRateOfGpu(probe::DeviceKind kind, const Usual& usual) {
  const auto* row = std::find_if(kCommonGpus.begin(), kCommonGpus.end(),
                                 [&](const CommonGpu& known) { return known.kind == kind; });
  if (row == kCommonGpus.end()) return std::nullopt;
  if (usual.kernel == Kernel::kRead) return row->bytes_per_s;
  return usual.in == Dtype::kFp32 ? row->fp32 : row->matrix16;
}

// The most that any chip of the GPU's maker does which the table knows by name: no guess at another one is
// above it. nullopt for a single chip, which tells nothing of others, and of a maker of cards, too.
std::optional<double> MakersBest(const Peaks& peaks, const probe::PhysicalDevice& device,
                                 const Usual& usual) {
  const auto number = VendorOf(device);
  if (!number) return std::nullopt;
  const auto vendor = fmt::format("{:04x}", *number);
  const bool makes_cards =
      std::any_of(peaks.devices.begin(), peaks.devices.end(),
                  [&](const DevicePeak& row) { return row.id.starts_with(vendor + ":"); });
  if (makes_cards) return std::nullopt;
  std::optional<double> best;
  std::size_t chips = 0;
  for (const DevicePeak& row : peaks.parts) {
    if (row.id != vendor) continue;
    const auto rate = usual.kernel == Kernel::kRead ? row.memory
                      : usual.in == Dtype::kFp32    ? row.fp32
                                                    : row.matrix16;
    if (!rate) return std::nullopt;
    best = std::max(best.value_or(0), *rate);
    ++chips;
  }
  return chips > 1 ? best : std::nullopt;
}

// An HD Graphics 500 has that much of what a common GPU does.
constexpr double kLeastShare = 1.0 / 40;

// What a device does where nobody tells its clock or memory.
std::optional<double> CommonRate(const Peaks& peaks, const probe::PhysicalDevice& device, const Usual& usual,
                                 const Peak& peak) {
  if (device.kind != probe::DeviceKind::kCpu) {
    const auto rate = CommonRateOfGpu(device.kind, usual);
    return rate ? std::min(*rate, MakersBest(peaks, device, usual).value_or(*rate)) : rate;
  }
  if (usual.kernel == Kernel::kRead) return kCommonBytesPerSecond / kCommonShares.read;
  if (!peak.bound) return std::nullopt;
  return *peak.bound / kFastestClockHz * kCommonClockHz;
}

// What may stand for a GPU that no kernel driver of this machine backs: that nobody could see one.
class Survey {
 public:
  Survey(const Tables& tables, const Report& report) : tables_(tables), report_(report) {
    const bool lent = report.host.virtualization == probe::kWsl2;  // its cards and drivers are the host's
    unseen_ = lent || report.probes.empty() || !WhyNotLooked(report).empty();
    no_bus_ = !IsBusListed(report);
  }

  [[nodiscard]] bool IsReal(const probe::PhysicalDevice& device) const {
    if (device.kind == probe::DeviceKind::kCpu) return true;
    if (device.parent_id) {
      const auto* parent = FindDevice(report_.devices, *device.parent_id);
      if (parent && !parent->parent_id && IsReal(*parent)) return true;
    }
    if (device.hardware) return device.hardware->kernel_driver.has_value();
    return (unseen_ || no_bus_) &&
           std::any_of(device.views.begin(), device.views.end(), [&](const auto& view) {
             return !IsSoftware(device, view) && (unseen_ || IsOfItsMaker(view));
           });
  }

 private:
  // Such a runtime opens its kernel driver before it counts a device. Those for all makers have drivers that
  // compute on the processor and name a card.
  [[nodiscard]] bool IsOfItsMaker(const probe::View& view) const {
    const auto* facts = Find(tables_, view.device.runtime);
    return facts && facts->vendor;
  }

  const Tables& tables_;
  const Report& report_;
  bool unseen_ = false;  // nobody looked through the machine, or what it has is not in what is listed
  bool no_bus_ = false;  // it was looked through and has no bus, be it that a sandbox keeps it back
};

// Of the memory that the machine's processor shares with a GPU whose rates are known; nullopt without one
// that is real.
std::optional<double> SharedMemoryRate(const Peaks& peaks, const Survey& survey,
                                       std::span<const probe::PhysicalDevice> devices) {
  std::optional<double> best;
  for (const auto& device : devices) {
    const bool shares = SharesHostMemory(device) && survey.IsReal(device);
    const auto* peak = shares ? FindPeak(peaks, device) : nullptr;
    if (peak && peak->memory) best = std::max(best.value_or(0), *peak->memory);
  }
  return best;
}

// The device as if it were that card.
probe::PhysicalDevice AsIfItWere(const DevicePeak& row, probe::PhysicalDevice device) {
  device.name = row.name;
  for (auto& view : device.views) view.device.name = row.name;
  if (!device.hardware) device.hardware.emplace();
  device.hardware->identity.ids = IdsOf(row);
  // What its chip's units do is not what those of the card's do.
  const auto facts = IdsOf(row) ? probe::FindPciFacts(*IdsOf(row)) : std::nullopt;
  if (facts && !facts->target.empty()) {
    device.hardware->architecture = std::string(facts->target);
    for (auto& view : device.views) view.device.architecture.reset();
  }
  return device;
}

// What the card that stands for them all and the fastest of them do of it: of one card all figures, where it
// has them. nullopt where that is known of none.
std::optional<std::array<double, 2>> RatesOf(const Peaks& peaks, std::span<const DevicePeak* const> rows,
                                             const probe::PhysicalDevice& device, const Measurement& m) {
  const auto rate_of = [&](const DevicePeak& row) {
    return PeakOf(peaks, AsIfItWere(row, device), m, {}).rate;
  };
  std::vector<double> rates;
  for (const DevicePeak* row : rows) {
    if (const auto rate = rate_of(*row)) rates.push_back(*rate);
  }
  if (rates.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  const auto* one = StandInFor(peaks, device);
  return std::array{(one ? rate_of(*one) : std::nullopt).value_or(*least), *most};
}

// The smallest cards of a series have a fifth of what the slowest has that tables know (GeForce 940M beside
// GTX 750 Ti), and so the smallest product with a PCI number of the largest (Radeon Vega 3 beside Vega 11).
constexpr double kSmallestOfSeries = 0.2;

// Of a rate that stands in for one that nobody knows, as shares of it.
std::array<double, 2> RangeAround(const Peaks& peaks, const probe::PhysicalDevice& device,
                                  const Measurement& m, const Usual& usual, const Peak& peak,
                                  double common_rate) {
  const auto fastest = KindBoundOf(peaks, device, m, {});
  const auto of_kind = fastest ? fastest->rate : peak.bound.value_or(common_rate);
  const double most = std::min(of_kind, MakersBest(peaks, device, usual).value_or(of_kind));
  return {kLeastShare, std::max(1.0, most / common_rate)};
}

Measurement Blank(const probe::PhysicalDevice& device, const probe::RuntimeDevice& view, const Usual& usual) {
  Measurement m;
  m.device_id = device.id;
  m.runtime = view.runtime;
  m.driver = view.driver;
  m.kernel = usual.kernel;
  m.implementation = kEstimate;
  m.in_dtype = usual.in;
  m.acc_dtype = usual.acc;
  m.unit = kernels::Row(usual.kernel).unit;
  return m;
}

}  // namespace

// Common rates stand for none of a card that is known; of one that is half known for what is missing.
bool HasOwnRates(const Peaks& peaks, const probe::PhysicalDevice& device, const probe::RuntimeDevice& view) {
  const auto has = [&](bool reads) {
    return std::any_of(kUsual.begin(), kUsual.end(), [&](const Usual& usual) {
      return (usual.kernel == Kernel::kRead) == reads &&
             PeakOf(peaks, device, Blank(device, view, usual), {}).rate.has_value();
    });
  };
  return has(true) && has(false);
}

std::vector<Measurement> Estimated(const Peaks& peaks, const Tables& tables, const Report& report) {
  std::vector<Measurement> found;
  const Survey survey(tables, report);
  const auto shared = SharedMemoryRate(peaks, survey, report.devices);
  for (const auto& device : report.devices) {
    if (!survey.IsReal(device)) continue;
    for (const auto& view : device.views) {
      if (IsSoftware(device, view)) continue;
      const bool is_known = device.kind != probe::DeviceKind::kCpu && HasOwnRates(peaks, device, view.device);
      const auto& shares = SharesOf(device, view.device.runtime);
      const auto alike = is_known ? std::vector<const DevicePeak*>() : StandInsFor(peaks, device);
      for (const Usual& usual : kUsual) {
        // A processor's 16-bit products are of bf16.
        if (device.kind == probe::DeviceKind::kCpu && usual.in == Dtype::kFp16) continue;
        Measurement m = Blank(device, view.device, usual);
        const Peak peak = PeakOf(peaks, device, m, {});
        const auto known = peak.rate ? std::nullopt : RatesOf(peaks, alike, device, m);
        // What none of these cards is known to do, such as products of 16 bits, this one is not said to do.
        const auto rate = peak.rate || is_known ? peak.rate
                          : known               ? std::optional(known->front())
                          : alike.empty()       ? CommonRate(peaks, device, usual, peak)
                                                : std::nullopt;
        if (!rate) continue;
        m.rate = *rate * shares.*usual.share;
        const bool reads = device.kind == probe::DeviceKind::kCpu && usual.kernel == Kernel::kRead;
        if (reads && shared) m.rate = std::min(*shared * kShareOfShared, kMostOfShared);
        const bool stands_in = device.kind != probe::DeviceKind::kCpu && !peak.rate;
        if (stands_in) m.implementation = kStandIn;
        m.ci95 = stands_in && known
                     ? std::array<double, 2>{kSmallestOfSeries, std::max(1.3, known->back() / *rate)}
                 : stands_in       ? RangeAround(peaks, device, m, usual, peak, *rate)
                 : reads && shared ? std::array<double, 2>{0.6, *shared / *m.rate}
                                   : std::array<double, 2>{0.6, 1.3};
        m.status = backends::MeasurementStatus::kOk;
        m.verified = true;  // nothing ran: the scores that rest on it say "estimated"
        found.push_back(std::move(m));
      }
    }
  }
  return found;
}

}  // namespace report::peaks
