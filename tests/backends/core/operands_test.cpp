// SPDX-License-Identifier: MIT
#include "backends/core/operands.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "tests/kernels/narrow_floats.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Role;

template <class T>
std::vector<T> Written(Dtype dtype, std::uint32_t seed, std::uint32_t first, std::size_t count) {
  std::vector<T> out(count);
  EXPECT_TRUE(WriteOperand(dtype, seed, first, std::as_writable_bytes(std::span(out))));
  return out;
}

double Expected(Dtype dtype, std::uint32_t seed, std::uint32_t index) {
  const OperandFormat format = *FormatOf(dtype);
  return format.scale * kernels::OperandInteger(seed, index, format.bits);
}

TEST(Operands, MemoryHoldsExactlyTheFormatsNumbers) {
  constexpr std::uint32_t kFirst = 4000000000U;
  const auto fp32 = Written<float>(Dtype::kFp32, 5, kFirst, 5000);
  const auto tf32 = Written<float>(Dtype::kTf32, 5, kFirst, 5000);
  const auto fp16 = Written<std::uint16_t>(Dtype::kFp16, 5, kFirst, 5000);
  const auto bf16 = Written<std::uint16_t>(Dtype::kBf16, 5, kFirst, 5000);
  const auto int8 = Written<std::int8_t>(Dtype::kInt8, 5, kFirst, 5000);
  const auto u32 = Written<std::uint32_t>(Dtype::kU32, 5, kFirst, 5000);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(fp32[i], Expected(Dtype::kFp32, 5, kFirst + i));
    ASSERT_EQ(tf32[i], Expected(Dtype::kTf32, 5, kFirst + i));
    ASSERT_EQ(tests::FromHalf(fp16[i]), Expected(Dtype::kFp16, 5, kFirst + i));
    ASSERT_EQ(tests::FromBf16(bf16[i]), Expected(Dtype::kBf16, 5, kFirst + i));
    ASSERT_EQ(int8[i], Expected(Dtype::kInt8, 5, kFirst + i));
    ASSERT_EQ(u32[i], kernels::OperandBits(5, kFirst + i));
  }
}

TEST(Operands, FourBitBlocksHoldTheirWeights) {
  constexpr std::uint32_t kBlocks = 50;
  std::vector<std::byte> bytes(OperandBytes(Dtype::kQ4, std::uint64_t{kBlocks} * kernels::kQ4Block));
  ASSERT_EQ(bytes.size(), kBlocks * 18U);
  ASSERT_TRUE(WriteOperand(Dtype::kQ4, 5, 0, bytes));
  std::set<double> scales;
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    const auto weight = [&](std::uint32_t i) {
      return double{kernels::OperandQ4(5, kBlocks, block * kernels::kQ4Block + i)};
    };
    const std::byte* at = bytes.data() + std::size_t{block} * 16;
    std::uint16_t scale_word = 0;
    std::memcpy(&scale_word, bytes.data() + std::size_t{kBlocks} * 16 + std::size_t{block} * 2, 2);
    const double scale = tests::FromHalf(scale_word);
    scales.insert(scale);
    for (std::uint32_t i = 0; i < 16; ++i) {
      EXPECT_EQ(weight(i), scale * (static_cast<double>(at[i] & std::byte{15}) - 8));
      EXPECT_EQ(weight(i + 16), scale * (static_cast<double>(at[i] >> 4) - 8));
    }
  }
  EXPECT_GT(scales.size(), kBlocks / 2) << "a kernel that ignores the scale must fail";
}

TEST(Operands, EightBitBlocksHoldTheirWeights) {
  constexpr std::uint32_t kBlocks = 50;
  std::vector<std::byte> bytes(OperandBytes(Dtype::kQ8, std::uint64_t{kBlocks} * kernels::kQ4Block));
  ASSERT_EQ(bytes.size(), kBlocks * 34U);
  ASSERT_TRUE(WriteOperand(Dtype::kQ8, 5, 0, bytes));
  for (std::uint32_t i = 0; i < kBlocks * kernels::kQ4Block; ++i) {
    std::uint16_t scale = 0;
    std::memcpy(&scale, bytes.data() + std::size_t{kBlocks} * 32 + std::size_t{i} / 32 * 2, 2);
    const double weight = tests::FromHalf(scale) * static_cast<double>(static_cast<std::int8_t>(bytes[i]));
    ASSERT_EQ(double{kernels::OperandQ8(5, kBlocks, i)}, weight);
    ASSERT_LE(std::abs(weight), kBlockAmplitude);
  }
  const kernels::Problem problem{2, 0, 64, 0, 0};
  EXPECT_EQ(kernels::Work(kernels::Kernel::kGemv, Dtype::kQ8, problem), 4.0 * 34)
      << "scales are read as well";
}

TEST(Operands, TwoFp4NumbersShareAByte) {
  const auto format = FormatOf(Dtype::kFp4);
  ASSERT_TRUE(format);
  std::array<std::byte, 64> bytes{};
  ASSERT_TRUE(WriteOperand(Dtype::kFp4, 5, 32, bytes));
  std::vector<std::int32_t> integers(2 * bytes.size());
  OperandIntegers(5, 32, format->bits, integers);
  std::set<float> seen;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const float number = tests::FromFp4(std::to_integer<std::uint8_t>(bytes[i / 2] >> (i % 2 * 4)) & 15);
    EXPECT_EQ(number, format->scale * integers[i]);
    seen.insert(number);
  }
  EXPECT_EQ(seen.size(), 8U);
}

TEST(Operands, TypesWithoutOperandsSaySo) {
  std::array<std::byte, 8> out{};
  EXPECT_FALSE(FormatOf(Dtype::kInt32));
  EXPECT_FALSE(WriteOperand(Dtype::kInt32, 1, 0, out));
}

TEST(Operands, NoTwoRolesOrGenerationsShareASeed) {
  std::set<std::uint32_t> seeds;
  for (std::uint32_t generation = 0; generation < 100; ++generation) {
    for (const Role role : {Role::kA, Role::kB, Role::kW, Role::kX, Role::kIn, Role::kOut}) {
      EXPECT_TRUE(seeds.insert(OperandSeed(0x77686963, role, generation)).second);
    }
  }
}

}  // namespace
}  // namespace backends
