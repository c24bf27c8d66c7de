// SPDX-License-Identifier: MIT
// y[m] = W[m x k] * x[k]: a block computes kRows rows, so that every number of x that it reads serves them all;
// neighbours read 16 bytes of W beside each other. k is a multiple of 32.

namespace {

constexpr unsigned kThreads = 128;

template <unsigned kRows, unsigned kCount>
DEVICE void Finish(float (&sum)[kRows], float (&shared)[kRows][kCount], float* y) {
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) shared[r][threadIdx.x] = sum[r];
  for (unsigned width = kCount / 2; width > 0; width /= 2) {
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

// Of each byte of a word, 8 n + 0x87, the number 1 + n / 16 + 7 / 128: behind 0x3f it is an fp32's exponent and the top of
// its mantissa. Converting integers takes three times the instructions, on some chips in slow units.
DEVICE float4 OnesAndMore(unsigned word) {
  constexpr unsigned kExponent = 0x3f000000U;
  return make_float4(
      __uint_as_float(__byte_perm(word, kExponent, 0x7044)), __uint_as_float(__byte_perm(word, kExponent, 0x7144)),
      __uint_as_float(__byte_perm(word, kExponent, 0x7244)), __uint_as_float(__byte_perm(word, kExponent, 0x7344)));
}
constexpr unsigned kBesideNibbles = 0x87878787U;
constexpr float kEight = 1.0f + 8.0f / 16.0f + 7.0f / 128.0f;
DEVICE float4 LowNibbles(unsigned word) { return OnesAndMore(word << 3 | kBesideNibbles); }
DEVICE float4 HighNibbles(unsigned word) { return OnesAndMore(word >> 1 | kBesideNibbles); }

DEVICE float Sum(const float4& v) { return v.x + v.y + (v.z + v.w); }

constexpr unsigned kBlockThreads = 64;  // where a thread has whole blocks of 32; those of 14336 in seven turns
constexpr unsigned kPieces = 8;         // of a block's x, 16 bytes each
constexpr unsigned kStride = kPieces + 1;

// A thread needs 128 bytes of x in a row, which neighbours can not read from memory at once: they read them side by side
// and pass them on. Each thread's stand one piece later than they would, so that eight threads, whom shared memory serves at
// once, read different banks. Returns where those of this thread stand: zeros, from `blocks` on.
DEVICE const float4* Stage(const float4* x, unsigned first, unsigned blocks, float4* staged) {
  const unsigned thread = threadIdx.x;
  const float4* const from = x + (first * kPieces + thread);
  const int left = static_cast<int>((blocks - first) * kPieces - thread);
  float4 piece[kPieces];
#pragma unroll
  for (unsigned j = 0; j < kPieces; ++j) {
    const bool is_there = static_cast<int>(j * kBlockThreads) < left;
    piece[j] = is_there ? from[j * kBlockThreads] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  __syncthreads();  // everyone has done with the x before
  float4* const to = staged + thread / kPieces * kStride + thread % kPieces;
#pragma unroll
  for (unsigned j = 0; j < kPieces; ++j) to[j * (kBlockThreads / kPieces) * kStride] = piece[j];
  __syncthreads();  // everyone's x
  return staged + thread * kStride;
}

// Adds x times OnesAndMore of a block of each row to `dot`; returns the sum of x.
template <unsigned kRows>
DEVICE float AddBlocks(const uint4 (&v)[kRows], const float4* x, float (&dot)[kRows]) {
  float total = 0;
#pragma unroll
  for (unsigned j = 0; j < kPieces / 2; ++j) {
    const float4 low = x[j], high = x[j + kPieces / 2];
    total += Sum(low) + Sum(high);
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      const unsigned word = j == 0 ? v[r].x : j == 1 ? v[r].y : j == 2 ? v[r].z : v[r].w;
      dot[r] = Dot(HighNibbles(word), high, Dot(LowNibbles(word), low, dot[r]));
    }
  }
  return total;
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
  Finish(sum, shared, y);
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
  Finish(sum, shared, y);
}

// Blocks of 32 weights: byte j holds weight j in its low and weight j + 16 in its high half, each 8 more than its
// value. The scales follow the weights of all rows (kernels/operand.h).
//
// A weight n - 8 is 16 (OnesAndMore(n) - kEight): a block's products are added up as if kEight were 0, the sum of its x,
// which all rows share, is taken off kEight times, and 16 is multiplied by once, at the end. The additions within a block err
// by more for it, far less than is allowed (backends/core/stream_reference.h).
//
// The weights of all rows are fetched before the first is needed, as the first to leave the caches: x stays. CUDA's
// second bound leaves a thread the registers for that.
KERNEL __launch_bounds__(kBlockThreads, 8) gemv_q4(const uint4* __restrict__ w, const float4* __restrict__ x,
                                                    float* __restrict__ y, unsigned m, unsigned k) {
  constexpr unsigned kRows = 8;
  __shared__ float4 staged[kBlockThreads * kStride];
  const unsigned blocks = k / 32;
  if (blockIdx.x >= m / kRows) return;
  const auto* scales = reinterpret_cast<const unsigned short*>(w + static_cast<size_t>(m) * blocks);
  const size_t row = static_cast<size_t>(blockIdx.x) * kRows * blocks;
  float sum[kRows] = {};
  for (unsigned first = 0; first < blocks; first += kBlockThreads) {
    // Behind the end x is 0, and any weights do.
    const size_t block = row + (first + threadIdx.x < blocks ? first + threadIdx.x : 0);
    uint4 v[kRows];
    unsigned short scale[kRows];
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      v[r] = __ldcs(w + block + r * blocks);
      scale[r] = __ldcs(scales + block + r * blocks);
    }
    const float4* own = Stage(x, first, blocks, staged);
    float dot[kRows] = {};
    const float total = AddBlocks(v, own, dot);
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) sum[r] = fmaf(FloatOfHalf(scale[r]), fmaf(-kEight, total, dot[r]), sum[r]);
  }
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) sum[r] *= 16.0f;
  __syncthreads();
  Finish(sum, reinterpret_cast<float(&)[kRows][kBlockThreads]>(staged), y);
}
