// SPDX-License-Identifier: MIT
#include "kernels/operand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

// Whether `value` is a multiple of 2^-fraction_bits in [-1, 1).
bool IsFixedPoint(float value, int fraction_bits) {
  const float scaled = std::ldexp(value, fraction_bits);
  return value >= -1.0F && value < 1.0F && scaled == std::nearbyint(scaled);
}

TEST(Operand, MixIsThePublishedFunction) {
  // Values from an independent evaluation of the published formula.
  EXPECT_EQ(Mix32(0), 0U);
  EXPECT_EQ(Mix32(1), 0x688990c0U);
  EXPECT_EQ(Mix32(0xffffffffU), 0x6768824aU);
}

TEST(Operand, EntriesAreExactInTheirTypeAndSpreadOverItsRange) {
  std::set<std::int8_t> int8_seen;
  double sum = 0;
  for (std::uint32_t i = 0; i < 100000; ++i) {
    ASSERT_TRUE(IsFixedPoint(OperandFp32(3, i), 23)) << i;
    ASSERT_TRUE(IsFixedPoint(OperandFp16(3, i), 10)) << i;
    ASSERT_TRUE(IsFixedPoint(OperandBf16(3, i), 7)) << i;
    int8_seen.insert(OperandInt8(3, i));
    sum += static_cast<double>(OperandFp32(3, i));
  }
  EXPECT_EQ(int8_seen.size(), 256U);
  EXPECT_LT(std::abs(sum / 100000), 0.01);
}

TEST(Operand, DiffersBetweenSeeds) { EXPECT_NE(OperandBits(1, 0), OperandBits(2, 0)); }

class FillTest : public ::testing::TestWithParam<Implementation> {};

template <typename T, typename Expected>
void ExpectFilled(const Implementation& fill, Expected expected) {
  for (const std::uint32_t count : {1U, 15U, 64U, 1000U, 4099U}) {
    for (const unsigned workers : {1U, 2U, 3U}) {
      Buffer<T> out(count);
      Launch(fill, {out.data()}, {count, 42}, workers);
      for (std::uint32_t i = 0; i < count; ++i)
        ASSERT_EQ(out.span()[i], expected(42, i)) << i << " of " << count;
      ASSERT_TRUE(out.intact()) << count << " elements by " << workers;
    }
  }
}

TEST_P(FillTest, WritesWhatTheHostRecomputes) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  if (GetParam().entry == "fill_u32") {
    ExpectFilled<std::uint32_t>(GetParam(), OperandBits);
  } else {
    ExpectFilled<float>(GetParam(), OperandFp32);
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, FillTest, ::testing::ValuesIn(Of("fill_u32")), Name);
INSTANTIATE_TEST_SUITE_P(Fp32, FillTest, ::testing::ValuesIn(Of("fill_fp32")), Name);

}  // namespace
}  // namespace kernels::cpu::testing
