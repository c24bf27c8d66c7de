// SPDX-License-Identifier: MIT
// Right products pass and every way to be wrong that a driver has shown, or could, fails.
#include "backends/core/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "backends/core/operands.h"

namespace backends {
namespace {

using kernels::Dtype;

GemmOperands Operands(std::uint32_t m, std::uint32_t n, std::uint32_t k, Dtype in = Dtype::kFp32) {
  GemmOperands operands;
  operands.problem = {m, n, k, 0, 0};
  operands.in = in;
  operands.acc = in == Dtype::kInt8 ? Dtype::kInt32 : Dtype::kFp32;
  operands.seed_a = 11;
  operands.seed_b = 12;
  return operands;
}

// C by the textbook, summed in the accumulator's type.
template <class Acc>
std::vector<Acc> Multiply(const GemmOperands& g) {
  const auto [m, n, k, count, seed] = g.problem;
  const OperandFormat format = *FormatOf(g.in);
  const auto operand = [&](std::uint32_t operand_seed, std::uint32_t index) {
    return static_cast<Acc>(kernels::OperandInteger(operand_seed, index, format.bits)) *
           static_cast<Acc>(format.scale);
  };
  std::vector<Acc> b(std::size_t{k} * n);
  for (std::uint32_t i = 0; i < k; ++i) {
    for (std::uint32_t j = 0; j < n; ++j)
      b[i * n + j] = operand(g.seed_b, g.b_transposed ? j * k + i : i * n + j);
  }
  std::vector<Acc> c(std::size_t{m} * n);
  for (std::uint32_t row = 0; row < m; ++row) {
    for (std::uint32_t i = 0; i < k; ++i) {
      const Acc a = operand(g.seed_a, row * k + i);
      for (std::uint32_t j = 0; j < n; ++j) c[row * n + j] += a * b[i * n + j];
    }
  }
  return c;
}

template <class T>
Verdict Check(const GemmOperands& operands, const std::vector<T>& c) {
  const auto reference = GemmReference::Create(operands);
  EXPECT_TRUE(reference.ok());
  Verdict verdict;
  reference->Check(0, std::as_bytes(std::span(c)), verdict);
  return verdict;
}

TEST(GemmReference, RightProductsPassInEveryTypeAndShape) {
  for (const auto& [m, n, k] :
       {std::array{64U, 64U, 64U}, {1U, 1U, 1U}, {3U, 257U, 130U}, {100U, 31U, 1000U}}) {
    for (const bool transposed : {false, true}) {
      for (const Dtype in : {Dtype::kFp32, Dtype::kTf32, Dtype::kFp16, Dtype::kBf16}) {
        GemmOperands operands = Operands(m, n, k, in);
        operands.b_transposed = transposed;
        const Verdict verdict = Check(operands, Multiply<float>(operands));
        EXPECT_TRUE(verdict.right) << verdict.reason;
        EXPECT_LT(verdict.max_relative_error, 1e-4);
      }
      GemmOperands operands = Operands(m, n, k, Dtype::kInt8);
      operands.b_transposed = transposed;
      const Verdict verdict = Check(operands, Multiply<std::int32_t>(operands));
      EXPECT_TRUE(verdict.right) << verdict.reason;
      EXPECT_EQ(verdict.max_relative_error, 0.0);
    }
  }
}

class WrongProduct : public ::testing::Test {
 protected:
  // A million entries, made by the tests that want them: they take as long as a hundred other tests.
  const GemmOperands operands_ = Operands(1000, 1000, 48);
  const std::vector<float> right_ = Multiply<float>(operands_);
};

TEST_F(WrongProduct, OneWrongEntryInAMillionFailsWhereverItIs) {
  const auto reference = GemmReference::Create(operands_);
  std::mt19937 random(3);
  std::vector<float> c = right_;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t at = trial == 0 ? 0 : trial == 1 ? c.size() - 1 : random() % c.size();
    // As small as the tolerance of a row's sum lets show: 1/1000 of a typical entry.
    c[at] += 0.003F;
    Verdict verdict;
    const std::size_t row = at / 1000;
    reference->Check(static_cast<std::uint32_t>(row), std::as_bytes(std::span(c).subspan(row * 1000, 1000)),
                     verdict);
    EXPECT_FALSE(verdict.right) << at;
    EXPECT_NE(verdict.reason.find("row " + std::to_string(row)), std::string::npos) << verdict.reason;
    c[at] = right_[at];
  }
  EXPECT_TRUE(Check(operands_, c).right);
}

TEST_F(WrongProduct, TransposedOperandsFail) {
  GemmOperands operands = Operands(96, 96, 96);
  GemmOperands transposed = operands;
  transposed.b_transposed = true;
  EXPECT_FALSE(Check(operands, Multiply<float>(transposed)).right);
  std::swap(transposed.seed_a, transposed.seed_b);
  EXPECT_FALSE(Check(operands, Multiply<float>(transposed)).right) << "A and B exchanged";
}

TEST_F(WrongProduct, TransposedResultFails) {
  const GemmOperands operands = Operands(96, 96, 96);
  std::vector<float> c = Multiply<float>(operands);
  for (std::size_t i = 0; i < 96; ++i) {
    for (std::size_t j = 0; j < i; ++j) std::swap(c[i * 96 + j], c[j * 96 + i]);
  }
  EXPECT_FALSE(Check(operands, c).right);
}

TEST_F(WrongProduct, UnwrittenTileFailsWhateverItHeldBefore) {
  for (const float before : {std::numeric_limits<float>::quiet_NaN(), 0.0F}) {
    std::vector<float> c = right_;
    for (std::size_t i = 960; i < 1000; ++i)
      std::fill_n(c.begin() + static_cast<std::ptrdiff_t>(i * 1000 + 992), 8, before);
    EXPECT_FALSE(Check(operands_, c).right);
  }
}

TEST_F(WrongProduct, StaleResultOfOtherOperandsFails) {
  GemmOperands fresh = operands_;
  fresh.seed_a = 13;
  EXPECT_FALSE(Check(fresh, right_).right);
  fresh = operands_;
  fresh.seed_b = 13;
  EXPECT_FALSE(Check(fresh, right_).right);
}

TEST_F(WrongProduct, NanAndInfinityFail) {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> c = right_;
    c[123456] = value;
    const Verdict verdict = Check(operands_, c);
    EXPECT_FALSE(verdict.right);
    EXPECT_NE(verdict.reason.find("not finite"), std::string::npos) << verdict.reason;
  }
}

TEST_F(WrongProduct, CoarserArithmeticThanClaimedFails) {
  const GemmOperands operands = Operands(64, 64, 512);
  std::vector<float> c = Multiply<float>(operands);
  // What operands rounded to bf16 would do: 2^-9 of an entry.
  for (float& value : c) value *= 1.0F + 0x1p-9F;
  EXPECT_FALSE(Check(operands, c).right);
}

TEST_F(WrongProduct, IntegersMustBeExact) {
  const GemmOperands operands = Operands(64, 64, 64, Dtype::kInt8);
  std::vector<std::int32_t> c = Multiply<std::int32_t>(operands);
  c[99] += 1;
  EXPECT_FALSE(Check(operands, c).right);
}

TEST(GemmReference, ChunksOfRowsAreCheckedAtTheirPlace) {
  const GemmOperands operands = Operands(64, 48, 32);
  const std::vector<float> c = Multiply<float>(operands);
  const auto reference = GemmReference::Create(operands);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(c));
  Verdict verdict;
  for (std::uint32_t row = 0; row < 64; row += 16) {
    reference->Check(row, bytes.subspan(row * reference->row_bytes(), 16 * reference->row_bytes()), verdict);
  }
  EXPECT_TRUE(verdict.right) << verdict.reason;
  reference->Check(16, bytes.first(16 * reference->row_bytes()), verdict);
  EXPECT_FALSE(verdict.right);
}

TEST(GemmReference, TypesWithoutReferenceAreNamed) {
  const auto reference = GemmReference::Create(Operands(64, 64, 64, Dtype::kQ4));
  ASSERT_FALSE(reference.ok());
  EXPECT_NE(reference.error().text.find("q4"), std::string::npos);
}

}  // namespace
}  // namespace backends
