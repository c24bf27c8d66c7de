// SPDX-License-Identifier: MIT

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/cpu/cpuinfo.h"
#include "probe/system/filesystem.h"
#include "probe/system/processor.h"

namespace probe::cpu {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

// A processor with AVX2, AVX-512F and tiles.
std::optional<system::CpuidRegisters> Machine(std::uint32_t leaf, std::uint32_t subleaf) {
  constexpr std::uint32_t kAll = 0xffffffff;
  if (leaf == 0) return system::CpuidRegisters{7, 0x756e6547, 0x6c65746e, 0x49656e69};  // "GenuineIntel"
  if (leaf == 1) return system::CpuidRegisters{0, 0, kAll, kAll};
  if (leaf == 7 && subleaf == 0) return system::CpuidRegisters{1, kAll, kAll, kAll};
  if (leaf == 0x16) return system::CpuidRegisters{2000, 3800, 100, 0};
  if (leaf == 0x80000001) return system::CpuidRegisters{0, 0, kAll, kAll};
  return std::nullopt;
}

TEST(FromCpuid, LeavesOutWhatTheOperatingSystemDoesNotSave) {
  const auto none = FromCpuid(Machine, std::nullopt);
  EXPECT_EQ(none.vendor, "Intel");
  EXPECT_TRUE(none.Has("sse4_2"));
  EXPECT_FALSE(none.Has("avx"));
  const auto avx = FromCpuid(Machine, 0x7);
  EXPECT_EQ(Architecture(avx), "x86-64-v3");
  EXPECT_FALSE(avx.Has("avx512f"));
  const auto avx512 = FromCpuid(Machine, 0xe7);
  EXPECT_EQ(Architecture(avx512), "x86-64-v4");
  EXPECT_FALSE(avx512.Has("amx_tile"));
  EXPECT_TRUE(FromCpuid(Machine, 0x600e7).Has("amx_tile"));
}

TEST(FromCpuid, IsUnknownWithoutCpuid) {
  const auto info = FromCpuid([](auto, auto) { return std::nullopt; }, 0xe7);
  EXPECT_EQ(info.family, Family::kUnknown);
  EXPECT_TRUE(info.flags.empty());
}

TEST(MaxClock, ComesFromTheFrequencyLeaf) {
  EXPECT_EQ(MaxClockHz(Machine), 3.8e9);
  EXPECT_EQ(MaxClockHz([](auto, auto) { return system::CpuidRegisters{}; }), std::nullopt);
}

TEST(FromCapabilities, ReadsArmBits) {
  const auto info = FromCapabilities({0x3 | 1U << 22U, 1U << 13U});
  EXPECT_EQ(Architecture(info), "armv8.0-a");
  EXPECT_THAT(Features(info), ElementsAre("neon", "i8mm", "sve"));
}

TEST(NumberList, ReadsRangesAndRefusesNonsense) {
  EXPECT_THAT(*system::ParseNumberList("0-3,8\n"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(*system::ParseNumberList("\n"), ElementsAre());
  for (const auto* text : {"3-1", "a", "1-", "-1", "0-4294967295", "1,,2", "99999999999"}) {
    EXPECT_EQ(system::ParseNumberList(text), std::nullopt) << text;
  }
}

// What the kernel lists and what the processor says agree wherever both are there.
TEST(FromCpuid, AgreesWithTheKernelOnThisMachine) {
  const auto files = system::FileSystem::Open("/");
  ASSERT_TRUE(files);
  const auto text = files->Read("/proc/cpuinfo", 8U << 20U);
  if (!text || !system::Cpuid(0)) GTEST_SKIP() << "no /proc/cpuinfo or not an x86";
  const auto kernel = Features(ParseCpuInfo(*text));
  const auto own = Features(
      FromCpuid([](auto leaf, auto sub) { return system::Cpuid(leaf, sub); }, system::SavedStates()));
  for (const std::string& feature : kernel) EXPECT_THAT(own, Contains(feature));
}

}  // namespace
}  // namespace probe::cpu
