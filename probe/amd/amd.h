// SPDX-License-Identifier: MIT
// What the files of AMD's kernel driver tell, readable with no ROCm installed: the topology of its compute
// part, and what holds a GPU's clock back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/ids.h"
#include "probe/system/filesystem.h"

namespace probe::amd {

inline constexpr std::uint32_t kPciNumber = 0x1002;

// One compute node: a GPU, or one partition of a GPU that is divided.
struct KfdNode {
  std::uint32_t number = 0;  // the driver's, in which processors count
  PciAddress address;        // partitions of one card may differ in the function number alone
  PciIds ids;
  std::optional<std::string> target;  // "gfx90a"
  std::optional<std::uint32_t> compute_units;
  std::optional<std::uint32_t> wavefront_size;
  std::optional<std::uint64_t> clock_max_mhz;
  std::optional<std::uint64_t> xcc_count;
  std::optional<std::uint64_t> l3_bytes;      // the memory's own cache (Infinity Cache), where it has one
  bool has_processor = false;                 // the node is both, of one memory
  std::optional<std::uint64_t> unique_id;     // of the chip; partitions may share it
  std::optional<std::uint64_t> memory_bytes;  // of a partition, its share; of an APU, what the host lends it
  std::optional<std::uint32_t> render_minor;  // of /dev/dri/renderD<minor>, which ROCm opens too
  std::uint32_t partition = 0;                // of its card, from 0
  std::uint32_t xgmi_links = 0;               // to other GPUs and to partitions of its own card
};

// GPU nodes in the order of the driver's numbers, which ROCm keeps; processors are left out.
[[nodiscard]] std::vector<KfdNode> ReadKfdNodes(const system::FileSystem& files);

// What amdgpu's files say of a card now: memory of its own, load (utilization_percent) and power (power_mw,
// power_limit_mw, power_limit_default_mw). Every figure may be missing. AMD's library for the same (rocm_smi)
// is not asked: it holds a lock that all processes share, and whoever is ended while it does holds up the
// others.
struct CardState {
  std::optional<std::uint64_t> memory_total_bytes, memory_used_bytes;
  std::vector<Fact> facts;
};
// `card`: its directory below /sys/bus/pci/devices.
[[nodiscard]] CardState ReadState(const system::FileSystem& files, const std::string& card);

// gfx_target_version = major * 10000 + minor * 100 + step, minor and step printed in hexadecimal: 90010 ->
// "gfx90a".
[[nodiscard]] std::optional<std::string> GfxTarget(std::uint64_t version);

// What the content of a gpu_metrics file says of the clock: "power, temperature", or "none"; nullopt for
// another format than 1.3, that of graphics cards. Source: linux,
// drivers/gpu/drm/amd/include/kgd_pp_interface.h (gpu_metrics_v1_3) and pm/swsmu/inc/amdgpu_smu.h
// (SMU_THROTTLER_*).
[[nodiscard]] std::optional<std::string> ThrottleText(std::string_view gpu_metrics);

}  // namespace probe::amd
