// SPDX-License-Identifier: MIT
// Holds what a driver claims a device to be against the machine and the stopwatch: a card that the kernel
// does not list and that computes like no such card is none. Pure.
#pragma once

#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::peaks {

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

}  // namespace report::peaks
