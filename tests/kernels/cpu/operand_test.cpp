// SPDX-License-Identifier: MIT
#include "kernels/operand.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

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

TEST(Operand, WordsOfHalfPrecisionAreTheNumbers) {
  for (std::uint32_t i = 0; i < 10000; ++i) {
    const std::uint16_t word = OperandFp16Word(4, i);
    const int exponent = word >> 10 & 31, mantissa = word & 0x3ff;
    const float magnitude =
        word << 1 == 0 ? 0.0F : std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
    ASSERT_EQ((word & 0x8000) != 0 ? -magnitude : magnitude, OperandFp16(4, i)) << i;
    ASSERT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(OperandBf16Word(4, i)) << 16U),
              OperandBf16(4, i));
  }
}

TEST(Operand, DiffersBetweenSeeds) { EXPECT_NE(OperandBits(1, 0), OperandBits(2, 0)); }

class FillTest : public ::testing::TestWithParam<Implementation> {};

template <typename T>
void ExpectFilled(const Implementation& fill, T (*expected)(std::uint32_t, std::uint32_t)) {
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

// Operands of 4 MiB and more are written past the caches.
template <typename T>
void ExpectFilledPastCaches(const Implementation& fill, T (*expected)(std::uint32_t, std::uint32_t)) {
  constexpr std::uint32_t kCount = (4U << 20U) / sizeof(T) + 5;
  constexpr std::size_t kAlignment = 4096;
  std::vector<T> memory(kCount + 1 + kAlignment / sizeof(T));
  void* aligned = memory.data();
  std::size_t space = memory.size() * sizeof(T);
  auto* out = static_cast<T*>(std::align(kAlignment, (kCount + 1) * sizeof(T), aligned, space));
  Launch(fill, {out}, {kCount, 42}, 2);
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) wrong += out[i] != expected(42, i);
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(out[kCount], T{}) << "nothing is written behind the end";
}

TEST_P(FillTest, WritesLargeOperandsToo) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  if (GetParam().entry == "fill_u32") ExpectFilledPastCaches(GetParam(), OperandBits);
  if (GetParam().entry == "fill_fp32") ExpectFilledPastCaches(GetParam(), OperandFp32);
  if (GetParam().entry == "fill_bf16") ExpectFilledPastCaches(GetParam(), OperandBf16Word);
  if (GetParam().entry == "fill_fp16") ExpectFilledPastCaches(GetParam(), OperandFp16Word);
  if (GetParam().entry == "fill_int8") ExpectFilledPastCaches(GetParam(), OperandInt8);
}

TEST_P(FillTest, WritesWhatTheHostRecomputes) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  if (GetParam().entry == "fill_u32") ExpectFilled(GetParam(), OperandBits);
  if (GetParam().entry == "fill_fp32") ExpectFilled(GetParam(), OperandFp32);
  if (GetParam().entry == "fill_bf16") ExpectFilled(GetParam(), OperandBf16Word);
  if (GetParam().entry == "fill_fp16") ExpectFilled(GetParam(), OperandFp16Word);
  if (GetParam().entry == "fill_int8") ExpectFilled(GetParam(), OperandInt8);
}

INSTANTIATE_TEST_SUITE_P(Bits, FillTest, ::testing::ValuesIn(Of("fill_u32")), Name);
INSTANTIATE_TEST_SUITE_P(Fp32, FillTest, ::testing::ValuesIn(Of("fill_fp32")), Name);
INSTANTIATE_TEST_SUITE_P(Bf16, FillTest, ::testing::ValuesIn(Of("fill_bf16")), Name);
INSTANTIATE_TEST_SUITE_P(Fp16, FillTest, ::testing::ValuesIn(Of("fill_fp16")), Name);
INSTANTIATE_TEST_SUITE_P(Int8, FillTest, ::testing::ValuesIn(Of("fill_int8")), Name);

class WeighTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(WeighTest, AddsUpOperandsTimesFourRowsOfWeights) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  constexpr std::uint32_t kStride = 150, kSeed = 7, kFirst = 1000;
  constexpr int kBits = 11;
  Buffer<double> weights(std::size_t{4} * kStride), sums(4);
  for (std::uint32_t i = 0; i < 4 * kStride; ++i) weights.span()[i] = OperandInteger(3, i, 8);
  for (const std::uint32_t count : {1U, 7U, 150U}) {
    Launch(GetParam(), {weights.data(), sums.data()}, {count, kSeed, kFirst, kBits, kStride}, 1);
    for (std::uint32_t row = 0; row < 4; ++row) {
      double expected = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        expected += OperandInteger(kSeed, kFirst + i, kBits) * weights.span()[row * kStride + i];
      }
      EXPECT_EQ(sums.span()[row], expected) << "whole numbers add up exactly";
    }
  }
  EXPECT_TRUE(sums.intact());
}

INSTANTIATE_TEST_SUITE_P(Every, WeighTest, ::testing::ValuesIn(Of("weigh_operand")), Name);

struct Blocks {
  std::string_view weigh, fill;
  std::uint32_t words, bytes;  // of a block's weights
  std::vector<double> (*planes)(std::span<const double>);
  float (*weight)(std::uint32_t seed, std::uint32_t blocks, std::uint32_t index);
};
constexpr std::array kBlockTypes = {Blocks{"weigh_q4", "fill_q4", 4, 16, Q4Planes, OperandQ4},
                                    Blocks{"weigh_q8", "fill_q8", 8, 32, Q8Planes, OperandQ8}};
const Blocks& BlocksOf(std::string_view entry) {
  return entry.ends_with("q4") ? kBlockTypes.front() : kBlockTypes.back();
}

class WeighBlocksTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(WeighBlocksTest, MultipliesBlocksWithTheirScales) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  const Blocks& type = BlocksOf(GetParam().entry);
  constexpr std::uint32_t kSeed = 7, kAll = 60, kFirst = 20;
  for (const std::uint32_t blocks : {1U, 3U, 40U}) {
    std::vector<double> x(std::size_t{blocks} * kQ4Block);
    for (std::uint32_t i = 0; i < blocks * kQ4Block; ++i) x[i] = OperandInteger(3, i, 8);
    const std::vector<double> planes = type.planes(x);
    Buffer<double> in(planes.size()), sum(1);
    std::copy(planes.begin(), planes.end(), in.span().begin());
    Launch(GetParam(), {in.data(), sum.data()},
           {type.words * blocks, kSeed, type.words * kFirst, type.words * kAll}, 1);
    double expected = 0;
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      expected += double{type.weight(kSeed, kAll, kFirst * kQ4Block + i)} * x[i];
    }
    EXPECT_EQ(sum.span()[0], expected) << "multiples of 2^-17 or 2^-21 add up exactly";
    EXPECT_TRUE(sum.intact());
  }
}

INSTANTIATE_TEST_SUITE_P(Q4, WeighBlocksTest, ::testing::ValuesIn(Of("weigh_q4")), Name);
INSTANTIATE_TEST_SUITE_P(Q8, WeighBlocksTest, ::testing::ValuesIn(Of("weigh_q8")), Name);

TEST(WriteOperand, BeginsWhereItIsTold) {
  std::array<std::uint32_t, 100> words{};
  WriteOperand("fill_u32", 9, 5000, 100, words.data());
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(words[i], OperandBits(9, 5000 + i));
}

class FillBlocksTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(FillBlocksTest, WritesWeightsAndThenScales) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  const Blocks& type = BlocksOf(GetParam().entry);
  constexpr std::uint32_t kBlocks = 37;
  for (const unsigned workers : {1U, 3U}) {
    Buffer<std::uint8_t> out(std::size_t{kBlocks} * (type.bytes + 2));
    Launch(GetParam(), {out.data()}, {kBlocks * kQ4Block, 5}, workers);
    ASSERT_TRUE(out.intact());
    for (std::uint32_t i = 0; i < kBlocks * kQ4Block; ++i) {
      const std::uint32_t block = i / 32;
      const int half = out.span()[block * 16 + i % 16] >> (i % 32 / 16 * 4) & 15;
      const int number = type.bytes == 16 ? half - 8 : static_cast<std::int8_t>(out.span()[i]);
      std::uint16_t scale = 0;
      std::memcpy(&scale, &out.span()[kBlocks * type.bytes + block * 2], sizeof(scale));
      // A normal fp16 number, taken apart.
      const float value = std::ldexp(static_cast<float>((scale & 0x3ff) + 0x400), (scale >> 10) - 25);
      ASSERT_EQ(static_cast<float>(number) * value, type.weight(5, kBlocks, i)) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Q4, FillBlocksTest, ::testing::ValuesIn(Of("fill_q4")), Name);
INSTANTIATE_TEST_SUITE_P(Q8, FillBlocksTest, ::testing::ValuesIn(Of("fill_q8")), Name);

}  // namespace
}  // namespace kernels::cpu::testing
