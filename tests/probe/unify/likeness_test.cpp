// SPDX-License-Identifier: MIT
#include "probe/unify/likeness.h"

#include "gtest/gtest.h"

namespace probe::unify {
namespace {

TEST(NormalName, DropsMakersAndMarks) {
  EXPECT_EQ(NormalName("NVIDIA GeForce RTX 4090"), NormalName("GeForce  RTX 4090"));
  EXPECT_EQ(NormalName("Intel(R) Arc(TM) A770 Graphics"), "arc a770");
  EXPECT_EQ(NormalName("AMD GPU"), "");
  EXPECT_NE(NormalName("RTX 4070"), NormalName("RTX 4070 Ti"));
}

TEST(Likeness, UnknownVendorsAreNeverTheSame) {
  const Traits nobody;
  EXPECT_FALSE(SameVendorAndKind(nobody, nobody));
  EXPECT_FALSE(SameNameAndMemory(nobody, nobody));
}

TEST(Likeness, VendorsInWordsCount) {
  RuntimeDevice words;
  words.vendor = "Advanced Micro Devices, Inc.";
  EXPECT_EQ(TraitsOf(words).vendor, 0x1002U);
  words.vendor = "Amdahl";
  EXPECT_EQ(TraitsOf(words).vendor, std::nullopt);
}

TEST(Likeness, MemoryMayDifferByWhatDriversHoldBack) {
  EXPECT_TRUE(SameSize(24000, 25700));
  EXPECT_FALSE(SameSize(16000, 24000));
  EXPECT_TRUE(SameSize(0, 0));
  EXPECT_FALSE(SameSize(0, UINT64_MAX));
}

}  // namespace
}  // namespace probe::unify
