// SPDX-License-Identifier: MIT
// The scenario as the loader and its drivers see it: which GPUs and tiles the variables leave.
//
// A GPU's `partitions` are its tiles. Attributes that the scenario may give. Of a device: ip (2001: release 1
// of architecture 20, default 1255), driver (which has it, default 0), slices (2), eus (of one Xe core, 8),
// dp4a (1), no_pci (1: its driver tells no address), build_fails (1),
// throttled (reasons, as zes_freq_throttle_reason_flags_t) and actual_mhz, also of a tile, card_bytes (what
// the system management has the memory to be). Of the driver: drivers (how many, 1), libraries (2: each
// driver is of its own), gives_nothing (the call of state.h that succeeds without what it makes),
// zero_drivers (1: the loader has none), init_code (what starting them returns), old_init (1: zeInitDrivers
// finds none, as of drivers that are older than their loader), no_sysman (1), no_ip (1: no extension for it),
// and those of onednn.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/fakes/common/scenario.h"

namespace fakes::level_zero {

// A device as the loader gives it: a GPU with some of its tiles, or one of them.
struct Slot {
  const Device* gpu = nullptr;
  std::uint32_t index = 0;            // of the GPU in the scenario
  std::optional<std::uint32_t> tile;  // of a device that is one tile
  std::uint32_t tiles = 1;            // of a device that is several
  [[nodiscard]] const Device& self() const { return tile ? gpu->partitions.at(*tile) : *gpu; }
};

struct Driver {
  std::vector<std::unique_ptr<Slot>> slots;
};

// What ZE_AFFINITY_MASK and ZE_FLAT_DEVICE_HIERARCHY leave of each driver's. A mask counts the devices of all
// drivers of a library: cards first, else by address, where there are several; of one as the scenario has
// them.
[[nodiscard]] const std::vector<std::unique_ptr<Driver>>& Drivers();
// Of a handle that the fake gave; nullptr for any other.
[[nodiscard]] const Slot* SlotOf(const void* handle);

[[nodiscard]] std::int64_t Get(const Device& device, const std::string& attribute, std::int64_t otherwise);
[[nodiscard]] std::int64_t GetOfDriver(const std::string& attribute, std::int64_t otherwise);
// The last byte tells tiles apart, 0 is the whole GPU.
[[nodiscard]] Uuid UuidOf(const Slot& slot);

}  // namespace fakes::level_zero
