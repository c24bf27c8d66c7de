// SPDX-License-Identifier: MIT
#include "backends/core/stream_reference.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/core/operands.h"
#include "kernels/cpu/cpu_kernel.h"
#include "tests/kernels/narrow_floats.h"

namespace backends {
namespace {

using kernels::Dtype;

TEST(SumReference, ExactSumsPassAndAnyMissingOrStaleWordFails) {
  constexpr std::uint32_t kCount = 100003;
  const std::uint32_t sum = kernels::cpu::OperandChecksum(7, kCount);
  std::uint32_t plain = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) plain += kernels::OperandBits(7, i);
  EXPECT_EQ(sum, plain);
  // Partial sums wrap; words that no one wrote stay 0.
  EXPECT_TRUE(CheckSum(7, kCount, std::vector<std::uint32_t>{sum - 0xfffffff0U, 0xfffffff0U, 0}).right);
  EXPECT_FALSE(
      CheckSum(7, kCount, std::vector<std::uint32_t>{sum - kernels::OperandBits(7, kCount - 1)}).right);
  EXPECT_FALSE(CheckSum(8, kCount, std::vector<std::uint32_t>{sum}).right);
  EXPECT_FALSE(CheckSum(7, kCount, std::vector<std::uint32_t>{0, 0}).right);
}

TEST(CopyReference, EveryByteCounts) {
  std::vector<std::byte> bytes(4000);
  ASSERT_TRUE(WriteOperand(Dtype::kU32, 3, 700, bytes));
  Verdict verdict;
  CheckCopy(Dtype::kU32, 3, 700, bytes, verdict);
  EXPECT_TRUE(verdict.right) << verdict.reason;
  bytes[3999] ^= std::byte{1};
  CheckCopy(Dtype::kU32, 3, 700, bytes, verdict);
  EXPECT_FALSE(verdict.right);
  EXPECT_NE(verdict.reason.find("3999"), std::string::npos);
  Verdict stale;
  bytes[3999] ^= std::byte{1};
  CheckCopy(Dtype::kU32, 4, 700, bytes, stale);
  EXPECT_FALSE(stale.right);
}

std::vector<float> Triad(std::uint32_t first, std::size_t count) {
  std::vector<float> out;
  for (std::uint32_t i = first; i < first + count; ++i) {
    out.push_back(kernels::OperandFp32(1, i) + 3.0F * kernels::OperandFp32(2, i));
  }
  return out;
}

TEST(TriadReference, RightSumsPassAndExchangedOrMissingOnesFail) {
  const std::vector<float> right = Triad(1000, 333);
  Verdict verdict;
  EXPECT_TRUE(CheckTriad(Dtype::kFp32, 1, 2, 1000, std::as_bytes(std::span(right)), verdict));
  EXPECT_TRUE(verdict.right) << verdict.reason;
  const auto fails = [](std::uint32_t a, std::uint32_t b, std::uint32_t first,
                        const std::vector<float>& got) {
    Verdict wrong;
    EXPECT_TRUE(CheckTriad(Dtype::kFp32, a, b, first, std::as_bytes(std::span(got)), wrong));
    return !wrong.right;
  };
  EXPECT_TRUE(fails(2, 1, 1000, right)) << "a and b exchanged";
  EXPECT_TRUE(fails(1, 2, 1001, right)) << "shifted";
  std::vector<float> poisoned = right;
  poisoned.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(fails(1, 2, 1000, poisoned));
}

// The nearest fp16 numbers but for the sign of 0, `off` of their last places away; sums are below 4.
std::vector<std::uint16_t> HalfTriad(std::uint32_t count, int off) {
  std::vector<std::uint16_t> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float sum = kernels::OperandFp16(1, i) + 3.0F * kernels::OperandFp16(2, i);
    out.push_back(static_cast<std::uint16_t>(tests::ToHalf(sum) + off));
  }
  return out;
}

TEST(TriadReference, ToleratesTwoRoundingsOfTheTypeAndNoMore) {
  const auto check = [](Dtype dtype, int off) {
    const auto got = HalfTriad(5000, off);
    Verdict verdict;
    const auto status = CheckTriad(dtype, 1, 2, 0, std::as_bytes(std::span(got)), verdict);
    return status ? verdict.right ? "right" : "wrong" : status.error().text;
  };
  EXPECT_EQ(check(Dtype::kFp16, 0), "right");
  EXPECT_EQ(check(Dtype::kFp16, 1), "right");
  EXPECT_EQ(check(Dtype::kFp16, 3), "wrong");
  EXPECT_EQ(check(Dtype::kInt8, 0), "triads in int8 can not be checked");
}

TEST(ChainReference, EveryStepCounts) {
  const auto check = [](std::uint32_t n, std::uint32_t k, float offset) {
    std::vector<float> got;
    got.reserve(20);
    for (int i = 0; i < 20; ++i)
      got.push_back(static_cast<float>(i % 8) + static_cast<float>(n) * static_cast<float>(k) + offset);
    Verdict verdict;
    const auto status = CheckChain(Dtype::kFp32, {0, n, k, 20, 0}, 0, std::as_bytes(std::span(got)), verdict);
    EXPECT_TRUE(status.ok());
    return verdict.right;
  };
  EXPECT_TRUE(check(1, 1000, 0));
  EXPECT_TRUE(check(32, 1000, 0));
  EXPECT_FALSE(check(1, 1000, -1));
  EXPECT_FALSE(check(32, 1000, -32));
}

TEST(ChainReference, IntegersTooAndNothingBeyondExactSums) {
  const std::vector<std::int32_t> got = {64000, 64001};
  Verdict verdict;
  EXPECT_TRUE(CheckChain(Dtype::kInt32, {0, 64, 1000, 2, 0}, 0, std::as_bytes(std::span(got)), verdict).ok());
  EXPECT_TRUE(verdict.right) << verdict.reason;
  EXPECT_EQ(CheckChain(Dtype::kFp32, {0, 1, 1U << 24U, 2, 0}, 0, std::as_bytes(std::span(got)), verdict)
                .error()
                .text,
            "chains of 16777216 products in fp32 can not be checked");
  EXPECT_FALSE(CheckChain(Dtype::kFp16, {0, 1, 8, 2, 0}, 0, std::as_bytes(std::span(got)), verdict).ok());
}

class GemvOf : public ::testing::TestWithParam<Dtype> {
 protected:
  static constexpr std::uint32_t kRows = 65;
  static constexpr std::uint32_t kColumns = 416;
  [[nodiscard]] static GemvOperands Operands() {
    return {{kRows, 0, kColumns, 0, 0}, GetParam(), Dtype::kFp32, 5, 6};
  }
  [[nodiscard]] static double Weight(std::uint32_t index) {
    if (GetParam() == Dtype::kQ4) {
      return double{kernels::OperandQ4(5, kRows * kColumns / kernels::kQ4Block, index)};
    }
    if (GetParam() == Dtype::kQ8) {
      return double{kernels::OperandQ8(5, kRows * kColumns / kernels::kQ4Block, index)};
    }
    const OperandFormat format = *FormatOf(GetParam());
    return format.scale * kernels::OperandInteger(5, index, format.bits);
  }
  [[nodiscard]] static std::vector<float> Right() {
    std::vector<float> y(kRows);
    for (std::uint32_t row = 0; row < kRows; ++row) {
      for (std::uint32_t i = 0; i < kColumns; ++i) {
        y[row] += static_cast<float>(Weight(row * kColumns + i)) * kernels::OperandFp32(6, i);
      }
    }
    return y;
  }
  [[nodiscard]] static bool Passes(const GemvOperands& operands, const std::vector<float>& y,
                                   std::uint32_t step = 1) {
    const auto reference = GemvReference::Create(operands);
    EXPECT_TRUE(reference.ok());
    Verdict verdict;
    reference->Check(y, step, verdict);
    return verdict.right;
  }
};

TEST_P(GemvOf, RightPassesAndOneWrongRowOrStaleOperandFails) {
  const std::vector<float> right = Right();
  EXPECT_TRUE(Passes(Operands(), right));
  std::vector<float> wrong = right;
  wrong[64] += 0.002F;
  EXPECT_FALSE(Passes(Operands(), wrong));
  EXPECT_TRUE(Passes(Operands(), wrong, 61)) << "rows 0 and 61 are sampled";
  wrong[61] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(Passes(Operands(), wrong, 61));
  GemvOperands stale = Operands();
  stale.seed_w = 7;
  EXPECT_FALSE(Passes(stale, right));
  stale = Operands();
  stale.seed_x = 7;
  EXPECT_FALSE(Passes(stale, right));
}

// What can go wrong in a product with x in 8 bits.
enum class Slip {
  kNone,
  kNotRounded,
  kTruncated,
  kOneScale,
  kScaleInFp16,
  kScaleBy128,
  kNextScale,
  kHalvesExchanged,
  kLastBlockLeftOut,
};

class GemvIn8Bits : public GemvOf {
 protected:
  static constexpr std::uint32_t kBlock = kernels::kQ4Block;
  [[nodiscard]] static float Largest(std::uint32_t first, std::uint32_t count) {
    float largest = 0;
    for (std::uint32_t i = first; i < first + count; ++i)
      largest = std::max(largest, std::abs(kernels::OperandFp32(6, i)));
    return largest;
  }
  // Of x's number i, as the product uses it.
  [[nodiscard]] static double X(std::uint32_t i, Slip slip) {
    const float x = kernels::OperandFp32(6, i);
    if (slip == Slip::kNotRounded) return double{x};
    const std::uint32_t first = i / kBlock * kBlock;
    const float largest = slip == Slip::kOneScale ? Largest(0, kColumns) : Largest(first, kBlock);
    const float most = slip == Slip::kScaleBy128 ? 128.0F : 127.0F;
    const float scaled = x * (most / largest);
    const float number = slip == Slip::kTruncated ? std::trunc(scaled) : std::nearbyint(scaled);
    float scale = largest / most;
    if (slip == Slip::kNextScale) scale = Largest((first + kBlock) % kColumns, kBlock) / most;
    // 11 bits: the rest of the mantissa is rounded away.
    if (slip == Slip::kScaleInFp16) scale = (scale + scale * 0x1p13F) - scale * 0x1p13F;
    return double{number} * double{scale};
  }
  [[nodiscard]] static std::vector<float> Product(Slip slip) {
    std::vector<float> y(kRows);
    for (std::uint32_t row = 0; row < kRows; ++row) {
      double sum = 0;
      for (std::uint32_t i = 0; i < kColumns; ++i) {
        const std::uint32_t at = slip == Slip::kHalvesExchanged ? i ^ (kBlock / 2) : i;
        if (slip == Slip::kLastBlockLeftOut && i >= kColumns - kBlock) continue;
        sum += Weight(row * kColumns + at) * X(i, slip);
      }
      y[row] = static_cast<float>(sum);
    }
    return y;
  }
  [[nodiscard]] static GemvOperands In8Bits() {
    GemvOperands operands = Operands();
    operands.x_in_8_bits = true;
    return operands;
  }
};

TEST_P(GemvIn8Bits, EverySlipFails) {
  EXPECT_TRUE(Passes(In8Bits(), Product(Slip::kNone)));
  for (const Slip slip :
       {Slip::kNotRounded, Slip::kTruncated, Slip::kOneScale, Slip::kScaleInFp16, Slip::kScaleBy128,
        Slip::kNextScale, Slip::kHalvesExchanged, Slip::kLastBlockLeftOut}) {
    EXPECT_FALSE(Passes(In8Bits(), Product(slip))) << static_cast<int>(slip);
  }
  EXPECT_FALSE(Passes(Operands(), Product(Slip::kNone))) << "where x is to stay as it is";
}

TEST_P(GemvIn8Bits, RightPassesAndOneWrongRowOrStaleOperandFails) {
  std::vector<float> wrong = Product(Slip::kNone);
  wrong[64] += 0.0001F;
  EXPECT_FALSE(Passes(In8Bits(), wrong));
  GemvOperands stale = In8Bits();
  stale.seed_x = 7;
  EXPECT_FALSE(Passes(stale, Product(Slip::kNone)));
}

// As kernels/simt/gemv.cu does it, at the least k that is planned.
TEST(GemvOfPositiveWeights, IsFarWithinTheTolerance) {
  constexpr std::uint32_t kRows = 512, kColumns = 512, kBlock = kernels::kQ4Block;
  std::vector<float> y(kRows);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (std::uint32_t first = 0; first < kColumns; first += kBlock) {
      const std::uint32_t block = (row * kColumns + first) / kBlock;
      const float scale = kernels::OperandQ4Scale(5, kRows * kColumns / kBlock, block);
      float sum = 0;
      float x_sum = 0;
      for (std::uint32_t i = 0; i < kBlock; ++i) {
        const float weight =
            kernels::OperandQ4(5, kRows * kColumns / kBlock, row * kColumns + first + i) / scale;
        const float x = kernels::OperandFp32(6, first + i);
        sum = std::fma(weight / 16 + 1.5F + 7.0F / 128, x, sum);
        x_sum += x;
      }
      y[row] = std::fma(scale, std::fma(-1.5F - 7.0F / 128, x_sum, sum), y[row]);
    }
    y[row] *= 16;
  }
  const auto reference = GemvReference::Create({{kRows, 0, kColumns, 0, 0}, Dtype::kQ4, Dtype::kFp32, 5, 6});
  ASSERT_TRUE(reference.ok());
  Verdict verdict;
  reference->Check(y, 1, verdict);
  EXPECT_TRUE(verdict.right) << verdict.reason;
  const double allowed = 2 * 0x1p-24 * kColumns * kBlockAmplitude;
  const double typical = std::sqrt(double{kColumns}) / 3 * kBlockAmplitude;
  EXPECT_LT(verdict.max_relative_error, 0.35 * allowed / typical)
      << "seventeen standard deviations are allowed";
}

INSTANTIATE_TEST_SUITE_P(Types, GemvIn8Bits, ::testing::Values(Dtype::kQ4, Dtype::kQ8));
INSTANTIATE_TEST_SUITE_P(Types, GemvOf,
                         ::testing::Values(Dtype::kFp32, Dtype::kFp16, Dtype::kBf16, Dtype::kQ4, Dtype::kQ8));

}  // namespace
}  // namespace backends
