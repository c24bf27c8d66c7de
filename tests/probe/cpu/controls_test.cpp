// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <map>

#include "probe/cpu/cpuinfo.h"

namespace probe::cpu {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

using Numbers = std::map<std::string, std::uint64_t>;
using Texts = std::map<std::string, std::string>;

template <class Value>
std::function<std::optional<Value>(const std::string&)> In(std::map<std::string, Value> values) {
  return [values = std::move(values)](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}
Controls Kernel(Numbers numbers, Texts texts = {}) {
  return {In<std::string>(std::move(texts)), In<std::uint64_t>(std::move(numbers))};
}

// What a Mac with an M3 Pro answers.
Controls M3Pro() {
  return Kernel({{"hw.optional.arm64", 1},
                 {"hw.optional.arm.FEAT_FP16", 1},
                 {"hw.optional.arm.FEAT_DotProd", 1},
                 {"hw.optional.arm.FEAT_BF16", 1},
                 {"hw.optional.arm.FEAT_I8MM", 1},
                 {"hw.optional.arm.FEAT_SME", 0},
                 {"hw.logicalcpu", 12},
                 {"hw.physicalcpu", 12},
                 {"hw.packages", 1},
                 {"hw.nperflevels", 2},
                 {"hw.perflevel0.physicalcpu", 6},
                 {"hw.perflevel0.logicalcpu", 6},
                 {"hw.perflevel0.l1dcachesize", 131072},
                 {"hw.perflevel0.l1icachesize", 196608},
                 {"hw.perflevel0.l2cachesize", 16777216},
                 {"hw.perflevel0.cpusperl2", 6},
                 {"hw.perflevel1.physicalcpu", 6},
                 {"hw.perflevel1.logicalcpu", 6},
                 {"hw.perflevel1.l1dcachesize", 65536},
                 {"hw.perflevel1.l2cachesize", 4194304},
                 {"hw.perflevel1.cpusperl2", 6}},
                {{"machdep.cpu.brand_string", "Apple M3 Pro"},
                 {"hw.perflevel0.name", "Performance"},
                 {"hw.perflevel1.name", "Efficiency"}});
}

TEST(Controls, NameAnArmProcessorAndItsFeatures) {
  ASSERT_TRUE(IsArm(M3Pro()));
  auto info = FromArmControls(M3Pro());
  AddCounts(M3Pro(), info);
  EXPECT_EQ(info.family, Family::kArm64);
  EXPECT_EQ(info.model, "Apple M3 Pro");
  EXPECT_EQ(info.vendor, "Apple");
  EXPECT_EQ(info.threads, 12U);
  EXPECT_EQ(info.cores, 12U);
  EXPECT_EQ(info.packages, 1U);
  EXPECT_THAT(info.flags, ElementsAre("asimd", "asimddp", "asimdhp", "bf16", "fp", "i8mm"));
  EXPECT_THAT(Features(info), Contains("dotprod"));
}

// A feature that the kernel has no name for is not there, unless the processor is known to have it.
TEST(Controls, OfMacos11TheFirstFamilyHasWhatItIsKnownToHave) {
  const Numbers of_11 = {{"hw.optional.arm64", 1}, {"hw.optional.neon_fp16", 1}};
  EXPECT_THAT(FromArmControls(Kernel(of_11)).flags, ElementsAre("asimd", "asimdhp", "fp"));
  auto of_first = of_11;
  of_first["hw.cpufamily"] = 0x1b588bb3;
  const auto flags = FromArmControls(Kernel(of_first)).flags;
  EXPECT_THAT(flags, Contains("asimddp"));
  EXPECT_THAT(flags, Not(Contains("bf16")));
  EXPECT_THAT(flags, Not(Contains("i8mm")));
  auto of_other = of_11;
  of_other["hw.cpufamily"] = 0xda33d83d;  // the M2's, which macOS 11 does not run on
  EXPECT_THAT(FromArmControls(Kernel(of_other)).flags, Not(Contains("asimddp")));
}

TEST(Controls, OfAProgramThatIsTranslatedCpuidCounts) {
  EXPECT_FALSE(IsArm(Kernel({{"hw.optional.arm64", 1}, {"sysctl.proc_translated", 1}})));
  EXPECT_TRUE(IsArm(Kernel({{"hw.optional.arm64", 1}, {"sysctl.proc_translated", 0}})));
  EXPECT_FALSE(IsArm(Kernel({})));
}

// XCR0 of macOS lacks the bits until a thread uses the registers.
TEST(Controls, NameTheRegistersThatAThreadGetsWhenItUsesThem) {
  constexpr std::uint64_t kShown = 0x7;
  const system::CpuidRegisters has_avx512{0, 1U << 16U, 0, 0};
  const auto cpuid = [&](std::uint32_t leaf, std::uint32_t) -> std::optional<system::CpuidRegisters> {
    return leaf == 7 ? has_avx512 : system::CpuidRegisters{};
  };
  const auto flags = [&](const Controls& controls) {
    return FromCpuid(cpuid, kShown | StatesOnDemand(controls)).flags;
  };
  EXPECT_THAT(flags(Kernel({{"hw.optional.avx512f", 1}})), Contains("avx512f"));
  EXPECT_THAT(flags(Kernel({{"hw.optional.avx512f", 0}})), Not(Contains("avx512f")));
  EXPECT_THAT(flags(Kernel({})), Not(Contains("avx512f")));
}

TEST(Controls, ListTheCachesOfEachKindOfCore) {
  EXPECT_THAT(CachesOf(M3Pro()),
              ElementsAre(Cache{1, "data", 131072, 1, 6}, Cache{1, "instruction", 196608, 1, 6},
                          Cache{1, "data", 65536, 1, 6}, Cache{2, "unified", 16777216, 6, 1},
                          Cache{2, "unified", 4194304, 6, 1}));
  EXPECT_EQ(KindsOfCores(M3Pro()), "6 Performance + 6 Efficiency");
}

TEST(Controls, WhereAllCoresAreAlikeTheLastCacheIsThePackages) {
  const auto intel = Kernel({{"hw.logicalcpu", 16},
                             {"hw.physicalcpu", 8},
                             {"hw.packages", 1},
                             {"hw.l1dcachesize", 32768},
                             {"hw.l2cachesize", 262144},
                             {"hw.l3cachesize", 16777216}});
  EXPECT_THAT(CachesOf(intel), ElementsAre(Cache{1, "data", 32768, 2, 8}, Cache{2, "unified", 262144, 2, 8},
                                           Cache{3, "unified", 16777216, 16, 1}));
  EXPECT_EQ(KindsOfCores(intel), std::nullopt);
}

TEST(Controls, LeaveUnknownWhatNoNameTells) {
  EXPECT_TRUE(CachesOf(Kernel({})).empty());
  EXPECT_TRUE(CachesOf(Kernel({{"hw.nperflevels", 4000000000}, {"hw.l1dcachesize", 1}})).empty());
  CpuInfo info;
  info.cores = 4;
  AddCounts(Kernel({{"hw.physicalcpu", 0}, {"hw.logicalcpu", 1ULL << 40U}}), info);
  EXPECT_EQ(info.cores, 4U);
  EXPECT_EQ(info.threads, std::nullopt);
}

}  // namespace
}  // namespace probe::cpu
