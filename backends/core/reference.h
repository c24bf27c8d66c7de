// SPDX-License-Identifier: MIT
// Whether a device's result is what the kernel must compute. Recomputes operands entry by entry and never the
// whole result, so that checking a product costs far less than making it. Touches no device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/spec.h"
#include "probe/core/result.h"

namespace backends {

// What a check found. max_relative_error is relative to the size that a right entry typically has.
struct Verdict {
  bool right = true;
  double max_relative_error = 0;
  std::string reason;  // of the first thing that is wrong

  void Fail(std::string why) {
    if (right) reason = std::move(why);
    right = false;
  }
  void Merge(const Verdict& part) {
    if (!part.right) Fail(part.reason);
    max_relative_error = std::max(max_relative_error, part.max_relative_error);
  }
};

// Half the distance between neighbours at 1 of a type that results are in (IEEE 754's unit roundoff); 0 of an
// integer, whose results must be exact; nullopt for a type whose results can not be checked.
[[nodiscard]] std::optional<double> UnitRoundoff(kernels::Dtype acc);

struct GemmOperands {
  kernels::Problem problem;  // m, n, k > 0
  kernels::Dtype in = kernels::Dtype::kFp32;
  kernels::Dtype acc = kernels::Dtype::kFp32;  // also C's type
  bool b_transposed = false;
  std::uint32_t seed_a = 0;
  std::uint32_t seed_b = 0;
};

// Freivalds' check (R. Freivalds, "Probabilistic machines can use less running time", IFIP 1977): for random
// x of +-1, every entry of C x must equal A (B x). One wrong entry always shows; several in a row can cancel
// in one x, so there are kVectors of them. Everything is in fp64, B x in exact integers where B is stored by
// rows. Sampled entries, the corners among them, are recomputed in full as well, for the finer tolerance of a
// single entry.
//
// Tolerance: entries of A and B are uniform in [-s, s), so an entry of C is a sum of k terms of mean 0 and
// standard deviation s_A s_B / 3, and adding them up with unit roundoff u gives an error of standard
// deviation u k s_A s_B / 7.3 at most (zero-mean data: Higham & Mary, SIAM J. Sci. Comput. 42(5), 2020,
// A3427). Allowed are 2 u k s_A s_B, and sqrt(n) times that for the sum over a row. Integers must be exact. A
// NaN or an infinity fails.
//
// Matrix units do not round their sums in fp32, they cut them off once for every g products (4 on Volta and
// Turing, 8 on Ampere, 16 on Hopper; half of that for tf32: arXiv 2512.07004, arXiv 2511.10909). Each cut
// takes up to u of the sum so far, on average, and always toward zero, and that sum is sqrt(i) s_A s_B / 3
// after i products: together 2/9 u k^1.5 / g s_A s_B, which outgrows what rounding loses. Of g = 4 that is
// sqrt(k) / 36 times what is allowed above; a third of it where operands have 11 bits, whose sums are exact
// below 8. So fp16, bf16 and tf32 are allowed sqrt(k) / 10 times as much, where that is more than once:
// beyond 10 standard deviations of every such unit for k up to 16384
// (tests/backends/core/tensor_cores_test.cpp). Of k = 8192 it is 1/110, where an entry is 30 and a product
// left out is 1/4 on average.
//
// fp8 is added up in fewer bits than its results have: tensor cores of Ada and Hopper align 32 products and
// the sum so far and keep 13 bits of fraction (DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv:2412.19437,
// section 3.5.2). So u is 2^-13 and the additions are k / 32. A partial sum is a multiple of 1/64 (products
// of n / 8), of mean k / 256 and standard deviation sqrt(k) / 3, and exact in those bits below 256: of k =
// 8192 that is 7 deviations off. What is allowed, 1/16 there, is for hardware that keeps a bit less; one
// product left out is 1/3 on average, a block of 32 is 2.
class GemmReference {
 public:
  static constexpr std::size_t kVectors = 4;

  // An error names the types for which there is no reference.
  [[nodiscard]] static probe::Result<GemmReference> Create(const GemmOperands& operands);

  // Checks rows [first_row, first_row + rows.size() / bytes of a row) of C.
  void Check(std::uint32_t first_row, std::span<const std::byte> rows, Verdict& verdict) const;
  [[nodiscard]] std::size_t row_bytes() const;
  [[nodiscard]] double entry_tolerance() const { return entry_tolerance_; }

 private:
  struct Sample {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
  };
  GemmReference() = default;
  [[nodiscard]] double Exact(const Sample& sample) const;
  template <class T>
  void CheckRows(std::uint32_t first_row, std::span<const std::byte> rows, Verdict& verdict) const;
  template <class T>
  void CheckRow(std::uint32_t row, const T* values, Verdict& verdict) const;
  void Compare(double got, double expected, double tolerance, double typical, std::uint32_t row,
               const char* what, Verdict& verdict) const;

  GemmOperands operands_;
  int bits_ = 0;
  double scale_ = 0;  // of a product of two operand integers
  double entry_tolerance_ = 0;
  double entry_size_ = 0;        // standard deviation of a right entry
  std::vector<double> signs_;    // kVectors x n, +-1
  std::vector<double> bx_;       // kVectors x k: B x, in operand integers
  std::vector<Sample> samples_;  // sorted by row
};

// What a result buffer is filled with before a run: a NaN in every floating type, so that what a kernel
// leaves unwritten can not pass.
inline constexpr std::byte kPoison{0xff};

}  // namespace backends
