// SPDX-License-Identifier: MIT
// What a device can do at best, from facts of it: units x clock x operations a clock, and data sheets'
// figures by PCI id. Fills the share of it that was reached, and rejects what cannot be. Pure; every figure's
// source is data/peaks.json.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::peaks {

inline constexpr double kImpossibleShare = 1.5;  // of the peak: rejected
inline constexpr double kDoubtfulShare = 1.05;   // flagged: boost clocks exceed data sheets
// Of the fastest known device of its kind, where the device's own peak is not known: rejected. Less is
// flagged, for the next generation may be faster: from HBM3e to HBM4 a GPU's memory gains 2.8 times.
inline constexpr double kImpossibleOfKind = 4;

// No processor that is sold clocks higher; for those whose clock nobody tells.
inline constexpr double kFastestClockHz = 6.5e9;

struct Peak {
  std::optional<double> rate;   // in the kernel's unit; unknown where only a bound is
  std::optional<double> bound;  // kImpossibleShare times this is rejected
  std::string basis;            // "128 units x 2.52 GHz x 256", "data sheet"
};

// The most that any device of its kind does that is known, for a figure whose own peak is not; nullopt where
// nobody tells of that figure.
struct KindBound {
  double rate = 0;   // in the kernel's unit
  std::string name;  // of the device that reaches it
};
[[nodiscard]] std::optional<KindBound> KindBoundOf(const Peaks& peaks, const probe::PhysicalDevice& device,
                                                   const backends::Measurement& measurement,
                                                   std::span<const backends::Measurement> measurements);

// Of a verified or rejected figure's kernel and operand type. Of a processor without a known clock the rate
// is that of its own chain of the same type, which no product exceeds.
[[nodiscard]] Peak PeakOf(const Peaks& peaks, const probe::PhysicalDevice& device,
                          const backends::Measurement& measurement,
                          std::span<const backends::Measurement> measurements);

// Sets share_of_peak, and status and reason where a figure is above its peak. What has a share already is
// left alone.
void Judge(const Peaks& peaks, std::span<const probe::PhysicalDevice> devices,
           std::vector<backends::Measurement>& measurements);

}  // namespace report::peaks
