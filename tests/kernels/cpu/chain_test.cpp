// SPDX-License-Identifier: MIT
#include "kernels/cpu/chain.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

struct Depth {
  std::string_view entry, isa;
  std::uint32_t elements;
};
constexpr Depth kDepths[] = {{"chain_bf16", "amx", 32},
                             {"chain_bf16", "avx512_bf16", 2},
                             {"chain_int8", "amx", 64},
                             {"chain_int8", "avx512_vnni", 4}};

std::uint32_t Expected(const Implementation& chain, std::uint32_t j) {
  if (chain.entry == "chain_fp32") return std::bit_cast<std::uint32_t>(1.5F - ChainStart(j));
  for (const Depth& row : kDepths) {
    if (row.entry != chain.entry || row.isa != chain.isa) continue;
    const std::int32_t product = ChainProduct(j, row.elements);
    return chain.entry == "chain_int8" ? std::bit_cast<std::uint32_t>(product)
                                       : std::bit_cast<std::uint32_t>(static_cast<float>(product));
  }
  ADD_FAILURE() << "no expectation for " << chain.entry << " " << chain.isa;
  return 0;
}

class ChainTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(ChainTest, EndsInTheOtherOfItsTwoStates) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  for (const std::uint32_t units : {0U, 1U, 7U}) {
    for (const unsigned workers : {1U, 2U}) {
      Buffer<std::uint32_t> out(kChainWords * workers);
      Launch(GetParam(), {out.data()}, {units}, workers);
      for (std::uint32_t i = 0; i < out.span().size(); ++i) {
        ASSERT_EQ(out.span()[i], Expected(GetParam(), i % kChainWords)) << i << " of " << workers;
      }
      EXPECT_TRUE(out.intact());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fp32, ChainTest, ::testing::ValuesIn(Of("chain_fp32")), Name);
INSTANTIATE_TEST_SUITE_P(Bf16, ChainTest, ::testing::ValuesIn(Of("chain_bf16")), Name);
INSTANTIATE_TEST_SUITE_P(Int8, ChainTest, ::testing::ValuesIn(Of("chain_int8")), Name);
// Where an architecture has none of these.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ChainTest);

TEST(ChainRounds, CoverTheShareAndAreOdd) {
  for (const std::uint32_t units : {0U, 1U, 100U, 0xffffffffU}) {
    for (const std::uint64_t operations : {128ULL, 768ULL, 131072ULL}) {
      const std::uint64_t rounds = ChainRounds(units, operations, Worker{1, 3, nullptr});
      EXPECT_EQ(rounds % 2, 1U);
      EXPECT_GE(rounds * operations, units * kChainUnit / 3);
      EXPECT_LE(rounds * operations, units * kChainUnit / 3 + 3 * operations);
    }
  }
}

class ClockTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(ClockTest, AddsAsOftenAsAsked) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  Buffer<std::uint32_t> out(2);
  Launch(GetParam(), {out.data()}, {2}, 2);
  EXPECT_EQ(out.span()[0], 3U << 21U);
  EXPECT_EQ(out.span()[1], 3U << 21U);
}

INSTANTIATE_TEST_SUITE_P(Every, ClockTest, ::testing::ValuesIn(Of("clock_adds")), Name);

TEST(Empty, DoesNothing) { Launch(*Best("empty"), {}, {}, 2); }

}  // namespace
}  // namespace kernels::cpu::testing
