// SPDX-License-Identifier: MIT
// What the running processor and kernel say of themselves without any file. Meaningless under a sysroot: ask
// only where FileSystem::live() is true.
#pragma once

#include <cstdint>
#include <memory>
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

// Whether the kernel tells of the machine by files below /proc and /sys.
[[nodiscard]] bool TellsByFiles();

// What the kernel says under a name of sysctlbyname(3), as a text and as a number ("hw.memsize"); nullopt for
// a name that it lacks, and where the system tells all that by files.
[[nodiscard]] std::optional<std::string> ControlText(const std::string& name);
[[nodiscard]] std::optional<std::uint64_t> ControlNumber(const std::string& name);

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
// Seconds that all processors together have been busy since the machine started; nullopt where files tell it.
[[nodiscard]] std::optional<double> BusySecondsHere();
// The C library of this process by name and version, "glibc 2.36"; nullopt where it is a part of the system.
[[nodiscard]] std::optional<std::string> CLibraryHere();

// Asks for large pages behind these addresses. Advice alone: what the system makes of it is its own matter.
void PreferLargePages(void* address, std::uint64_t bytes);

// Keeps the calling thread on one processor for good. Where the system refuses, or knows no such thing, it
// places the thread.
void Pin(int processor);
// The same while it lives; -1 leaves the thread where it is.
class Pinned {
 public:
  explicit Pinned(int processor);
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned();

 private:
  struct Mask;
  std::unique_ptr<Mask> saved_;  // nullptr: there is nothing to give back
};

// The numbers of a kernel list such as "0-3,8" (also "" and blanks: none). nullopt when it is no such list or
// names more than 65536 numbers.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> ParseNumberList(std::string_view text);

}  // namespace probe::system
