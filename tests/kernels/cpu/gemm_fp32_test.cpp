// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/operand.h"
#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

struct Shape {
  std::uint32_t m, n, k;
};

// Smaller than a tile, one tile, one more than tiles, and several blocks in every direction on every target.
constexpr Shape kShapes[] = {{1, 1, 1},    {5, 3, 7},      {6, 64, 16},    {7, 65, 33},
                             {25, 17, 64}, {13, 130, 520}, {203, 140, 801}};

// The exact product and, of each element, how far k roundings can take it from that.
// Bound: Higham, Accuracy and Stability of Numerical Algorithms, section 3.1, with k·u < 0.01.
struct Reference {
  Reference(const Shape& shape, std::span<const float> a, std::span<const float> b)
      : exact(size_t{shape.m} * shape.n), bound(exact.size()) {
    for (std::size_t i = 0; i < shape.m; ++i) {
      for (std::size_t p = 0; p < shape.k; ++p) {
        for (std::size_t j = 0; j < shape.n; ++j) {
          const double product =
              static_cast<double>(a[i * shape.k + p]) * static_cast<double>(b[p * shape.n + j]);
          exact[i * shape.n + j] += product;
          bound[i * shape.n + j] += std::abs(product) * 1.01 * (shape.k + 1.0) * 0x1p-24;
        }
      }
    }
  }
  [[nodiscard]] std::optional<std::size_t> FirstWrong(std::span<const float> c) const {
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (!(std::abs(static_cast<double>(c[i]) - exact[i]) <= bound[i])) return i;
    }
    return std::nullopt;
  }
  std::vector<double> exact, bound;
};

struct Problem {
  explicit Problem(const Shape& s)
      : shape(s), a(size_t{s.m} * s.k), b(size_t{s.k} * s.n), c(size_t{s.m} * s.n) {
    for (std::uint32_t i = 0; i < a.span().size(); ++i) a.span()[i] = OperandFp32(1, i);
    for (std::uint32_t i = 0; i < b.span().size(); ++i) b.span()[i] = OperandFp32(2, i);
  }
  void Run(const Implementation& gemm, unsigned workers) {
    Buffer<std::byte> work(GemmWorkspaceBytes("gemm_fp32", shape.m, shape.n, shape.k, workers));
    Launch(gemm, {a.data(), b.data(), c.data(), work.data()}, {shape.m, shape.n, shape.k}, workers);
    EXPECT_TRUE(work.intact());
    EXPECT_TRUE(c.intact());
  }
  Shape shape;
  Buffer<float> a, b, c;
};

class GemmFp32Test : public ::testing::TestWithParam<Implementation> {};

TEST_P(GemmFp32Test, IsTheExactProductWithinRounding) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  for (const Shape& shape : kShapes) {
    Problem problem(shape);
    const Reference reference(shape, problem.a.span(), problem.b.span());
    for (const unsigned workers : {1U, 2U, 3U}) {
      std::fill(problem.c.span().begin(), problem.c.span().end(), NAN);
      problem.Run(GetParam(), workers);
      EXPECT_EQ(reference.FirstWrong(problem.c.span()), std::nullopt)
          << shape.m << " x " << shape.n << " x " << shape.k << " by " << workers;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, GemmFp32Test, ::testing::ValuesIn(Of("gemm_fp32")), Name);

TEST(GemmFp32Check, SeesOneWrongElement) {
  const Shape shape{33, 70, 90};
  Problem problem(shape);
  const Reference reference(shape, problem.a.span(), problem.b.span());
  problem.Run(*Best("gemm_fp32"), 2);
  EXPECT_EQ(reference.FirstWrong(problem.c.span()), std::nullopt);
  float& planted = problem.c.span()[71];
  planted += 0x1p-10F;
  EXPECT_EQ(reference.FirstWrong(problem.c.span()), 71U);
  planted = NAN;
  EXPECT_EQ(reference.FirstWrong(problem.c.span()), 71U);
}

}  // namespace
}  // namespace kernels::cpu::testing
