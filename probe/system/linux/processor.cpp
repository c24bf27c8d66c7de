// SPDX-License-Identifier: MIT
#include "probe/system/processor.h"

#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>

#include "probe/core/text.h"

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

constexpr int kMaxProcessors = 16384;

struct CpuSet {
  CpuSet() : set(CPU_ALLOC(kMaxProcessors)), bytes(CPU_ALLOC_SIZE(kMaxProcessors)) { CPU_ZERO_S(bytes, set); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;
  ~CpuSet() { CPU_FREE(set); }
  cpu_set_t* set;
  std::size_t bytes;
};

}  // namespace

struct Pinned::Mask : CpuSet {};

Pinned::Pinned(int processor) {
  if (processor < 0) return;
  auto mask = std::make_unique<Mask>();
  if (sched_getaffinity(0, mask->bytes, mask->set) != 0) return;
  saved_ = std::move(mask);
  Pin(processor);
}

Pinned::~Pinned() {
  if (saved_) sched_setaffinity(0, saved_->bytes, saved_->set);
}

void Pin(int processor) {
  const CpuSet mask;
  CPU_SET_S(static_cast<std::size_t>(processor), mask.bytes, mask.set);
  sched_setaffinity(0, mask.bytes, mask.set);
}

void PreferLargePages(void* address, std::uint64_t bytes) { madvise(address, bytes, MADV_HUGEPAGE); }

bool TellsByFiles() { return true; }
// All of this is.
std::optional<std::string> ControlText(const std::string&) { return std::nullopt; }
std::optional<std::uint64_t> ControlNumber(const std::string&) { return std::nullopt; }
std::optional<double> BusySecondsHere() { return std::nullopt; }

std::optional<std::string> CLibraryHere() {
  std::array<char, 64> version{};
  const auto length = confstr(_CS_GNU_LIBC_VERSION, version.data(), version.size());
  if (length <= 1 || length > version.size()) return std::nullopt;
  return CleanText(version.data(), version.size());
}

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
