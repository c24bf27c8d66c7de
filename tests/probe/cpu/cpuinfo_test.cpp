// SPDX-License-Identifier: MIT
#include "probe/cpu/cpuinfo.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace probe::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;

constexpr std::string_view kV3 =
    "lm sse2 cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 bmi1 bmi2 f16c fma abm movbe xsave";

std::string X86(std::string_view flags, int processor = 0, int package = 0, int core = 0) {
  return "processor\t: " + std::to_string(processor) + "\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon\n" +
         "physical id\t: " + std::to_string(package) + "\ncore id\t\t: " + std::to_string(core) +
         "\nflags\t\t: " + std::string(flags) + "\n\n";
}

TEST(CpuInfo, CountsThreadsCoresAndPackages) {
  const auto info =
      ParseCpuInfo(X86(kV3, 0, 0, 0) + X86(kV3, 1, 0, 0) + X86(kV3, 2, 1, 0) + X86(kV3, 3, 1, 0));
  EXPECT_EQ(info.threads, 4U);
  EXPECT_EQ(info.cores, 2U);
  EXPECT_EQ(info.packages, 2U);
  EXPECT_EQ(info.vendor, "Intel");
  EXPECT_EQ(info.model, "Xeon");
}

TEST(CpuInfo, KeepsOnlyFlagsThatEveryProcessorHas) {
  const auto info = ParseCpuInfo(X86("sse2 avx512f lm", 0) + X86("sse2 lm", 1));
  EXPECT_THAT(info.flags, ElementsAre("lm", "sse2"));
}

TEST(Architecture, GrowsWithTheFlags) {
  const std::string v3(kV3);
  EXPECT_EQ(Architecture(ParseCpuInfo(X86("sse2 lm"))), "x86-64");
  EXPECT_EQ(Architecture(ParseCpuInfo(X86(v3))), "x86-64-v3");
  EXPECT_EQ(Architecture(ParseCpuInfo(X86(v3 + " avx512f avx512bw avx512cd avx512dq"))), "x86-64-v3");
  EXPECT_EQ(Architecture(ParseCpuInfo(X86(v3 + " avx512f avx512bw avx512cd avx512dq avx512vl"))),
            "x86-64-v4");
  EXPECT_EQ(Architecture(ParseCpuInfo("nothing of use")), std::nullopt);
}

TEST(Architecture, NamesArmLevels) {
  const std::string v82 = "Features : fp asimd atomics crc32 asimdrdm dcpop asimdhp asimddp\n";
  EXPECT_EQ(Architecture(ParseCpuInfo(v82)), "armv8.2-a");
  EXPECT_EQ(Architecture(ParseCpuInfo("Features : fp asimd\n")), "armv8.0-a");
}

TEST(CpuInfo, NamesArmProcessorsByPart) {
  const auto info = ParseCpuInfo(
      "processor : 0\nFeatures : fp asimd sve i8mm bf16\nCPU implementer : 0x41\nCPU part : 0xd4f\n"
      "processor : 1\nFeatures : fp asimd sve i8mm bf16\nCPU implementer : 0x41\nCPU part : 0xd4f\n");
  EXPECT_EQ(info.model, "Neoverse-V2");
  EXPECT_EQ(info.vendor, "Arm");
  EXPECT_THAT(Features(info), ElementsAre("neon", "bf16", "i8mm", "sve"));
}

TEST(CpuInfo, NamesBothKindsOfCores) {
  const auto info = ParseCpuInfo(
      "CPU implementer : 0x41\nCPU part : 0xd03\nCPU implementer : 0x41\nCPU part : 0xd08\n"
      "CPU implementer : 0x41\nCPU part : 0xd03\n");
  EXPECT_EQ(info.model, "Cortex-A53 + Cortex-A72");
}

TEST(CpuInfo, ReadsRiscv) {
  const auto info = ParseCpuInfo("processor : 0\nisa : rv64imafdcv_zba_zbb\nuarch : thead,c910\n");
  EXPECT_EQ(Architecture(info), "rv64imafdcv");
  EXPECT_EQ(info.model, "thead,c910");
}

TEST(Features, NamesTilesAndTheirTypes) {
  const auto features = Features(ParseCpuInfo(X86("amx_tile amx_bf16 amx_int8 avx512_vnni")));
  EXPECT_THAT(features, ElementsAre("avx512vnni", "amx-tile", "amx-bf16", "amx-int8"));
  EXPECT_THAT(MatrixUnits(features), ElementsAre("bf16/fp32", "int8/int32"));
  EXPECT_THAT(Dtypes(features), ElementsAre("fp64", "fp32", "bf16", "int8"));
  EXPECT_THAT(Dtypes({}), ElementsAre("fp64", "fp32"));
}

TEST(CpuInfo, SurvivesHostileText) {
  std::string long_line = "flags : ";
  for (int i = 0; i < 5000; ++i) long_line += "f" + std::to_string(i) + " ";
  EXPECT_LE(ParseCpuInfo(long_line).flags.size(), 1024U);
  EXPECT_EQ(ParseCpuInfo(std::string("\0\xff:\xfe\n:::\nprocessor:", 19)).threads, std::nullopt);
  const auto info = ParseCpuInfo("model name : \x1b[31mred\nphysical id : 99999999999\ncore id : -1\n");
  EXPECT_THAT(*info.model, Not(::testing::HasSubstr("\x1b")));
  EXPECT_EQ(info.cores, std::nullopt);
}

}  // namespace
}  // namespace probe::cpu
