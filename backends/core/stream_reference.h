// SPDX-License-Identifier: MIT
// Whether what the memory and chain kernels wrote is what they must write (kernels/spec.h). Touches no
// device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/core/reference.h"
#include "kernels/spec.h"
#include "probe/core/result.h"

namespace backends {

// read: the partial sums of a device must add up to the sum of the operand's words modulo 2^32, exactly.
[[nodiscard]] Verdict CheckSum(std::uint32_t seed, std::uint32_t count,
                               std::span<const std::uint32_t> partials);

// copy: `got` holds the elements of the operand from `first` on, bit by bit.
void CheckCopy(kernels::Dtype dtype, std::uint32_t seed, std::uint32_t first, std::span<const std::byte> got,
               Verdict& verdict);

// triad: a + 3 b is at most 4, where neighbours of a type with the unit roundoff u are 4 u apart. So with two
// roundings, in whatever direction, it is off by 8 u at most. An error names a type that can not be checked.
[[nodiscard]] probe::Status CheckTriad(kernels::Dtype dtype, std::uint32_t seed_a, std::uint32_t seed_b,
                                       std::uint32_t first, std::span<const std::byte> got, Verdict& verdict);

// chain: sums of ones are exact below 2^24, which n * k + 7 must not exceed in fp32. An error names the type
// or size that can not be checked.
[[nodiscard]] probe::Status CheckChain(kernels::Dtype acc, const kernels::Problem& problem,
                                       std::uint32_t first, std::span<const std::byte> got, Verdict& verdict);

struct GemvOperands {
  kernels::Problem problem;  // m, k > 0; k of q4 and q8 a multiple of 32
  kernels::Dtype in = kernels::Dtype::kFp32;
  kernels::Dtype acc = kernels::Dtype::kFp32;  // of x and y
  std::uint32_t seed_w = 0;
  std::uint32_t seed_x = 0;
  bool x_in_8_bits = false;  // kernels::Variant::x_in_8_bits; k a multiple of 32
};

// gemv: rows recomputed in full in fp64. The tolerance is that of one entry of a product (reference.h): 2 u k
// s_W s_x for k additions in fp32.
//
// Where x is in 8 bits, the reference rounds it in the very operations that the kernel must use, so that the
// rounding of x is no error; products of integers add up to less than 2^24 in a block and are exact. Only the
// product of a block's two scales is rounded, and the k / 32 additions, of terms sqrt(32) times as large:
// without more, a sixth of the error of k additions. Kernels that store weights without sign add up the same
// weights made positive, twice as large, and take the excess off in fp32: three times that sixth at most. So
// the tolerance stays, and an x with scales of fp16, or rounded otherwise, is off by more.
//
// Where it is not, weights of 4 bits may also be added up as v = 1 + n / 16 + 7 / 128, which needs no
// conversion of integers: 16 (v - c) is the weight, c v of n = 8. Within a block the sum of v x, and c times
// the sum of x, which is taken off it at the end, reach 1.6 sqrt(32 / 3) = 5 s_x; 33 roundings of half as
// much on average lose 8 u s_x, and a last one 3. Times 16 and a scale, s_W / 8 at most, that is 15 u s_W s_x
// of a block's, 2.7 u sqrt(k) s_W s_x in all: of what is allowed a seventeenth at k = 512, the least that is
// planned, and less beyond.
class GemvReference {
 public:
  [[nodiscard]] static probe::Result<GemvReference> Create(const GemvOperands& operands);

  // Checks every `step`th of the rows of y.
  void Check(std::span<const float> y, std::uint32_t step, Verdict& verdict) const;

 private:
  GemvReference() = default;
  [[nodiscard]] double Exact(std::uint32_t row) const;

  GemvOperands operands_;
  std::vector<double> x_;  // of q4 and q8 as kernels::cpu::Q4Planes and Q8Planes arrange it
  double tolerance_ = 0;
  double size_ = 0;  // standard deviation of a right entry
};

}  // namespace backends
