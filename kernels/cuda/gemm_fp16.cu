// SPDX-License-Identifier: MIT
// Products and chains of fp16 by matrix units.
#include "kernels/cuda/gemm_mma.cuh"

namespace {
MATRIX_TYPE(Fp16, 16, float, MultiplyFp16)
}  // namespace

MATRIX_GEMM(gemm_fp16_128, Large, Fp16)
MATRIX_GEMM(gemm_fp16_64, Small, Fp16)
MATRIX_CHAIN(chain_fp16, Fp16)

namespace {
// Sums in fp16, two a register: double the rate of fp32's on GeForce.
struct Fp16Half {
  struct Fragment {
    unsigned d[2];
  };
  static constexpr unsigned kBits = 16;
  using Result = unsigned short;
  static DEVICE void Multiply(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
    MultiplyFp16Half(d, a, b);
  }
  static DEVICE void Store(unsigned short* to, const unsigned (&d)[2], unsigned half) {
    *reinterpret_cast<unsigned*>(to) = d[half];
  }
};
}  // namespace

MATRIX_GEMM(gemm_fp16_fp16_128, Large, Fp16Half)
