// SPDX-License-Identifier: MIT
#include "kernels/cpu/feature_x86.h"

#include <cpuid.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace kernels::cpu {
namespace {

enum Register { kEax, kEbx, kEcx, kEdx };

// The registers that an instruction needs, as bits of XCR0: of 128, 256 and 512 bits (Intel SDM volume
// 1, 13.3).
constexpr std::uint32_t kNoState = 0, kVex = 0x06, kEvex = 0xe6;

struct Feature {
  std::string_view name;
  unsigned leaf;
  unsigned subleaf;
  Register reg;
  unsigned bit;
  std::uint32_t state;
};

// Intel SDM volume 2A, CPUID.
constexpr Feature kFeatures[] = {
    {"ssse3", 1, 0, kEcx, 9, kNoState},    {"sse4.2", 1, 0, kEcx, 20, kNoState},
    {"pclmul", 1, 0, kEcx, 1, kNoState},   {"aes", 1, 0, kEcx, 25, kNoState},
    {"fma", 1, 0, kEcx, 12, kVex},         {"f16c", 1, 0, kEcx, 29, kVex},
    {"bmi", 7, 0, kEbx, 3, kNoState},      {"bmi2", 7, 0, kEbx, 8, kNoState},
    {"avx2", 7, 0, kEbx, 5, kVex},         {"avxvnni", 7, 1, kEax, 4, kVex},
    {"avx512f", 7, 0, kEbx, 16, kEvex},    {"avx512dq", 7, 0, kEbx, 17, kEvex},
    {"avx512cd", 7, 0, kEbx, 28, kEvex},   {"avx512bw", 7, 0, kEbx, 30, kEvex},
    {"avx512vl", 7, 0, kEbx, 31, kEvex},   {"avx512vbmi", 7, 0, kEcx, 1, kEvex},
    {"avx512vnni", 7, 0, kEcx, 11, kEvex}, {"avx512bf16", 7, 1, kEax, 5, kEvex},
};

// XCR0, or 0 where the system saves nothing by it.
std::uint32_t SavedStates() {
  constexpr unsigned kOsXsave = 1U << 27U;  // CPUID.1:ECX
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsXsave) == 0) return 0;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | StatesSavedOnDemand();
}

// Asked once for each feature: a virtual machine takes microseconds for every CPUID.
std::array<bool, std::size(kFeatures)> AskAll() {
  std::array<bool, std::size(kFeatures)> out{};
  const auto saved = SavedStates();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Feature& feature = kFeatures[i];
    unsigned registers[4] = {};
    out[i] = (saved & feature.state) == feature.state &&
             __get_cpuid_count(feature.leaf, feature.subleaf, &registers[kEax], &registers[kEbx],
                               &registers[kEcx], &registers[kEdx]) != 0 &&
             (registers[feature.reg] >> feature.bit & 1U) != 0;
  }
  return out;
}

}  // namespace

bool HasFeature(std::string_view name) {
  static const auto has = AskAll();
  const auto* feature = std::find_if(std::begin(kFeatures), std::end(kFeatures),
                                     [&](const Feature& row) { return row.name == name; });
  return feature != std::end(kFeatures) && has[static_cast<std::size_t>(feature - std::begin(kFeatures))];
}

}  // namespace kernels::cpu
