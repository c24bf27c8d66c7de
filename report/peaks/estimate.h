// SPDX-License-Identifier: MIT
// Rates that a device should reach by the facts of it alone, for an answer without any measuring. Never mixed
// with measurements.
#pragma once

#include <span>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::peaks {

// A product and a read of every way to a device whose peak is known: real hardware with a kernel driver, and
// the processor. Usual shares of the peaks, within a wide interval; of a processor's memory and clock, where
// nobody tells them, what is common. Software devices and cards of which nothing is known get none.
[[nodiscard]] std::vector<backends::Measurement> Estimated(const Peaks& peaks,
                                                           std::span<const probe::PhysicalDevice> devices);

}  // namespace report::peaks
