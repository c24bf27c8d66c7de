// SPDX-License-Identifier: MIT
#include "kernels/cpu/chain.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

class ChainTest : public ::testing::TestWithParam<Implementation> {};

// Counts that fill the registers of a worker not at all, once, and several times with a rest.
TEST_P(ChainTest, AddsAllOnesToEveryAccumulator) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  const bool integer = GetParam().entry == "chain_int8";
  for (const std::uint32_t count : {1U, 1024U, 5000U}) {
    for (const std::uint32_t products : {0U, 64U, 1U << 14U}) {
      for (const unsigned workers : {1U, 2U}) {
        Buffer<std::uint32_t> out(count);
        Launch(GetParam(), {out.data()}, {count, products}, workers);
        for (std::uint32_t i = 0; i < count; ++i) {
          const std::uint32_t sum = products + i % kChainStarts;
          ASSERT_EQ(out.span()[i], integer ? sum : std::bit_cast<std::uint32_t>(static_cast<float>(sum)))
              << i << " of " << count;
        }
        EXPECT_TRUE(out.intact());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fp32, ChainTest, ::testing::ValuesIn(Of("chain_fp32")), Name);
INSTANTIATE_TEST_SUITE_P(Bf16, ChainTest, ::testing::ValuesIn(Of("chain_bf16")), Name);
INSTANTIATE_TEST_SUITE_P(Int8, ChainTest, ::testing::ValuesIn(Of("chain_int8")), Name);
// Where an architecture has none of these.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ChainTest);

class ClockTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(ClockTest, AddsAsOftenAsAsked) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  Buffer<std::uint32_t> out(2);
  Launch(GetParam(), {out.data()}, {2}, 2);
  EXPECT_EQ(out.span()[0], 3U << 15U);
  EXPECT_EQ(out.span()[1], 3U << 15U);
}

INSTANTIATE_TEST_SUITE_P(Every, ClockTest, ::testing::ValuesIn(Of("clock_adds")), Name);

TEST(Empty, DoesNothing) { Launch(*Best("empty"), {}, {}, 2); }

}  // namespace
}  // namespace kernels::cpu::testing
