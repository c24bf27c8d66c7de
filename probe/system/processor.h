// SPDX-License-Identifier: MIT
// What the running processor and kernel say of themselves without any file. Meaningless under a sysroot: ask
// only where FileSystem::live() is true.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace probe::system {

struct CpuidRegisters {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

// nullopt where the processor is not an x86 or the leaf is above its highest.
[[nodiscard]] std::optional<CpuidRegisters> Cpuid(std::uint32_t leaf, std::uint32_t subleaf = 0);
// XCR0, the register states that the operating system saves; nullopt where it does not use XSAVE or not on
// x86.
[[nodiscard]] std::optional<std::uint64_t> SavedStates();

// AT_HWCAP and AT_HWCAP2 of the auxiliary vector; their bits mean what the architecture says.
struct HardwareCapabilities {
  std::uint64_t hwcap = 0;
  std::uint64_t hwcap2 = 0;
};
[[nodiscard]] HardwareCapabilities Capabilities();

// What uname(2) says; empty where it says nothing.
struct KernelNames {
  std::string host;
  std::string release;
  std::string machine;  // "x86_64", "aarch64"
};
[[nodiscard]] KernelNames ReadKernelNames();
// The affinity mask of this thread, ascending; empty where the system does not tell.
[[nodiscard]] std::vector<int> UsableProcessors();
[[nodiscard]] std::optional<std::uint32_t> UsableThreads();  // as many as those
[[nodiscard]] std::optional<std::uint32_t> OnlineThreads();
[[nodiscard]] std::optional<std::uint64_t> PhysicalMemoryBytes();
[[nodiscard]] std::optional<std::uint64_t> FreeMemoryBytes();

// The numbers of a kernel list such as "0-3,8" (also "" and blanks: none). nullopt when it is no such list or
// names more than 65536 numbers.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> ParseNumberList(std::string_view text);

}  // namespace probe::system
