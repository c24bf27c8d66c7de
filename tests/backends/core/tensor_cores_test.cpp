// SPDX-License-Identifier: MIT
// Products as tensor cores of every generation add them up: right ones are far inside of what is allowed, and
// what a kernel can get wrong is not.
#include "tests/kernels/tensor_cores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "backends/core/operands.h"
#include "backends/core/reference.h"

namespace backends {
namespace {

using kernels::Dtype;
using tests::TensorCore;

// Operands of a product, B stored n x k, and what a unit makes of them.
struct Products {
  GemmOperands operands;
  std::vector<float> a, b;

  Products(std::uint32_t m, std::uint32_t n, std::uint32_t k, Dtype in) {
    operands.problem = {m, n, k, 0, 0};
    operands.in = in;
    operands.b_transposed = true;
    operands.seed_a = 11;
    operands.seed_b = 12;
    a = Numbers(operands.seed_a, m * k);
    b = Numbers(operands.seed_b, n * k);
  }
  [[nodiscard]] std::uint32_t k() const { return operands.problem.k; }
  [[nodiscard]] std::uint32_t n() const { return operands.problem.n; }
  [[nodiscard]] std::vector<float> Numbers(std::uint32_t seed, std::uint32_t count) const {
    const OperandFormat format = *FormatOf(operands.in);
    std::vector<float> numbers(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      numbers[i] = static_cast<float>(kernels::OperandInteger(seed, i, format.bits) * format.scale);
    }
    return numbers;
  }
  [[nodiscard]] double Exact(std::uint32_t row, std::uint32_t column) const {
    double sum = 0;
    for (std::uint32_t i = 0; i < k(); ++i) sum += double{a[row * k() + i]} * b[column * k() + i];
    return sum;
  }
  // Without the products from `first_left_out` on, `left_out` of them.
  [[nodiscard]] float Of(const TensorCore& core, std::uint32_t row, std::uint32_t column,
                         std::uint32_t first_left_out, std::uint32_t left_out) const {
    const float* x = a.data() + std::size_t{row} * k();
    const float* y = b.data() + std::size_t{column} * k();
    const float sum = tests::AddProducts(core, 0, x, y, first_left_out);
    const std::uint32_t next = first_left_out + left_out;
    return tests::AddProducts(core, sum, x + next, y + next, k() - next);
  }
  [[nodiscard]] std::vector<float> Rows(const TensorCore& core, std::uint32_t rows,
                                        std::uint32_t first_left_out = 0, std::uint32_t left_out = 0) const {
    std::vector<float> c;
    c.reserve(std::size_t{rows} * n());
    for (std::uint32_t at = 0; at < rows * n(); ++at) {
      c.push_back(Of(core, at / n(), at % n(), first_left_out, left_out));
    }
    return c;
  }
  [[nodiscard]] GemmReference Reference() const { return *GemmReference::Create(operands); }
};

Verdict Check(const GemmReference& reference, const std::vector<float>& c) {
  Verdict verdict;
  reference.Check(0, std::as_bytes(std::span(c)), verdict);
  return verdict;
}

struct Unit {
  TensorCore core;
  Dtype in = Dtype::kFp16;
};
void PrintTo(const Unit& unit, std::ostream* out) {
  *out << unit.core.name << " " << kernels::Row(unit.in).name;
}
const std::vector<Unit> kUnits = {{tests::kVolta, Dtype::kFp16},      {tests::kTuring, Dtype::kFp16},
                                  {tests::kAmpere, Dtype::kFp16},     {tests::kAmpere, Dtype::kBf16},
                                  {tests::kHopper, Dtype::kFp16},     {tests::kHopper, Dtype::kBf16},
                                  {tests::kAmpereTf32, Dtype::kTf32}, {tests::kHopperTf32, Dtype::kTf32}};

class TensorCores : public testing::TestWithParam<Unit> {};

TEST_P(TensorCores, RightProductsAreTenDeviationsInsideOfWhatIsAllowed) {
  constexpr double kDeviations = 10;
  const auto& [core, in] = GetParam();
  for (const std::uint32_t k : {512U, 4096U, 8192U, 16384U}) {
    const Products products(16, 64, k, in);
    const GemmReference reference = products.Reference();
    const std::vector<float> c = products.Rows(core, 16);
    const Verdict verdict = Check(reference, c);
    EXPECT_TRUE(verdict.right) << "k = " << k << ": " << verdict.reason;
    double squares = 0;
    for (std::uint32_t at = 0; at < c.size(); ++at) {
      squares += std::pow(c[at] - products.Exact(at / 64, at % 64), 2);
    }
    const double deviation = std::sqrt(squares / static_cast<double>(c.size()));
    EXPECT_LE(kDeviations * deviation, reference.entry_tolerance()) << "k = " << k;
  }
}

TEST_P(TensorCores, ALostProductAndALostStepAreFound) {
  const auto& [core, in] = GetParam();
  for (const std::uint32_t k : {4096U, 16384U}) {
    const Products products(4, 16, k, in);
    const GemmReference reference = products.Reference();
    for (const std::uint32_t left_out : {1U, 16U, 64U}) {
      for (const std::uint32_t first : {0U, k / 2, k - left_out}) {
        EXPECT_FALSE(Check(reference, products.Rows(core, 4, first, left_out)).right)
            << left_out << " of " << k << " from " << first << " on";
      }
    }
  }
}

// Of a product of 1024 x 1024 entries. Every row is looked at by itself, so the others need not be made.
TEST_P(TensorCores, OneWrongEntryInAMillionIsFound) {
  const auto& [core, in] = GetParam();
  Products products(1, 1024, 4096, in);
  std::vector<float> c = products.Rows(core, 1);
  products.operands.problem.m = 1024;
  const GemmReference reference = products.Reference();
  EXPECT_TRUE(Check(reference, c).right);
  const double typical = std::sqrt(4096.0) / 3 * std::pow(FormatOf(in)->amplitude(), 2);
  for (std::size_t at = 0; at < c.size(); at += 93) {
    const float right = c[at];
    for (const float wrong : {right + static_cast<float>(typical / 10), right == c[0] ? c[1] : c[0], NAN}) {
      c[at] = wrong;
      EXPECT_FALSE(Check(reference, c).right) << at << ": " << wrong << " for " << right;
    }
    c[at] = right;
  }
}

INSTANTIATE_TEST_SUITE_P(, TensorCores, testing::ValuesIn(kUnits), [](const auto& unit) {
  return std::string(unit.param.core.name) + "_" + std::string(kernels::Row(unit.param.in).name);
});

TEST(TensorCoresOfEightBits, RightProductsPassAndALostOneFails) {
  const Products products(8, 64, 8192, Dtype::kFp8);
  const GemmReference reference = products.Reference();
  TensorCore core = tests::kEightBits;
  for (const int fraction_bits : {23, 13, 12}) {
    core.fraction_bits = fraction_bits;
    const Verdict verdict = Check(reference, products.Rows(core, 8));
    EXPECT_TRUE(verdict.right) << fraction_bits << " bits: " << verdict.reason;
  }
  core.fraction_bits = 9;
  EXPECT_FALSE(Check(reference, products.Rows(core, 8)).right) << "coarser than any fp8 unit";
  EXPECT_FALSE(Check(reference, products.Rows(tests::kEightBits, 8, 8191, 1)).right);
  EXPECT_FALSE(Check(reference, products.Rows(tests::kEightBits, 8, 8160, 32)).right);
}

}  // namespace
}  // namespace backends
