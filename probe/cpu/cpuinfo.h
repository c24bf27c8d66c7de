// SPDX-License-Identifier: MIT
// What a processor is, by /proc/cpuinfo or by itself; what its flags mean: the instruction set level, the
// features in this program's names, the data types that it computes with; and what a variable leaves of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/system/processor.h"

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

// `x86-64` … `x86-64-v4` (x86-64 psABI, section 3.1.1), `armv8.0-a` … `armv9.0-a` (Arm ARM, A2), RISC-V's isa
// string up to its first extension of several letters.
[[nodiscard]] std::optional<std::string> Architecture(const CpuInfo& info);

// "avx2", "avx512vnni", "amx-bf16", "neon", "sve", "i8mm", ... in a fixed order.
[[nodiscard]] std::vector<std::string> Features(const CpuInfo& info);

// Data types with arithmetic instructions of their own; fp32 and fp64 always.
[[nodiscard]] std::vector<std::string> Dtypes(const std::vector<std::string>& features);
// "bf16/fp32", ...: what the matrix instructions multiply and accumulate.
[[nodiscard]] std::vector<std::string> MatrixUnits(const std::vector<std::string>& features);

// WHICHGPU_CPU_ISA bounds what the kernels use of the processor (kernels/cpu/isa_limit.h). A processor that
// is so bounded is described as what is left of it, so that figures, types and peaks speak of the same one.

inline constexpr std::string_view kIsaVariable = "WHICHGPU_CPU_ISA";

// Takes from `info` the flags beyond the named set. What a reader has to know of it: that something was left
// out, or that the name is none; nothing where neither is the case.
[[nodiscard]] std::optional<std::string> LimitTo(std::string_view isa, CpuInfo& info);

// The same facts from the processor itself, for machines that show no /proc.

using CpuidReader =
    std::function<std::optional<system::CpuidRegisters>(std::uint32_t leaf, std::uint32_t subleaf)>;

inline constexpr std::uint64_t kAvx512State = 0xe6;  // of XCR0: with the 128 and 256 bits below
// From CPUID (Intel SDM volume 2A, AMD APM volume 3). `saved_states` is XCR0: features whose registers the
// operating system does not save are left out, as the kernel does. Unknown family when there is no CPUID.
[[nodiscard]] CpuInfo FromCpuid(const CpuidReader& cpuid, std::optional<std::uint64_t> saved_states);
// Highest clock that CPUID leaf 0x16 names.
[[nodiscard]] std::optional<double> MaxClockHz(const CpuidReader& cpuid);

// From the auxiliary vector of an `aarch64` machine (Linux, arch/arm64/include/uapi/asm/hwcap.h).
[[nodiscard]] CpuInfo FromCapabilities(const system::HardwareCapabilities& capabilities);

// The same from a kernel that names what it knows (sysctl(3) of macOS). A name that it lacks is nullopt, and
// says of a feature that it is not there.

struct Controls {
  std::function<std::optional<std::string>(const std::string& name)> text;
  std::function<std::optional<std::uint64_t>(const std::string& name)> number;
};
// Whether this process runs as one for Arm.
[[nodiscard]] bool IsArm(const Controls& controls);
[[nodiscard]] CpuInfo FromArmControls(const Controls& controls);
// Bits of XCR0 that it does not show yet and that the kernel sets for a thread when that first uses them.
[[nodiscard]] std::uint64_t StatesOnDemand(const Controls& controls);
// How many threads, cores and packages there are; what is not told stays as it is.
void AddCounts(const Controls& controls, CpuInfo& info);
// By level, those of the fastest cores first; empty where nothing is told.
[[nodiscard]] std::vector<Cache> CachesOf(const Controls& controls);
// "8 Performance + 4 Efficiency"; nullopt where all cores are of one kind.
[[nodiscard]] std::optional<std::string> KindsOfCores(const Controls& controls);

}  // namespace probe::cpu
