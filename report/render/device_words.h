// SPDX-License-Identifier: MIT
// What is known of a device in the words and units that scripts are told.
#pragma once

#include <optional>
#include <string>

#include "report/core/report.h"

namespace report::render {

// Its maker as a word of data/vendors.csv in lower case: "nvidia", "moore_threads"; "" where none is known.
[[nodiscard]] std::string VendorWord(const probe::PhysicalDevice& device);

// All of its memory, and what of it this process may use; of a GPU that shares the processor's as the view
// says, without one its own part of it and what the kernel lends it. nullopt where nobody tells.
[[nodiscard]] std::optional<double> AllBytes(const probe::PhysicalDevice& device, const probe::View* view);
[[nodiscard]] std::optional<double> FreeBytes(const probe::PhysicalDevice& device, const probe::View* view);

// In whole MiB; "" of nothing.
[[nodiscard]] std::string MibText(std::optional<double> bytes);

}  // namespace report::render
