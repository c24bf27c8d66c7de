// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "kernels/operand.h"
#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

std::uint32_t HostSum(std::uint32_t seed, std::uint32_t count) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += OperandBits(seed, i);
  return sum;
}

constexpr std::uint32_t kCounts[] = {1, 63, 1024, 5000, 70001};

class SumTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(SumTest, OfOperandsIsTheHosts) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  for (const std::uint32_t count : kCounts) {
    for (const unsigned workers : {1U, 2U, 3U}) {
      Buffer<std::uint32_t> in(count), sums(workers);
      for (std::uint32_t i = 0; i < count; ++i) in.span()[i] = OperandBits(9, i);
      if (GetParam().entry == "read_u32") {
        Launch(GetParam(), {in.data(), sums.data()}, {count}, workers);
      } else {
        Launch(GetParam(), {sums.data()}, {count, 9}, workers);
      }
      std::uint32_t total = 0;
      for (const std::uint32_t sum : sums.span()) total += sum;
      EXPECT_EQ(total, HostSum(9, count)) << count << " words by " << workers;
      EXPECT_TRUE(sums.intact());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Read, SumTest, ::testing::ValuesIn(Of("read_u32")), Name);
INSTANTIATE_TEST_SUITE_P(Generated, SumTest, ::testing::ValuesIn(Of("sum_operand_u32")), Name);

class CopyTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(CopyTest, CopiesEveryWordAndNoMore) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  for (const std::uint32_t count : kCounts) {
    for (const unsigned workers : {1U, 2U, 3U}) {
      Buffer<std::uint32_t> in(count), out(count);
      for (std::uint32_t i = 0; i < count; ++i) in.span()[i] = OperandBits(9, i);
      Launch(GetParam(), {in.data(), out.data()}, {count}, workers);
      EXPECT_TRUE(std::equal(in.span().begin(), in.span().end(), out.span().begin()))
          << count << " by " << workers;
      EXPECT_TRUE(out.intact());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, CopyTest, ::testing::ValuesIn(Of("copy_u32")), Name);

class TriadTest : public ::testing::TestWithParam<Implementation> {};

// The factor is a power of two, so that one rounding is all there is, fused or not.
TEST_P(TriadTest, AddsTheMultipleOfEveryElement) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  for (const std::uint32_t count : kCounts) {
    for (const unsigned workers : {1U, 2U, 3U}) {
      Buffer<float> a(count), b(count), out(count);
      for (std::uint32_t i = 0; i < count; ++i) {
        a.span()[i] = OperandFp32(1, i);
        b.span()[i] = OperandFp32(2, i);
      }
      Launch(GetParam(), {a.data(), b.data(), out.data()}, {count, std::bit_cast<std::uint32_t>(0.25F)},
             workers);
      for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(out.span()[i], a.span()[i] + 0.25F * b.span()[i])
            << i << " of " << count << " by " << workers;
      }
      EXPECT_TRUE(out.intact());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, TriadTest, ::testing::ValuesIn(Of("triad_fp32")), Name);

TEST(OperandChecksum, SeesOneChangedWord) {
  constexpr std::uint32_t kCount = 4096;
  Buffer<std::uint32_t> in(kCount), sums(1);
  for (std::uint32_t i = 0; i < kCount; ++i) in.span()[i] = OperandBits(1, i);
  Launch(*Best("read_u32"), {in.data(), sums.data()}, {kCount}, 1);
  EXPECT_EQ(sums.span()[0], OperandChecksum(1, kCount));
  in.span()[2047] ^= 1U;
  Launch(*Best("read_u32"), {in.data(), sums.data()}, {kCount}, 1);
  EXPECT_NE(sums.span()[0], OperandChecksum(1, kCount));
}

}  // namespace
}  // namespace kernels::cpu::testing
