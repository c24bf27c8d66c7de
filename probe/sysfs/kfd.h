// SPDX-License-Identifier: MIT
// The topology that AMD's compute driver publishes, readable with no ROCm installed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/ids.h"
#include "probe/system/filesystem.h"

namespace probe::sysfs {

// One compute node: a GPU, or one partition of a GPU that is divided.
struct KfdNode {
  PciAddress address;  // partitions of one card may differ in the function number alone
  PciIds ids;
  std::optional<std::string> target;  // "gfx90a"
  std::optional<std::uint32_t> compute_units;
  std::optional<std::uint32_t> wavefront_size;
  std::optional<std::uint64_t> clock_max_mhz;
  std::optional<std::uint64_t> xcc_count;
};

// GPU nodes in the order of their addresses; processors are left out.
[[nodiscard]] std::vector<KfdNode> ReadKfdNodes(const system::FileSystem& files);

// gfx_target_version = major * 10000 + minor * 100 + step, minor and step printed in hexadecimal: 90010 ->
// "gfx90a".
[[nodiscard]] std::optional<std::string> GfxTarget(std::uint64_t version);

}  // namespace probe::sysfs
