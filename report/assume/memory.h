// SPDX-License-Identifier: MIT
// What the words and the card's name say of a described machine's memory, and what follows. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "report/assume/possible.h"
#include "report/assume/words.h"
#include "report/core/warning.h"

namespace report::assume {

// "H100 SXM5 80GB" says it; nullopt of a name that says none, or several.
[[nodiscard]] std::optional<std::uint64_t> MemoryInName(std::string_view name);

// With sizes as the tables write them: "M4 Max 128GB" of "M4 Max (128 GB)" or "M4 Max 128GiB".
[[nodiscard]] std::string WithPlainSizes(std::string_view name);

// The smallest that any GPU of that maker was sold with which shares it; 0 where no table has it.
[[nodiscard]] std::uint64_t LeastSharedBytes(std::uint32_t vendor);

// Fills in what of one memory is said of the GPU or of the processor alone, where they share it: of the
// processor's the GPU has what the settled system gives it (data/shared_memory.csv), and where that is not
// all a warning says so. The error says that the GPU has more of it than there is.
[[nodiscard]] std::optional<std::string> ShareMemory(std::vector<Words>& devices, Whole& whole,
                                                     std::vector<Warning>& warnings);

// The GPU's and the processor's memory, as report/core/memory.h reads it of a machine that was looked at.
void FillMemory(const Words& words, probe::PhysicalDevice& device);
void FillMemory(const Whole& whole, probe::PhysicalDevice& processor);

}  // namespace report::assume
