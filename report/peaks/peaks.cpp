// SPDX-License-Identifier: MIT
#include "report/peaks/peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "probe/core/parse.h"
#include "report/core/device_peak.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"

namespace report::peaks {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;

bool IsCompute(Kernel kernel) { return kernel == Kernel::kGemm || kernel == Kernel::kChain; }
bool IsMemory(Kernel kernel) {
  return kernel == Kernel::kRead || kernel == Kernel::kCopy || kernel == Kernel::kTriad ||
         kernel == Kernel::kGemv;
}

// The same column of either table.
template <class Row>
std::optional<double> OfType(const Row& row, Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp32:
      return row.fp32;
    case Dtype::kFp16:
    case Dtype::kBf16:
      return row.matrix16;
    case Dtype::kInt8:
      return row.int8;
    case Dtype::kTf32:
    case Dtype::kFp8:
    case Dtype::kFp4:
    case Dtype::kInt32:
    case Dtype::kQ4:
    case Dtype::kQ8:
    case Dtype::kU32:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> OfUnit(const UnitPeak& row, const Measurement& m) {
  const bool half = m.in_dtype == Dtype::kFp16 || m.in_dtype == Dtype::kBf16;
  if (m.in_dtype == Dtype::kBf16 && row.bf16) return row.bf16;
  if (half && m.acc_dtype == Dtype::kFp32 && row.matrix16_fp32) return row.matrix16_fp32;
  return OfType(row, m.in_dtype);
}

// The most operations a clock and unit that any of `architectures` does with that type; a row for devices of
// such a name counts alone.
std::optional<double> OpsPerClock(const Peaks& peaks, std::span<const std::string> architectures,
                                  std::string_view name, const Measurement& m) {
  const auto names = probe::Lower(name);  // PCI's table has a "Geforce"
  std::optional<double> best;
  std::optional<double> named;
  for (const UnitPeak& row : peaks.units) {
    if (std::find(architectures.begin(), architectures.end(), row.architecture) == architectures.end())
      continue;
    if (row.name && names.find(probe::Lower(*row.name)) == std::string::npos) continue;
    auto& kept = row.name ? named : best;
    if (const auto ops = OfUnit(row, m)) kept = std::max(kept.value_or(0), *ops);
  }
  return named ? named : best;
}

Peak FromUnits(double units, double clock_hz, double ops) {
  const double rate = units * clock_hz * ops;
  return {rate, rate,
          fmt::format("{:.0f} units x {} GHz x {:.0f}", units, SignificantText(clock_hz * 1e-9, 3), ops)};
}

// Of the product of its PCI ids that the table has: of another one only a bound.
Peak FromSheet(const DevicePeak& sheet, const probe::PhysicalDevice& device, std::optional<double> rate) {
  if (!rate) return {};
  if (IsOfAnother(sheet, device)) return {std::nullopt, rate, fmt::format("data sheet of {}", sheet.name)};
  return {rate, rate, "data sheet"};
}

// What the card is called by anybody: a person may leave the series out that a row of units is for.
std::string NamesOf(const DevicePeak* sheet, const probe::PhysicalDevice& device) {
  return sheet && !IsOfAnother(*sheet, device) ? fmt::format("{} {}", device.name, sheet->name) : device.name;
}

// Of a type that the data sheet is silent about: its fp32, by what a unit of the architecture does of both.
std::optional<double> ByUnits(const Peaks& peaks, const DevicePeak& sheet,
                              const probe::PhysicalDevice& device, const Measurement& m) {
  if (!sheet.fp32) return std::nullopt;
  Measurement fp32 = m;
  fp32.in_dtype = fp32.acc_dtype = Dtype::kFp32;
  std::vector<std::string> architectures;
  if (device.hardware && device.hardware->architecture)
    architectures.push_back(*device.hardware->architecture);
  for (const auto& view : device.views) {
    if (view.device.architecture) architectures.push_back(*view.device.architecture);
  }
  const auto names = NamesOf(&sheet, device);
  for (const std::string& one : architectures) {
    const auto ops = OpsPerClock(peaks, {&one, 1}, names, m);
    const auto plain = OpsPerClock(peaks, {&one, 1}, names, fp32);
    if (ops && plain) return *sheet.fp32 * *ops / *plain;
  }
  return std::nullopt;
}

// Of a card: by what any of its drivers says of units and clock, else by the data sheet.
Peak OfCard(const Peaks& peaks, const probe::PhysicalDevice& device, const Measurement& m) {
  const auto* sheet = FindPeak(peaks, device);
  if (IsMemory(m.kernel)) return sheet ? FromSheet(*sheet, device, sheet->memory) : Peak{};
  const auto rate = sheet ? OfType(*sheet, m.in_dtype) : std::nullopt;
  for (const auto& view : device.views) {
    const auto& of = view.device;
    if (!of.architecture || !of.compute_units || !of.clock_max_hz) continue;
    const auto ops = OpsPerClock(peaks, {&*of.architecture, 1}, NamesOf(sheet, device), m);
    if (!ops) continue;
    Peak peak = FromUnits(*of.compute_units, *of.clock_max_hz, *ops);
    // Drivers count units in ways of their own: what the data sheet promises is never impossible.
    if (rate) peak.bound = std::max(*peak.bound, *rate);
    return peak;
  }
  if (!sheet) return {};
  return FromSheet(*sheet, device, rate ? rate : ByUnits(peaks, *sheet, device, m));
}

// The processor's own chain of a type; nullopt where it was not measured well.
std::optional<double> ChainRate(std::span<const Measurement> all, Dtype dtype) {
  std::optional<double> best;
  for (const auto& m : all) {
    if (m.device_id != kProcessorId || m.kernel != Kernel::kChain || m.in_dtype != dtype || !IsVerified(m))
      continue;
    if (m.quality == backends::Quality::kNoisy) continue;
    best = std::max(best.value_or(0), m.best_rate.value_or(*m.rate));
  }
  return best;
}

Peak OfProcessor(const Peaks& peaks, const probe::PhysicalDevice& device, const Measurement& m,
                 std::span<const Measurement> all) {
  if (!IsCompute(m.kernel) || !device.hardware || !device.hardware->processor) return {};
  const auto& processor = *device.hardware->processor;
  const auto threads = m.threads > 0 ? m.threads : processor.usable_threads.value_or(0);
  const auto units = std::min(threads, processor.cores.value_or(threads));
  const auto ops = OpsPerClock(peaks, processor.features, device.name, m);
  if (units == 0 || !ops) return {};
  for (const auto& view : device.views) {
    if (IsSoftware(device, view) || !view.device.clock_max_hz) continue;
    return FromUnits(units, *view.device.clock_max_hz, *ops);
  }
  Peak peak = FromUnits(units, kFastestClockHz, *ops);
  peak.rate = m.kernel == Kernel::kChain ? std::nullopt : ChainRate(all, m.in_dtype);
  peak.basis = peak.rate ? "its own instruction chain" : peak.basis;
  return peak;
}

void Reject(double times, std::string_view whose, Measurement& m) {
  m.status = MeasurementStatus::kImplausible;
  AddReason(m, fmt::format("{} is {} times {}", RateText(*m.rate, m.unit), SignificantText(times, 2), whose));
}

void JudgeByKind(const KindBound& bound, Measurement& m) {
  if (*m.rate > kImpossibleOfKind * bound.rate) {
    Reject(*m.rate / bound.rate, fmt::format("that of {}, the fastest known of its kind", bound.name), m);
  } else if (*m.rate > bound.rate) {
    AddReason(m, fmt::format("more than {}, the fastest known of its kind: {}", bound.name,
                             RateText(bound.rate, m.unit)));
  }
}

void JudgeOne(const Peak& peak, Measurement& m) {
  if (peak.rate && *peak.rate > 0) m.share_of_peak = *m.rate / *peak.rate;
  if (peak.bound && *m.rate > kImpossibleShare * *peak.bound) {
    Reject(*m.rate / *peak.bound, fmt::format("what the device can do at best ({})", peak.basis), m);
  } else if (m.share_of_peak && *m.share_of_peak > kDoubtfulShare) {
    AddReason(m, fmt::format("above what the device should do at best ({})", peak.basis));
  }
}

}  // namespace

Peak PeakOf(const Peaks& peaks, const probe::PhysicalDevice& device, const Measurement& measurement,
            std::span<const Measurement> measurements) {
  if (!IsCompute(measurement.kernel) && !IsMemory(measurement.kernel)) return {};
  return device.kind == probe::DeviceKind::kCpu ? OfProcessor(peaks, device, measurement, measurements)
                                                : OfCard(peaks, device, measurement);
}

std::optional<KindBound> KindBoundOf(const Peaks& peaks, const probe::PhysicalDevice& device,
                                     const Measurement& m, std::span<const Measurement> measurements) {
  using probe::DeviceKind;
  const bool compute = IsCompute(m.kernel);
  if (!compute && !IsMemory(m.kernel)) return std::nullopt;
  const auto peak = PeakOf(peaks, device, m, measurements);
  if (peak.rate || peak.bound) return std::nullopt;
  const bool named = device.kind == DeviceKind::kCpu || device.kind == DeviceKind::kIntegrated;
  const auto kind = named ? device.kind : DeviceKind::kDiscrete;
  for (const KindPeak& row : peaks.kinds) {
    const auto rate = compute ? OfType(row, m.in_dtype) : row.memory;
    if (row.kind == kind && rate) return KindBound{*rate, row.name};
  }
  return std::nullopt;
}

void Judge(const Peaks& peaks, std::span<const probe::PhysicalDevice> devices,
           std::vector<Measurement>& measurements) {
  struct Standard {
    Peak own;
    std::optional<KindBound> kind;
  };
  // Every peak before any verdict: a rejected chain must not change what the next figure is held against.
  std::vector<Standard> found;
  for (const Measurement& m : measurements) {
    Standard& standard = found.emplace_back();
    const auto* device = FindDevice(devices, m.device_id);
    if (!device || !IsVerified(m) || m.share_of_peak) continue;
    standard.own = PeakOf(peaks, *device, m, measurements);
    standard.kind = KindBoundOf(peaks, *device, m, measurements);
  }
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Standard& standard = found[i];
    if (standard.own.rate || standard.own.bound) JudgeOne(standard.own, measurements[i]);
    if (standard.kind) JudgeByKind(*standard.kind, measurements[i]);
  }
}

}  // namespace report::peaks
