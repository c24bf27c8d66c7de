// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/operand.h"
#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

constexpr std::uint32_t kSeedW = 1, kSeedX = 2;

using Numbers = std::vector<double>;

// Every row of y against its sum in double precision, within k roundings of it (see gemm_test.cpp).
template <typename Weight>
void ExpectRows(std::span<const float> y, const Numbers& x, Weight weight) {
  const auto k = static_cast<std::uint32_t>(x.size());
  for (std::uint32_t row = 0; row < y.size(); ++row) {
    double exact = 0, magnitude = 0;
    for (std::uint32_t p = 0; p < k; ++p) {
      const double product = static_cast<double>(weight(row * k + p)) * x[p];
      exact += product;
      magnitude += std::abs(product);
    }
    ASSERT_LE(std::abs(static_cast<double>(y[row]) - exact), 1.01 * (k + 2.0) * 0x1p-24 * magnitude)
        << "row " << row;
  }
}

// What the kernel takes x to be: blocks of 32 integers with a scale, or x itself.
Numbers Taken(std::span<const float> x, bool in_8_bits) {
  Numbers taken(x.begin(), x.end());
  for (std::size_t first = 0; in_8_bits && first < x.size(); first += kQ4Block) {
    float largest = 0;
    for (const float value : x.subspan(first, kQ4Block)) largest = std::max(largest, std::abs(value));
    for (std::size_t i = first; i < first + kQ4Block; ++i) {
      const float number = largest > 0 ? std::nearbyint(x[i] * (127.0F / largest)) : 0;
      taken[i] = static_cast<double>(number) * static_cast<double>(largest / 127.0F);
    }
  }
  return taken;
}

Buffer<float> MakeX(std::uint32_t k) {
  Buffer<float> x(k);
  for (std::uint32_t i = 0; i < k; ++i) x.span()[i] = OperandFp32(kSeedX, i);
  return x;
}

class GemvTest : public ::testing::TestWithParam<Implementation> {
 protected:
  static bool IsFp32() { return GetParam().entry == "gemv_fp32"; }
  static bool In8Bits() { return GetParam().entry.ends_with("_q8"); }
  static std::uint64_t Bytes(std::uint32_t count) {
    return IsFp32() ? count * sizeof(float) : Q4Bytes(count);
  }
  static void Fill(void* w, std::uint32_t count) {
    Launch(*Best(IsFp32() ? "fill_fp32" : "fill_q4"), {w}, {count, kSeedW}, 1);
  }
  static float Weight(std::uint32_t i, std::uint32_t count) {
    return IsFp32() ? OperandFp32(kSeedW, i) : OperandQ4(kSeedW, count / kQ4Block, i);
  }
  // y, whose end is watched as the workspace's.
  static Buffer<float> Multiply(void* w, Buffer<float>& x, std::uint32_t m, unsigned workers) {
    const auto k = static_cast<std::uint32_t>(x.span().size());
    Buffer<float> y(m);
    Buffer<std::byte> work(GemvWorkspaceBytes(k, workers));
    Launch(GetParam(), {w, x.data(), y.data(), work.data()}, {m, k}, workers);
    EXPECT_TRUE(y.intact());
    EXPECT_TRUE(work.intact());
    return y;
  }
};

TEST_P(GemvTest, IsTheExactProductWithinRounding) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  struct Shape {
    std::uint32_t m, k;
  };
  for (const Shape shape : {Shape{1, 32}, Shape{3, 64}, Shape{17, 96}, Shape{50, 2080}, Shape{33, 4128}}) {
    for (const unsigned workers : {1U, 2U, 3U}) {
      const std::uint32_t count = shape.m * shape.k;
      Buffer<std::byte> w(Bytes(count));
      Fill(w.data(), count);
      Buffer<float> x = MakeX(shape.k);
      Buffer<float> y = Multiply(w.data(), x, shape.m, workers);
      ExpectRows(y.span(), Taken(x.span(), In8Bits()), [&](std::uint32_t i) { return Weight(i, count); });
    }
  }
}

// The end of a row's blocks, wherever it falls in a vector, and the end of the rows.
TEST_P(GemvTest, EveryNumberOfBlocksAndRowsIsWhole) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  for (std::uint32_t i = 1; i <= 34; ++i) {
    const std::uint32_t m = i % 11 + 1, k = i * kQ4Block, count = m * k;
    Buffer<std::byte> w(Bytes(count));
    Fill(w.data(), count);
    Buffer<float> x = MakeX(k);
    Buffer<float> y = Multiply(w.data(), x, m, 1);
    ExpectRows(y.span(), Taken(x.span(), In8Bits()), [&](std::uint32_t p) { return Weight(p, count); });
  }
}

// Rows of blocks are whole blocks; others may have any length.
TEST_P(GemvTest, TakesRowsOfAnyLengthThatItsTypeAllows) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  if (!IsFp32()) return;
  for (const std::uint32_t k : {1U, 31U, 67U, 1001U}) {
    Buffer<float> w(std::size_t{5} * k), x = MakeX(k);
    Fill(w.data(), 5 * k);
    Buffer<float> y = Multiply(w.data(), x, 5, 2);
    ExpectRows(y.span(), Taken(x.span(), false), [&](std::uint32_t i) { return Weight(i, 5 * k); });
  }
}

// The largest numbers of both, which saturating sums would cut off, and a block of zeros, which has no scale.
TEST_P(GemvTest, ExtremeWeightsAndVectorsKeepTheirSums) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  if (IsFp32()) return;
  constexpr std::uint32_t kColumns = 4 * kQ4Block, kBlocks = 2 * kColumns / kQ4Block;
  Buffer<std::byte> w(Bytes(2 * kColumns));
  constexpr std::uint16_t kOne = 0x3c00;  // of fp16
  const std::size_t number_bytes = w.span().size() - kBlocks * sizeof(kOne);
  std::memset(w.data(), 0x00, number_bytes / 2);
  std::memset(w.data() + number_bytes / 2, 0xff, number_bytes / 2);
  for (std::uint32_t i = 0; i < kBlocks; ++i)
    std::memcpy(w.data() + number_bytes + i * sizeof(kOne), &kOne, sizeof(kOne));
  Buffer<float> x(kColumns);
  for (std::uint32_t i = 0; i < kColumns; ++i)
    x.span()[i] = i / kQ4Block == 1 ? 0.0F : i / kQ4Block == 2 ? 1.0F : -1.0F;
  Buffer<float> y = Multiply(w.data(), x, 2, 1);
  const float sum = -1.0F * kQ4Block;  // of x
  EXPECT_NEAR(y.span()[0], -8 * sum, 1e-4);
  EXPECT_NEAR(y.span()[1], 7 * sum, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Fp32, GemvTest, ::testing::ValuesIn(Of("gemv_fp32")), Name);
INSTANTIATE_TEST_SUITE_P(Q4, GemvTest, ::testing::ValuesIn(Of("gemv_q4")), Name);
INSTANTIATE_TEST_SUITE_P(Q4Q8, GemvTest, ::testing::ValuesIn(Of("gemv_q4_q8")), Name);

}  // namespace
}  // namespace kernels::cpu::testing
