// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
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

// Of every type of weights: what fills it, and the value of weight i of `count`.
struct TypeRow {
  std::string_view type, fill;
  std::uint64_t (*bytes)(std::uint64_t count);
  float (*weight)(std::uint32_t i, std::uint32_t count);
};
constexpr std::array kTypes = {
    TypeRow{"fp32", "fill_fp32", [](std::uint64_t count) { return 4 * count; },
            [](std::uint32_t i, std::uint32_t) { return OperandFp32(kSeedW, i); }},
    TypeRow{"fp16", "fill_fp16", [](std::uint64_t count) { return 2 * count; },
            [](std::uint32_t i, std::uint32_t) { return OperandFp16(kSeedW, i); }},
    TypeRow{"bf16", "fill_bf16", [](std::uint64_t count) { return 2 * count; },
            [](std::uint32_t i, std::uint32_t) { return OperandBf16(kSeedW, i); }},
    TypeRow{"q4", "fill_q4", Q4Bytes,
            [](std::uint32_t i, std::uint32_t count) { return OperandQ4(kSeedW, count / kQ4Block, i); }},
    TypeRow{"q8", "fill_q8", Q8Bytes,
            [](std::uint32_t i, std::uint32_t count) { return OperandQ8(kSeedW, count / kQ4Block, i); }},
};

class GemvTest : public ::testing::TestWithParam<Implementation> {
 protected:
  static const TypeRow& Type() {
    return *std::find_if(kTypes.begin(), kTypes.end(), [](const TypeRow& row) {
      return GetParam().entry.starts_with("gemv_" + std::string(row.type));
    });
  }
  static bool InBlocks() { return Type().type.starts_with("q"); }
  static bool In8Bits() { return std::count(GetParam().entry.begin(), GetParam().entry.end(), '_') == 2; }
  static std::uint64_t Bytes(std::uint32_t count) { return Type().bytes(count); }
  static void Fill(void* w, std::uint32_t count) { Launch(*Best(Type().fill), {w}, {count, kSeedW}, 1); }
  static float Weight(std::uint32_t i, std::uint32_t count) { return Type().weight(i, count); }
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
  if (InBlocks()) return;
  for (const std::uint32_t k : {1U, 31U, 67U, 1001U}) {
    Buffer<std::byte> w(Bytes(5 * k));
    Buffer<float> x = MakeX(k);
    Fill(w.data(), 5 * k);
    Buffer<float> y = Multiply(w.data(), x, 5, 2);
    ExpectRows(y.span(), Taken(x.span(), false), [&](std::uint32_t i) { return Weight(i, 5 * k); });
  }
}

// The largest numbers of both, which saturating sums would cut off, and a block of zeros, which has no scale.
TEST_P(GemvTest, ExtremeWeightsAndVectorsKeepTheirSums) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  if (!InBlocks()) return;
  constexpr std::uint32_t kColumns = 4 * kQ4Block, kBlocks = 2 * kColumns / kQ4Block;
  // The least of a type and its greatest.
  const bool q4 = Type().type == "q4";
  const std::uint8_t least_byte = q4 ? 0x00 : 0x80, most_byte = q4 ? 0xff : 0x7f;
  const float least = q4 ? -8 : -128, most = q4 ? 7 : 127;
  Buffer<std::byte> w(Bytes(2 * kColumns));
  constexpr std::uint16_t kOne = 0x3c00;  // of fp16
  const std::size_t number_bytes = w.span().size() - kBlocks * sizeof(kOne);
  std::memset(w.data(), least_byte, number_bytes / 2);
  std::memset(w.data() + number_bytes / 2, most_byte, number_bytes / 2);
  for (std::uint32_t i = 0; i < kBlocks; ++i)
    std::memcpy(w.data() + number_bytes + i * sizeof(kOne), &kOne, sizeof(kOne));
  Buffer<float> x(kColumns);
  for (std::uint32_t i = 0; i < kColumns; ++i)
    x.span()[i] = i / kQ4Block == 1 ? 0.0F : i / kQ4Block == 2 ? 1.0F : -1.0F;
  Buffer<float> y = Multiply(w.data(), x, 2, 1);
  const float sum = -1.0F * kQ4Block;  // of x
  EXPECT_NEAR(y.span()[0], least * sum, 1e-2);
  EXPECT_NEAR(y.span()[1], most * sum, 1e-2);
}

std::vector<Implementation> All() {
  std::vector<Implementation> all;
  for (const Implementation& row : Implementations()) {
    if (row.entry.starts_with("gemv_")) all.push_back(row);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, GemvTest, ::testing::ValuesIn(All()), Name);

}  // namespace
}  // namespace kernels::cpu::testing
