// SPDX-License-Identifier: MIT
#include "probe/system/processor.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace probe::system {
namespace {

std::optional<std::uint64_t> Sysconf(int name) {
  const long value = sysconf(name);
  if (value <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> Pages(int name) {
  const auto pages = Sysconf(name);
  const auto size = Sysconf(_SC_PAGESIZE);
  if (!pages || !size) return std::nullopt;
  return *pages * *size;
}

}  // namespace

HardwareCapabilities Capabilities() { return {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)}; }

KernelNames ReadKernelNames() {
  utsname names{};
  if (uname(&names) != 0) return {};
  return {names.nodename, names.release, names.machine};
}

std::vector<int> UsableProcessors() {
  // The system call itself, since the kernel refuses a mask smaller than its own and says how much it wrote.
  constexpr std::size_t kBits = 64;
  std::vector<int> usable;
  for (std::size_t words = 16; words <= 16384; words *= 4) {
    std::vector<std::uint64_t> mask(words);
    const long bytes = syscall(SYS_sched_getaffinity, 0, words * sizeof(std::uint64_t), mask.data());
    if (bytes <= 0) continue;
    for (std::size_t i = 0; i < words * kBits; ++i) {
      if ((mask[i / kBits] >> (i % kBits) & 1U) != 0) usable.push_back(static_cast<int>(i));
    }
    break;
  }
  return usable;
}

std::optional<std::uint32_t> OnlineThreads() {
  const auto count = Sysconf(_SC_NPROCESSORS_ONLN);
  if (!count) return std::nullopt;
  return static_cast<std::uint32_t>(*count);
}

std::optional<std::uint64_t> PhysicalMemoryBytes() { return Pages(_SC_PHYS_PAGES); }
std::optional<std::uint64_t> FreeMemoryBytes() { return Pages(_SC_AVPHYS_PAGES); }

}  // namespace probe::system
