// SPDX-License-Identifier: MIT
// What keeps GPUs from Level Zero, or from programs that use it: variables, nodes that may not be opened,
// drivers that are not there. Reads files and variables alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/outcome.h"
#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/intel/selector.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::level_zero {

// The level_zero/core programming guide, "Environment Variables".
inline constexpr std::string_view kMask = "ZE_AFFINITY_MASK";
inline constexpr std::string_view kPciOrder = "ZE_ENABLE_PCI_ID_DEVICE_ORDER";
inline constexpr std::string_view kHierarchy = "ZE_FLAT_DEVICE_HIERARCHY";
// Of programs that use Level Zero by SYCL alone.
using intel::kSelector;

// A GPU of the driver's maker as the kernel shows it.
struct KernelCard {
  PciAddress address;
  bool has_driver = false;         // one by which it computes is bound
  std::vector<DeviceNode> render;  // its nodes for computing
};
[[nodiscard]] std::vector<KernelCard> ReadCards(const system::FileSystem& files);

// The mask that the driver heeds; nullopt where it has none: not set, empty or "default", its own word.
[[nodiscard]] std::optional<std::string> MaskIn(const system::Environment& environment);

// One device of a mask: its number, and the tile of it where the mask names that.
struct MaskEntry {
  std::uint32_t device = 0;
  std::optional<std::uint32_t> tile;
  auto operator<=>(const MaskEntry&) const = default;
};
// Those of a list like "0,1.1", in ascending order, each once. Entries that are none are left out, as the
// driver does (intel/compute-runtime, shared/source/execution_environment/execution_environment.cpp).
[[nodiscard]] std::vector<MaskEntry> ParseMask(std::string_view mask);
// What shows the device of this place among all of a library's alone, where a mask left it and others,
// `shown` in all; nullopt where the mask does not tell.
[[nodiscard]] std::optional<std::string> MaskOf(std::string_view mask, std::size_t place, std::size_t shown);

// Each device's place among all that a mask counts, devices that it left out apart: those of one library,
// whatever driver of it has them. A driver of a product family has its own alone, and the mask counts all by
// their addresses, cards before processors' graphics (intel/compute-runtime,
// ExecutionEnvironment::sortNeoDevices). nullopt where the order is not known: without an address, or of
// several libraries, of which each counts its own.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> PlacesOf(const std::vector<RuntimeDevice>& devices,
                                                                 const system::Environment& environment);

struct Diagnosis {
  Outcome outcome = Outcome::kNoDevice;
  Error error;
};
// Why no device is shown, as far as that can be known. `error` is of the call that told it; `has_driver`:
// whether a driver of the maker was loaded.
[[nodiscard]] Diagnosis Diagnose(Error error, const std::vector<KernelCard>& cards, bool has_driver,
                                 const system::FileSystem& files, const system::Environment& environment);

// The cards that a driver could show and that none of `shown` is, with what keeps them away: ZE_AFFINITY_MASK
// where it lists fewer than there are, else a driver that leaves them out. Empty where a device has no
// address, and, without such a mask, where one failed (`has_failed`): it may be that one.
[[nodiscard]] std::vector<HardwareDevice> NotShown(const std::vector<KernelCard>& cards,
                                                   const std::vector<RuntimeDevice>& shown, bool has_failed,
                                                   const system::Environment& environment);

}  // namespace probe::level_zero
