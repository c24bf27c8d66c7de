// SPDX-License-Identifier: MIT
// What AMD's management library (rocm_smi) knows of GPUs: memory in use, load and power. Every figure may be
// missing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::hip {

struct SmiGpu {
  PciAddress pci;               // function 0 of a divided card
  std::uint32_t partition = 0;  // of its card
  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_used_bytes;
  std::vector<Fact> facts;  // utilization_percent, power_mw, power_limit_mw, power_limit_default_mw
};

// Loads the library and asks it everything. Error.name "absent": not installed; else a sentence of what
// failed.
[[nodiscard]] Result<std::vector<SmiGpu>> AskSmi(const system::FileSystem& files,
                                                 const system::Environment& environment);

}  // namespace probe::hip
