// SPDX-License-Identifier: MIT
// The topology that AMD's compute driver publishes, readable with no ROCm installed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/ids.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// One compute node: a GPU, or one partition of a GPU that is divided.
struct KfdNode {
  PciAddress address;  // partitions of one card may differ in the function number alone
  PciIds ids;
  std::optional<std::string> target;  // "gfx90a"
  std::optional<std::uint32_t> compute_units;
  std::optional<std::uint32_t> wavefront_size;
  std::optional<std::uint64_t> clock_max_mhz;
  std::optional<std::uint64_t> xcc_count;
  std::optional<std::uint64_t> unique_id;     // of the chip; partitions may share it
  std::optional<std::uint64_t> memory_bytes;  // of a partition, its share; of an APU, what the host lends it
  std::optional<std::uint32_t> render_minor;  // of /dev/dri/renderD<minor>, which ROCm opens too
  std::uint32_t partition = 0;                // of its card, from 0
  std::uint32_t xgmi_links = 0;               // to other GPUs and to partitions of its own card
};

// GPU nodes in the order of the driver's numbers, which ROCm keeps; processors are left out.
[[nodiscard]] std::vector<KfdNode> ReadKfdNodes(const FileSystem& files);

// gfx_target_version = major * 10000 + minor * 100 + step, minor and step printed in hexadecimal: 90010 ->
// "gfx90a".
[[nodiscard]] std::optional<std::string> GfxTarget(std::uint64_t version);

}  // namespace probe::system
