// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "probe/core/text.h"
#include "probe/cpu/cpuinfo.h"

namespace probe::cpu {
namespace {

using system::CpuidRegisters;

// Bits of XCR0 that an instruction set needs: SSE and AVX; those and the AVX-512 states; the tiles.
constexpr std::uint64_t kNoState = 0;
constexpr std::uint64_t kAvxState = 0x6;
constexpr std::uint64_t kTileState = 0x60000;

struct FlagBit {
  std::uint32_t leaf;
  std::uint32_t subleaf;
  std::uint32_t CpuidRegisters::* reg;
  std::uint32_t bit;
  std::uint64_t state;
  std::string_view flag;  // as the kernel writes it
};

constexpr auto kEax = &CpuidRegisters::eax;
constexpr auto kEbx = &CpuidRegisters::ebx;
constexpr auto kEcx = &CpuidRegisters::ecx;
constexpr auto kEdx = &CpuidRegisters::edx;
constexpr std::uint32_t kExtended = 0x80000001;

constexpr std::array kFlagBits = {FlagBit{1, 0, kEdx, 26, kNoState, "sse2"},
                                  FlagBit{1, 0, kEcx, 0, kNoState, "pni"},
                                  FlagBit{1, 0, kEcx, 9, kNoState, "ssse3"},
                                  FlagBit{1, 0, kEcx, 12, kAvxState, "fma"},
                                  FlagBit{1, 0, kEcx, 13, kNoState, "cx16"},
                                  FlagBit{1, 0, kEcx, 19, kNoState, "sse4_1"},
                                  FlagBit{1, 0, kEcx, 20, kNoState, "sse4_2"},
                                  FlagBit{1, 0, kEcx, 22, kNoState, "movbe"},
                                  FlagBit{1, 0, kEcx, 23, kNoState, "popcnt"},
                                  FlagBit{1, 0, kEcx, 26, kNoState, "xsave"},
                                  FlagBit{1, 0, kEcx, 28, kAvxState, "avx"},
                                  FlagBit{1, 0, kEcx, 29, kAvxState, "f16c"},
                                  FlagBit{1, 0, kEcx, 31, kNoState, "hypervisor"},
                                  FlagBit{7, 0, kEbx, 3, kNoState, "bmi1"},
                                  FlagBit{7, 0, kEbx, 5, kAvxState, "avx2"},
                                  FlagBit{7, 0, kEbx, 8, kNoState, "bmi2"},
                                  FlagBit{7, 0, kEbx, 16, kAvx512State, "avx512f"},
                                  FlagBit{7, 0, kEbx, 17, kAvx512State, "avx512dq"},
                                  FlagBit{7, 0, kEbx, 28, kAvx512State, "avx512cd"},
                                  FlagBit{7, 0, kEbx, 30, kAvx512State, "avx512bw"},
                                  FlagBit{7, 0, kEbx, 31, kAvx512State, "avx512vl"},
                                  FlagBit{7, 0, kEcx, 1, kAvx512State, "avx512vbmi"},
                                  FlagBit{7, 0, kEcx, 11, kAvx512State, "avx512_vnni"},
                                  FlagBit{7, 0, kEdx, 22, kTileState, "amx_bf16"},
                                  FlagBit{7, 0, kEdx, 23, kAvx512State, "avx512_fp16"},
                                  FlagBit{7, 0, kEdx, 24, kTileState, "amx_tile"},
                                  FlagBit{7, 0, kEdx, 25, kTileState, "amx_int8"},
                                  FlagBit{7, 1, kEax, 4, kAvxState, "avx_vnni"},
                                  FlagBit{7, 1, kEax, 5, kAvx512State, "avx512_bf16"},
                                  FlagBit{7, 1, kEax, 21, kTileState, "amx_fp16"},
                                  FlagBit{7, 1, kEdx, 4, kAvxState, "avx_vnni_int8"},
                                  FlagBit{7, 1, kEdx, 5, kAvxState, "avx_ne_convert"},
                                  FlagBit{kExtended, 0, kEcx, 0, kNoState, "lahf_lm"},
                                  FlagBit{kExtended, 0, kEcx, 5, kNoState, "abm"},
                                  FlagBit{kExtended, 0, kEdx, 29, kNoState, "lm"}};

struct CapabilityBit {
  std::uint64_t system::HardwareCapabilities::* word;
  std::uint32_t bit;
  std::string_view flag;
};
constexpr auto kFirst = &system::HardwareCapabilities::hwcap;
constexpr auto kSecond = &system::HardwareCapabilities::hwcap2;
constexpr std::array kCapabilityBits = {
    CapabilityBit{kFirst, 0, "fp"},       CapabilityBit{kFirst, 1, "asimd"},
    CapabilityBit{kFirst, 7, "crc32"},    CapabilityBit{kFirst, 8, "atomics"},
    CapabilityBit{kFirst, 10, "asimdhp"}, CapabilityBit{kFirst, 12, "asimdrdm"},
    CapabilityBit{kFirst, 13, "jscvt"},   CapabilityBit{kFirst, 14, "fcma"},
    CapabilityBit{kFirst, 15, "lrcpc"},   CapabilityBit{kFirst, 16, "dcpop"},
    CapabilityBit{kFirst, 20, "asimddp"}, CapabilityBit{kFirst, 22, "sve"},
    CapabilityBit{kFirst, 24, "dit"},     CapabilityBit{kFirst, 25, "uscat"},
    CapabilityBit{kFirst, 26, "ilrcpc"},  CapabilityBit{kFirst, 27, "flagm"},
    CapabilityBit{kFirst, 29, "sb"},      CapabilityBit{kSecond, 1, "sve2"},
    CapabilityBit{kSecond, 7, "flagm2"},  CapabilityBit{kSecond, 8, "frint"},
    CapabilityBit{kSecond, 9, "svei8mm"}, CapabilityBit{kSecond, 12, "svebf16"},
    CapabilityBit{kSecond, 13, "i8mm"},   CapabilityBit{kSecond, 14, "bf16"},
    CapabilityBit{kSecond, 23, "sme"},    CapabilityBit{kSecond, 37, "sme2"}};

void AppendText(std::uint32_t word, std::string& text) {
  char bytes[sizeof word];
  std::memcpy(bytes, &word, sizeof word);
  text.append(bytes, sizeof word);
}

std::optional<std::string> BrandString(const CpuidReader& cpuid) {
  std::string text;
  for (std::uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const auto part = cpuid(leaf, 0);
    if (!part) return std::nullopt;
    for (const auto reg : {kEax, kEbx, kEcx, kEdx}) AppendText((*part).*reg, text);
  }
  std::string clean = CleanText(text.substr(0, text.find('\0')));
  if (clean.empty()) return std::nullopt;
  return clean;
}

}  // namespace

CpuInfo FromCpuid(const CpuidReader& cpuid, std::optional<std::uint64_t> saved_states) {
  CpuInfo info;
  const auto first = cpuid(0, 0);
  if (!first) return info;
  info.family = Family::kX86;
  std::string vendor;
  for (const auto reg : {kEbx, kEdx, kEcx}) AppendText((*first).*reg, vendor);
  info.vendor = VendorName(vendor);
  info.model = BrandString(cpuid);
  const std::uint64_t saved = saved_states.value_or(0);
  for (const FlagBit& known : kFlagBits) {
    const auto leaf = cpuid(known.leaf, known.subleaf);
    const bool set = leaf && ((*leaf).*known.reg >> known.bit & 1U) != 0;
    if (set && (saved & known.state) == known.state) info.flags.emplace_back(known.flag);
  }
  std::sort(info.flags.begin(), info.flags.end());
  return info;
}

std::optional<double> MaxClockHz(const CpuidReader& cpuid) {
  const auto clocks = cpuid(0x16, 0);
  const std::uint32_t mhz = clocks ? clocks->ebx & 0xffffU : 0;
  if (mhz == 0) return std::nullopt;
  return mhz * 1e6;
}

CpuInfo FromCapabilities(const system::HardwareCapabilities& capabilities) {
  CpuInfo info;
  info.family = Family::kArm64;
  for (const CapabilityBit& known : kCapabilityBits) {
    if ((capabilities.*known.word >> known.bit & 1U) != 0) info.flags.emplace_back(known.flag);
  }
  std::sort(info.flags.begin(), info.flags.end());
  return info;
}

}  // namespace probe::cpu
