// SPDX-License-Identifier: MIT
// y[m] = W[m x k] * x[k]: a block computes kRows rows, so that every number of x that it reads serves them all;
// neighbours read 16 bytes of W beside each other. k is a multiple of 32.

namespace {

constexpr unsigned kThreads = 128;

template <unsigned kRows>
DEVICE void Finish(float (&sum)[kRows], float (&shared)[kRows][kThreads], float* y) {
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) shared[r][threadIdx.x] = sum[r];
  for (unsigned width = kThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) {
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) shared[r][threadIdx.x] += shared[r][threadIdx.x + width];
    }
  }
  __syncthreads();
  if (threadIdx.x < kRows) y[blockIdx.x * kRows + threadIdx.x] = shared[threadIdx.x][0];
}

DEVICE float Dot(const float4& a, const float4& b, float sum) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
}

DEVICE float4 LowHalves(unsigned u, unsigned v) {
  return make_float4(FloatOfHalf(static_cast<unsigned short>(u & 0xffffU)), FloatOfHalf(static_cast<unsigned short>(u >> 16)),
                     FloatOfHalf(static_cast<unsigned short>(v & 0xffffU)), FloatOfHalf(static_cast<unsigned short>(v >> 16)));
}

// The low halves of a word's bytes as numbers from -8 to 7.
DEVICE float4 Nibbles(unsigned word) {
  return make_float4(static_cast<float>(static_cast<int>(word & 15U) - 8),
                     static_cast<float>(static_cast<int>(word >> 8 & 15U) - 8),
                     static_cast<float>(static_cast<int>(word >> 16 & 15U) - 8),
                     static_cast<float>(static_cast<int>(word >> 24 & 15U) - 8));
}

}  // namespace

KERNEL __launch_bounds__(kThreads) gemv_fp32(const float4* __restrict__ w, const float4* __restrict__ x,
                                             float* __restrict__ y, unsigned m, unsigned k) {
  constexpr unsigned kRows = 4;
  __shared__ float shared[kRows][kThreads];
  const unsigned vectors = k / 4;
  if (blockIdx.x >= m / kRows) return;
  const float4* row = w + static_cast<size_t>(blockIdx.x) * kRows * vectors;
  float sum[kRows] = {};
#pragma unroll 2
  for (unsigned i = threadIdx.x; i < vectors; i += kThreads) {
    const float4 own = x[i];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) sum[r] = Dot(row[static_cast<size_t>(r) * vectors + i], own, sum[r]);
  }
  Finish<kRows>(sum, shared, y);
}

KERNEL __launch_bounds__(kThreads) gemv_fp16(const uint4* __restrict__ w, const float4* __restrict__ x,
                                             float* __restrict__ y, unsigned m, unsigned k) {
  constexpr unsigned kRows = 4;
  __shared__ float shared[kRows][kThreads];
  const unsigned vectors = k / 8;
  if (blockIdx.x >= m / kRows) return;
  const uint4* row = w + static_cast<size_t>(blockIdx.x) * kRows * vectors;
  float sum[kRows] = {};
#pragma unroll 2
  for (unsigned i = threadIdx.x; i < vectors; i += kThreads) {
    const float4 x0 = x[2 * i], x1 = x[2 * i + 1];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      const uint4 v = row[static_cast<size_t>(r) * vectors + i];
      sum[r] = Dot(LowHalves(v.z, v.w), x1, Dot(LowHalves(v.x, v.y), x0, sum[r]));
    }
  }
  Finish<kRows>(sum, shared, y);
}

// Blocks of 32 weights: byte j holds weight j in its low and weight j + 16 in its high half, each 8 more than its
// value. The scales follow the weights of all rows (kernels/operand.h).
KERNEL __launch_bounds__(kThreads) gemv_q4(const uint4* __restrict__ w, const float4* __restrict__ x,
                                           float* __restrict__ y, unsigned m, unsigned k) {
  constexpr unsigned kRows = 4;
  __shared__ float shared[kRows][kThreads];
  const unsigned blocks = k / 32;
  if (blockIdx.x >= m / kRows) return;
  const auto* scales = reinterpret_cast<const unsigned short*>(w + static_cast<size_t>(m) * blocks);
  const size_t first = static_cast<size_t>(blockIdx.x) * kRows * blocks;
  float sum[kRows] = {};
  for (unsigned i = threadIdx.x; i < blocks; i += kThreads) {
    float4 own[8];
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) own[j] = x[8 * i + j];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      const size_t block = first + static_cast<size_t>(r) * blocks + i;
      const uint4 v = w[block];
      float dot = Dot(Nibbles(v.w >> 4), own[7], Dot(Nibbles(v.w), own[3], 0.0f));
      dot = Dot(Nibbles(v.z >> 4), own[6], Dot(Nibbles(v.z), own[2], dot));
      dot = Dot(Nibbles(v.y >> 4), own[5], Dot(Nibbles(v.y), own[1], dot));
      dot = Dot(Nibbles(v.x >> 4), own[4], Dot(Nibbles(v.x), own[0], dot));
      sum[r] = fmaf(FloatOfHalf(scales[block]), dot, sum[r]);
    }
  }
  Finish<kRows>(sum, shared, y);
}
