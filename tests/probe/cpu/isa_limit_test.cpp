// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/cpu/cpuinfo.h"

namespace probe::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Of an Intel Sapphire Rapids, what decides; sorted.
CpuInfo SapphireRapids() {
  CpuInfo info;
  info.family = Family::kX86;
  info.flags = {"abm",         "amx_bf16",    "amx_int8",    "amx_tile", "avx",      "avx2",
                "avx512_bf16", "avx512_fp16", "avx512_vnni", "avx512bw", "avx512cd", "avx512dq",
                "avx512f",     "avx512vl",    "avx_vnni",    "bmi1",     "bmi2",     "cx16",
                "f16c",        "fma",         "lahf_lm",     "lm",       "movbe",    "pni",
                "popcnt",      "sse2",        "sse4_1",      "sse4_2",   "ssse3",    "xsave"};
  return info;
}

CpuInfo Limited(std::string_view isa) {
  CpuInfo info = SapphireRapids();
  EXPECT_THAT(LimitTo(isa, info).value_or(""), HasSubstr(std::string("beyond ") + std::string(isa)));
  return info;
}

TEST(IsaLimit, LeavesALesserProcessor) {
  const auto avx2 = Limited("avx2");
  EXPECT_EQ(Architecture(avx2), "x86-64-v3");
  EXPECT_THAT(Features(avx2), ElementsAre("sse3", "ssse3", "sse4.1", "sse4.2", "avx", "f16c", "fma", "avx2"));
  EXPECT_THAT(Dtypes(Features(avx2)), ElementsAre("fp64", "fp32"));
  EXPECT_EQ(Architecture(Limited("sse4")), "x86-64-v2");
  EXPECT_THAT(Features(Limited("generic")), ElementsAre("sse3"));
}

TEST(IsaLimit, TakesDotProductsAndTilesSetBySet) {
  EXPECT_EQ(Architecture(Limited("avx512")), "x86-64-v4");
  EXPECT_THAT(Dtypes(Features(Limited("avx512"))), ElementsAre("fp64", "fp32", "int8")) << "AVX-VNNI's";
  EXPECT_THAT(MatrixUnits(Features(Limited("avx512_vnni"))), IsEmpty());
  EXPECT_THAT(Dtypes(Features(Limited("avx512_vnni"))), ElementsAre("fp64", "fp32", "fp16", "bf16", "int8"));
}

TEST(IsaLimit, SaysNothingWhereItTakesNothing) {
  CpuInfo info = SapphireRapids();
  EXPECT_EQ(LimitTo("amx", info), std::nullopt);
  EXPECT_EQ(info.flags, SapphireRapids().flags);
}

TEST(IsaLimit, AnUnknownNameIsIgnoredAndSaid) {
  CpuInfo info = SapphireRapids();
  EXPECT_THAT(LimitTo("avx9", info).value_or(""), HasSubstr("none of generic, sse4, avx2"));
  EXPECT_EQ(info.flags, SapphireRapids().flags);
}

}  // namespace
}  // namespace probe::cpu
