// SPDX-License-Identifier: MIT
// Holds what a driver claims a device to be against the machine and the stopwatch: a card that the kernel
// does not list and that computes like no such card is none. Pure.
#pragma once

#include <cstdint>
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
// where what is written is read first. And as the processor whose memory it shares, where enough of its
// threads read: an Apple M1 Max's reach 243 of 409 GB/s (AnandTech, October 2021).
inline constexpr double kMostReadsOfCopies = 4;
inline constexpr double kMostReadsOfProcessors = 10;
inline constexpr std::uint32_t kEnoughThreads = 4;

// Of every device of which nothing is known and whose figures no device of its kind reaches, or do not go
// together: such an answer is not certain. Expects devices and judged measurements.
[[nodiscard]] std::vector<Doubt> DoubtedRates(const Peaks& peaks, const Report& report);

}  // namespace report::peaks
