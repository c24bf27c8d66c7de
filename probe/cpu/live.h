// SPDX-License-Identifier: MIT
// The facts of /proc/cpuinfo from the processor itself, for machines that show no /proc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "probe/cpu/cpuinfo.h"
#include "probe/system/processor.h"

namespace probe::cpu {

using CpuidReader =
    std::function<std::optional<system::CpuidRegisters>(std::uint32_t leaf, std::uint32_t subleaf)>;

// From CPUID (Intel SDM volume 2A, AMD APM volume 3). `saved_states` is XCR0: features whose registers the
// operating system does not save are left out, as the kernel does. Unknown family when there is no CPUID.
[[nodiscard]] CpuInfo FromCpuid(const CpuidReader& cpuid, std::optional<std::uint64_t> saved_states);
// Highest clock that CPUID leaf 0x16 names.
[[nodiscard]] std::optional<double> MaxClockHz(const CpuidReader& cpuid);

// From the auxiliary vector of an `aarch64` machine (Linux, arch/arm64/include/uapi/asm/hwcap.h).
[[nodiscard]] CpuInfo FromCapabilities(const system::HardwareCapabilities& capabilities);

}  // namespace probe::cpu
