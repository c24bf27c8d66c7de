// SPDX-License-Identifier: MIT
// The kernel's names for what it knows, sysctl(3), and what Mach counts.
#include "probe/system/processor.h"

#include <mach/mach.h>
#include <sys/sysctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace probe::system {
namespace {

// No name says more that anybody here asks for.
constexpr std::size_t kLongestText = 64U << 10U;

// This process's right to ask about the machine, given back with it.
class HostPort {
 public:
  HostPort() : port_(mach_host_self()) {}
  HostPort(const HostPort&) = delete;
  HostPort& operator=(const HostPort&) = delete;
  ~HostPort() { mach_port_deallocate(mach_task_self(), port_); }
  [[nodiscard]] host_t get() const { return port_; }

 private:
  host_t port_;
};

}  // namespace

struct Pinned::Mask {};
// A thread's affinity there is a hint on which threads share a cache, and none at all on Arm.
Pinned::Pinned(int) {}
Pinned::~Pinned() = default;
void Pin(int) {}

// Superpages have to be asked for at once, by mmap, and exist on Intel's processors alone.
void PreferLargePages(void*, std::uint64_t) {}

HardwareCapabilities Capabilities() { return {}; }

bool TellsByFiles() { return false; }

std::optional<std::string> ControlText(const std::string& name) {
  std::size_t size = 0;
  if (sysctlbyname(name.c_str(), nullptr, &size, nullptr, 0) != 0 || size == 0 || size > kLongestText)
    return std::nullopt;
  std::string text(size, '\0');
  if (sysctlbyname(name.c_str(), text.data(), &size, nullptr, 0) != 0) return std::nullopt;
  text.resize(std::min(text.find('\0'), size));
  return text;
}

// Of 32 or 64 bits, as the name has it.
std::optional<std::uint64_t> ControlNumber(const std::string& name) {
  std::uint64_t wide = 0;
  std::size_t size = sizeof wide;
  if (sysctlbyname(name.c_str(), &wide, &size, nullptr, 0) != 0) return std::nullopt;
  if (size == sizeof wide) return wide;
  std::uint32_t narrow = 0;
  if (size != sizeof narrow) return std::nullopt;
  std::memcpy(&narrow, &wide, sizeof narrow);
  return narrow;
}

KernelNames ReadKernelNames() {
  utsname names{};
  if (uname(&names) != 0) return {};
  const std::string_view machine = names.machine;
  return {names.nodename, names.release, std::string(machine == "arm64" ? "aarch64" : machine)};
}

std::vector<int> UsableProcessors() { return {}; }

std::optional<std::uint32_t> OnlineThreads() {
  const auto count = ControlNumber("hw.logicalcpu");
  if (!count || *count == 0 || *count > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*count);
}

std::optional<std::uint64_t> PhysicalMemoryBytes() { return ControlNumber("hw.memsize"); }

// What Activity Monitor shows neither as used memory nor as swap: pages that are free, and "cached files",
// which are pages of files and what programs have called purgeable. Pages that were read ahead count as free
// and as a file's. Inactive pages of programs are none: the system has to compress or swap them first.
std::optional<std::uint64_t> FreeMemoryBytes() {
  const HostPort host;
  vm_statistics64 pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (host_statistics64(host.get(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) !=
      KERN_SUCCESS)
    return std::nullopt;
  const std::uint64_t unused = pages.free_count - std::min(pages.free_count, pages.speculative_count);
  const std::uint64_t available = unused + pages.external_page_count + pages.purgeable_count;
  return std::min(available * vm_kernel_page_size, PhysicalMemoryBytes().value_or(UINT64_MAX));
}

std::optional<double> BusySecondsHere() {
  const HostPort host;
  host_cpu_load_info load{};
  mach_msg_type_number_t count = HOST_CPU_LOAD_INFO_COUNT;
  if (host_statistics(host.get(), HOST_CPU_LOAD_INFO, reinterpret_cast<host_info_t>(&load), &count) !=
      KERN_SUCCESS)
    return std::nullopt;
  std::uint64_t ticks = 0;
  for (const int state : {CPU_STATE_USER, CPU_STATE_SYSTEM, CPU_STATE_NICE}) ticks += load.cpu_ticks[state];
  return static_cast<double>(ticks) / static_cast<double>(std::max(sysconf(_SC_CLK_TCK), 1L));
}

// Of libSystem, which is of the system's own version.
std::optional<std::string> CLibraryHere() { return std::nullopt; }

}  // namespace probe::system
