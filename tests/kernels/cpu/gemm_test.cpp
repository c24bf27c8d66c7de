// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <type_traits>

#include "kernels/operand.h"
#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

struct Shape {
  std::uint32_t m, n, k;
};

// Smaller than a tile, one tile, one more than tiles, several blocks in every direction on every target, and
// one worker's part smaller than another's.
constexpr Shape kShapes[] = {{1, 1, 1},    {5, 3, 7},      {6, 64, 16},     {7, 65, 33},
                             {25, 17, 64}, {13, 130, 520}, {203, 140, 801}, {577, 33, 70}};
// More than one depth of an AMX block.
constexpr Shape kDeep = {33, 40, 4200};
// For three workers: many panels of one block of rows, and blocks of rows below each other, both in several
// depths.
constexpr Shape kShared[] = {{24, 500, 1100}, {1100, 70, 800}};
constexpr Shape kSharedDeep = {40, 250, 4200};

// How operands of one type are generated, read and judged.
struct Fp32 {
  using Element = float;
  using Result = float;
  static Element Operand(std::uint32_t seed, std::uint32_t i) { return OperandFp32(seed, i); }
  static double Value(Element element) { return static_cast<double>(element); }
};
struct Bf16 {
  using Element = std::uint16_t;
  using Result = float;
  static Element Operand(std::uint32_t seed, std::uint32_t i) {
    return static_cast<Element>(std::bit_cast<std::uint32_t>(OperandBf16(seed, i)) >> 16U);
  }
  static double Value(Element element) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(element) << 16U));
  }
};
struct Int8 {
  using Element = std::int8_t;
  using Result = std::int32_t;
  // Over whole tiles extreme, where wrapping or saturating arithmetic would show.
  static Element Operand(std::uint32_t seed, std::uint32_t i) {
    return i % 7 == 0 ? Element{-128} : OperandInt8(seed, i);
  }
  static double Value(Element element) { return static_cast<double>(element); }
};

// The exact product and, of each element, how far the arithmetic may be from it: nothing for integers, for
// fp32 k roundings (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1, with k·u < 0.01),
// twice that for units that truncate.
template <typename Type>
struct Reference {
  using Element = typename Type::Element;
  using Result = typename Type::Result;
  Reference(const Shape& shape, std::span<const Element> a, std::span<const Element> b)
      : exact(size_t{shape.m} * shape.n), bound(exact.size()) {
    const double unit = std::is_integral_v<Result> ? 0 : 2 * 1.01 * (shape.k + 1.0) * 0x1p-24;
    for (std::size_t i = 0; i < shape.m; ++i) {
      for (std::size_t p = 0; p < shape.k; ++p) {
        const double factor = Type::Value(a[i * shape.k + p]);
        for (std::size_t j = 0; j < shape.n; ++j) {
          const double product = factor * Type::Value(b[p * shape.n + j]);
          exact[i * shape.n + j] += product;
          bound[i * shape.n + j] += std::abs(product) * unit;
        }
      }
    }
  }
  [[nodiscard]] std::optional<std::size_t> FirstWrong(std::span<const Result> c) const {
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (!(std::abs(static_cast<double>(c[i]) - exact[i]) <= bound[i])) return i;
    }
    return std::nullopt;
  }
  std::vector<double> exact, bound;
};

template <typename Type>
struct Problem {
  explicit Problem(const Shape& s)
      : shape(s), a(size_t{s.m} * s.k), b(size_t{s.k} * s.n), c(size_t{s.m} * s.n) {
    for (std::uint32_t i = 0; i < a.span().size(); ++i) a.span()[i] = Type::Operand(1, i);
    for (std::uint32_t i = 0; i < b.span().size(); ++i) b.span()[i] = Type::Operand(2, i);
  }
  // With a delay the first worker begins when the others wait for work.
  void Run(const Implementation& gemm, unsigned workers,
           std::chrono::milliseconds delay = std::chrono::milliseconds(0)) {
    std::fill(c.span().begin(), c.span().end(), std::numeric_limits<typename Type::Result>::max());
    Buffer<std::byte> work(GemmWorkspaceBytes(gemm.entry, shape.m, shape.n, shape.k, workers));
    void* const buffers[] = {a.data(), b.data(), c.data(), work.data()};
    const std::uint32_t scalars[] = {shape.m, shape.n, shape.k};
    OnWorkers(workers, [&](const Worker& worker) {
      if (worker.index == 0) std::this_thread::sleep_for(delay);
      gemm.run({buffers, scalars}, worker);
    });
    EXPECT_TRUE(work.intact());
    EXPECT_TRUE(c.intact());
  }
  Shape shape;
  Buffer<typename Type::Element> a, b;
  Buffer<typename Type::Result> c;
};

template <typename Type>
void ExpectProduct(const Implementation& gemm, const Shape& shape) {
  Problem<Type> problem(shape);
  const Reference<Type> reference(shape, problem.a.span(), problem.b.span());
  for (const unsigned workers : {1U, 2U, 3U}) {
    problem.Run(gemm, workers);
    EXPECT_EQ(reference.FirstWrong(problem.c.span()), std::nullopt)
        << shape.m << " x " << shape.n << " x " << shape.k << " by " << workers;
  }
}

template <typename Type>
void ExpectProductOfALateWorker(const Implementation& gemm, const Shape& shape) {
  Problem<Type> problem(shape);
  const Reference<Type> reference(shape, problem.a.span(), problem.b.span());
  for (int run = 0; run < 3; ++run) {
    problem.Run(gemm, 3, std::chrono::milliseconds(2));
    EXPECT_EQ(reference.FirstWrong(problem.c.span()), std::nullopt)
        << shape.m << " x " << shape.n << " x " << shape.k;
  }
}

class GemmTest : public ::testing::TestWithParam<Implementation> {
 protected:
  static void WithItsType(const auto& work) {
    if (GetParam().entry == "gemm_fp32") work(Fp32());
    if (GetParam().entry == "gemm_bf16") work(Bf16());
    if (GetParam().entry == "gemm_int8") work(Int8());
  }
};

TEST_P(GemmTest, IsTheExactProductWithinRounding) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  std::vector<Shape> shapes(std::begin(kShapes), std::end(kShapes));
  if (GetParam().isa == "amx") shapes.push_back(kDeep);
  for (const Shape& shape : shapes) {
    WithItsType([&]<typename Type>(Type) { ExpectProduct<Type>(GetParam(), shape); });
  }
}

TEST_P(GemmTest, IsExactWhereOthersTakeWorkFromALateWorker) {
  WHICHGPU_SKIP_UNSUPPORTED(GetParam());
  std::vector<Shape> shapes(std::begin(kShared), std::end(kShared));
  if (GetParam().isa == "amx") shapes.push_back(kSharedDeep);
  for (const Shape& shape : shapes) {
    WithItsType([&]<typename Type>(Type) { ExpectProductOfALateWorker<Type>(GetParam(), shape); });
  }
}

INSTANTIATE_TEST_SUITE_P(Fp32, GemmTest, ::testing::ValuesIn(Of("gemm_fp32")), Name);
INSTANTIATE_TEST_SUITE_P(Bf16, GemmTest, ::testing::ValuesIn(Of("gemm_bf16")), Name);
INSTANTIATE_TEST_SUITE_P(Int8, GemmTest, ::testing::ValuesIn(Of("gemm_int8")), Name);

// Nothing else would miss the test of a new one: "/gemm_fp32_avx512" ends the names of those that are of it.
TEST(Implementations, OfEveryEntryThereIsATest) {
  std::vector<std::string> tests;
  const auto& program = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const auto& suite = *program.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) tests.emplace_back(suite.GetTestInfo(k)->name());
  }
  for (const Implementation& row : Implementations()) {
    if (row.entry == "empty") continue;  // Empty.DoesNothing
    const auto name = "/" + Name({row, 0});
    EXPECT_TRUE(
        std::any_of(tests.begin(), tests.end(), [&](const auto& test) { return test.ends_with(name); }))
        << "tests/kernels/cpu has no test of " << name.substr(1);
  }
}

#if defined(__x86_64__)
// A set that is not compiled would be missed by nobody: the tests above go through what there is.
TEST(Implementations, OfX86AreThereForEverySetOfVectors) {
  for (const char* entry :
       {"gemm_fp32", "gemm_bf16", "gemm_int8", "gemv_fp32", "gemv_fp16", "gemv_bf16", "gemv_q4", "gemv_q4_q8",
        "gemv_q8_q8", "read_u32", "copy_u32", "triad_fp32", "chain_fp32"}) {
    for (const char* isa : {"sse4", "avx2", "avx512"}) {
      const auto all = Of(entry);
      const bool found = std::any_of(all.begin(), all.end(),
                                     [isa](const Implementation& known) { return known.isa == isa; });
      EXPECT_TRUE(found) << entry << " by " << isa;
    }
  }
}
#endif

TEST(GemmCheck, SeesOneWrongElement) {
  const Shape shape{33, 70, 90};
  Problem<Fp32> problem(shape);
  const Reference<Fp32> reference(shape, problem.a.span(), problem.b.span());
  problem.Run(*Best("gemm_fp32"), 2);
  EXPECT_EQ(reference.FirstWrong(problem.c.span()), std::nullopt);
  float& planted = problem.c.span()[71];
  planted += 0x1p-10F;
  EXPECT_EQ(reference.FirstWrong(problem.c.span()), 71U);
  planted = NAN;
  EXPECT_EQ(reference.FirstWrong(problem.c.span()), 71U);
}

TEST(GemmCheck, SeesAnIntegerOffByOne) {
  const Shape shape{20, 30, 40};
  Problem<Int8> problem(shape);
  const Reference<Int8> reference(shape, problem.a.span(), problem.b.span());
  problem.Run(*Best("gemm_int8"), 1);
  EXPECT_EQ(reference.FirstWrong(problem.c.span()), std::nullopt);
  problem.c.span()[599] += 1;
  EXPECT_EQ(reference.FirstWrong(problem.c.span()), 599U);
}

}  // namespace
}  // namespace kernels::cpu::testing
