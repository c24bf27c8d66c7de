// SPDX-License-Identifier: MIT
// One PCI function, or a device of a platform bus, as its sysfs directory shows it, and its link. Every file
// may be missing, empty or wrong: `uevent`, `modalias` and the links fill in for the attribute files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/ids.h"
#include "probe/system/filesystem.h"

namespace probe::sysfs {

struct PciFunction {
  std::string directory;
  std::optional<PciAddress> address;
  std::optional<std::uint32_t> vendor;
  std::optional<PciIds> ids;                // needs vendor and device
  std::optional<std::uint32_t> class_code;  // 0xCCSSPP
  std::optional<std::string> driver;        // of the kernel, bound
  std::vector<std::string> compatible;      // of a device tree's node; nothing is read for one on a PCI bus

  [[nodiscard]] bool IsClass(std::uint32_t base) const { return class_code && *class_code >> 16U == base; }
};

[[nodiscard]] PciFunction ReadPciFunction(const system::FileSystem& files, std::string directory);

// The strings of a device tree's `compatible` file, each of which ends in a zero byte; at most a few dozen.
[[nodiscard]] std::vector<std::string> ReadCompatible(const system::FileSystem& files, std::string_view path);

// "a/b/c" -> "c".
[[nodiscard]] std::string_view LastComponent(std::string_view path);

}  // namespace probe::sysfs
