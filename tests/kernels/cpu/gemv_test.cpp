// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/operand.h"
#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

constexpr std::uint32_t kSeedW = 1, kSeedX = 2;

// Every row of y against its sum in double precision, within k roundings of it (see gemm_test.cpp).
template <typename Weight>
void ExpectRows(std::span<const float> y, std::uint32_t k, Weight weight) {
  for (std::uint32_t row = 0; row < y.size(); ++row) {
    double exact = 0, magnitude = 0;
    for (std::uint32_t p = 0; p < k; ++p) {
      const double product =
          static_cast<double>(weight(row * k + p)) * static_cast<double>(OperandFp32(kSeedX, p));
      exact += product;
      magnitude += std::abs(product);
    }
    ASSERT_LE(std::abs(static_cast<double>(y[row]) - exact), 1.01 * (k + 2.0) * 0x1p-24 * magnitude)
        << "row " << row;
  }
}

Buffer<float> MakeX(std::uint32_t k) {
  Buffer<float> x(k);
  for (std::uint32_t i = 0; i < k; ++i) x.span()[i] = OperandFp32(kSeedX, i);
  return x;
}

class GemvTest : public ::testing::TestWithParam<Implementation> {};

TEST_P(GemvTest, IsTheExactProductWithinRounding) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  const bool is_q4 = GetParam().entry == "gemv_q4";
  struct Shape {
    std::uint32_t m, k;
  };
  for (const Shape shape : {Shape{1, 32}, Shape{3, 64}, Shape{17, 96}, Shape{50, 2080}, Shape{33, 4128}}) {
    for (const unsigned workers : {1U, 2U, 3U}) {
      const std::uint32_t count = shape.m * shape.k, blocks = count / kQ4Block;
      Buffer<std::byte> w(is_q4 ? Q4Bytes(count) : count * sizeof(float));
      Launch(*Best(is_q4 ? "fill_q4" : "fill_fp32"), {w.data()}, {count, kSeedW}, 1);
      Buffer<float> x = MakeX(shape.k), y(shape.m);
      Launch(GetParam(), {w.data(), x.data(), y.data()}, {shape.m, shape.k}, workers);
      if (is_q4) {
        ExpectRows(y.span(), shape.k, [&](std::uint32_t i) { return OperandQ4(kSeedW, blocks, i); });
      } else {
        ExpectRows(y.span(), shape.k, [](std::uint32_t i) { return OperandFp32(kSeedW, i); });
      }
      EXPECT_TRUE(y.intact());
    }
  }
}

// Rows of q4 are whole blocks; those of fp32 may have any length.
TEST_P(GemvTest, TakesRowsOfAnyLengthThatItsTypeAllows) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  if (GetParam().entry == "gemv_q4") return;
  for (const std::uint32_t k : {1U, 31U, 67U, 1001U}) {
    Buffer<float> w(std::size_t{5} * k), x = MakeX(k), y(5);
    Launch(*Best("fill_fp32"), {w.data()}, {5 * k, kSeedW}, 1);
    Launch(GetParam(), {w.data(), x.data(), y.data()}, {5, k}, 2);
    ExpectRows(y.span(), k, [](std::uint32_t i) { return OperandFp32(kSeedW, i); });
  }
}

INSTANTIATE_TEST_SUITE_P(Fp32, GemvTest, ::testing::ValuesIn(Of("gemv_fp32")), Name);
INSTANTIATE_TEST_SUITE_P(Q4, GemvTest, ::testing::ValuesIn(Of("gemv_q4")), Name);

}  // namespace
}  // namespace kernels::cpu::testing
