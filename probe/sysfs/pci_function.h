// SPDX-License-Identifier: MIT
// One PCI function as its sysfs directory shows it. Every file may be missing, empty or wrong: `uevent`,
// `modalias` and the links fill in for the attribute files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

  [[nodiscard]] bool IsClass(std::uint32_t base) const { return class_code && *class_code >> 16U == base; }
};

[[nodiscard]] PciFunction ReadPciFunction(const system::FileSystem& files, std::string directory);

// "a/b/c" -> "c".
[[nodiscard]] std::string_view LastComponent(std::string_view path);

}  // namespace probe::sysfs
