// SPDX-License-Identifier: MIT
#include "probe/system/processor.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bit>
#include <charconv>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace probe::system {
namespace {

constexpr std::string_view kBlank = " \t\n";
constexpr std::size_t kMaxNumbers = 65536;
[[maybe_unused]] constexpr std::uint32_t kOsXsave = 1U << 27U;  // CPUID.1:ECX, Intel SDM volume 2

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

std::optional<std::uint32_t> Number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

#if defined(__x86_64__) || defined(__i386__)
std::optional<CpuidRegisters> Cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  CpuidRegisters out;
  if (__get_cpuid_count(leaf, subleaf, &out.eax, &out.ebx, &out.ecx, &out.edx) == 0) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> SavedStates() {
  const auto basic = Cpuid(1);
  if (!basic || (basic->ecx & kOsXsave) == 0) return std::nullopt;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32U | low;
}
#else
std::optional<CpuidRegisters> Cpuid(std::uint32_t, std::uint32_t) { return std::nullopt; }
std::optional<std::uint64_t> SavedStates() { return std::nullopt; }
#endif

HardwareCapabilities Capabilities() { return {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)}; }

std::string MachineName() {
  utsname names{};
  return uname(&names) == 0 ? names.machine : "";
}

std::optional<std::uint32_t> UsableThreads() {
  // The system call itself, since the kernel refuses a mask smaller than its own and says how much it wrote.
  for (std::size_t words = 16; words <= 16384; words *= 4) {
    std::vector<std::uint64_t> mask(words);
    const long bytes = syscall(SYS_sched_getaffinity, 0, words * sizeof(std::uint64_t), mask.data());
    if (bytes <= 0) continue;
    int count = 0;
    for (const std::uint64_t word : mask) count += std::popcount(word);
    return static_cast<std::uint32_t>(count);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> OnlineThreads() {
  const auto count = Sysconf(_SC_NPROCESSORS_ONLN);
  if (!count) return std::nullopt;
  return static_cast<std::uint32_t>(*count);
}

std::optional<std::uint64_t> PhysicalMemoryBytes() { return Pages(_SC_PHYS_PAGES); }
std::optional<std::uint64_t> FreeMemoryBytes() { return Pages(_SC_AVPHYS_PAGES); }

std::optional<std::vector<std::uint32_t>> ParseNumberList(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  while (!text.empty() && kBlank.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const auto dash = part.find('-');
    const auto first = Number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : Number(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= kMaxNumbers - numbers.size())
      return std::nullopt;
    for (std::uint32_t number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace probe::system
