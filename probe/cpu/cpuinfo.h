// SPDX-License-Identifier: MIT
// What /proc/cpuinfo says, for x86, Arm and RISC-V. Parsing only; what the flags mean is features.h's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace probe::cpu {

enum class Family { kUnknown, kX86, kArm64, kRiscv };

struct CpuInfo {
  Family family = Family::kUnknown;
  std::optional<std::string> vendor;  // as people write it: "Intel", "AMD", "Arm"
  std::optional<std::string> model;   // "Intel(R) Xeon(R) Platinum 8480+", "Neoverse-V2"
  std::vector<std::string> flags;  // names as the kernel writes them, sorted; those that all processors share
  std::optional<std::uint32_t> threads;
  std::optional<std::uint32_t> cores;
  std::optional<std::uint32_t> packages;
  std::optional<std::string> isa;  // RISC-V's, e.g. "rv64imafdcv"

  [[nodiscard]] bool Has(std::string_view flag) const;
};

// Any text gives an answer; what is not understood is left unknown.
[[nodiscard]] CpuInfo ParseCpuInfo(std::string_view text);

// "GenuineIntel" -> "Intel"; an unknown one is returned as it is.
[[nodiscard]] std::string VendorName(std::string_view cpuid_vendor);

}  // namespace probe::cpu
