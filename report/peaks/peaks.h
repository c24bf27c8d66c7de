// SPDX-License-Identifier: MIT
// What a device can do at best, from facts of it: units x clock x operations a clock, and data sheets'
// figures by PCI id. Fills the share of it that was reached, and rejects what cannot be. Pure; every figure's
// source is data/peaks/.
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

// The kernel listed the bus: the machine was looked through, and has one.
[[nodiscard]] bool IsBusListed(const Report& report);

// Holds what a driver claims a device to be against the machine and the stopwatch: a card that the kernel
// does not list and that computes like no such card is none. Pure.

// Below this share of the claimed card's vector peak no verified product of a real one is, however badly its
// driver compiles.
inline constexpr double kPhantomShare = 1.0 / 50;

// Of every device that claims, by its PCI ids or else by its name, to be a card of a known peak, and does not
// fit the claim. It is refuted only where all of this holds: the kernel listed the machine's PCI bus and
// nothing there, nor in any other class, could be the card; and its fastest verified product stays below
// kPhantomShare. With one of the two alone it is a doubt. What was not measured, and parts of cards, are not
// judged. Expects the report's probes, devices, measurements and warnings.
[[nodiscard]] std::vector<Doubt> DoubtedClaims(const Peaks& peaks, const Report& report);

// How many times as fast as it copies a device may read: both are bytes over one bus, of a copy two thirds
// where what is written is read first.
inline constexpr double kMostReadsOfCopies = 4;

// A product with a vector reads its weights, so that it is no faster than reads. Of a processor; disturbed
// runs gave up to 1.3 times (bench/results/predict-*.json).
inline constexpr double kMostGemvOfReads = 2;

// Of every device with a figure that no device of its kind is known to reach, whose reads are far beyond its
// copies, or, of a processor, its products with a vector far beyond its reads: an answer with it is not
// certain. Devices of a known peak are not judged. Expects devices and judged measurements.
[[nodiscard]] std::vector<Doubt> DoubtedRates(const Peaks& peaks, const Report& report);

// Rates that a device should reach by the facts of it alone, for an answer without any measuring, and for
// ways that a question is settled without.

// Whether a product's and the memory's peak are known of that very card.
[[nodiscard]] bool HasOwnRates(const Peaks& peaks, const probe::PhysicalDevice& device,
                               const probe::RuntimeDevice& view);

// A product and a read of every way to real hardware, and to the processor. Usual shares of the peaks, within
// a wide interval; of a processor's memory and clock, and of what nobody knows of a card, what is common.
// Software devices get none. Real is what a kernel driver of this machine backs, a part of such a card, and
// where nobody could see one (the machine was not looked through, its cards are a host's) what a runtime
// shows; where no bus is listed, only what its maker's own runtime shows. Expects the report's host, probes,
// warnings and devices.
[[nodiscard]] std::vector<backends::Measurement> Estimated(const Peaks& peaks, const Tables& tables,
                                                           const Report& report);

}  // namespace report::peaks
