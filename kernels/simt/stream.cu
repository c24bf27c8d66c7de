// SPDX-License-Identifier: MIT
// Operands (kernels/operand.h) and memory bandwidth: neighbours touch neighbours, 16 bytes each.

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kUnroll = 4;  // loads in flight, a thread that reads

// The hash of kernels/operand.h.
DEVICE unsigned Mix32(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

// The top bits as a signed integer.
DEVICE int Signed(unsigned bits, int width) { return static_cast<int>(bits) >> (32 - width); }

DEVICE unsigned Fp32Word(unsigned bits) { return __float_as_uint(static_cast<float>(Signed(bits, 24)) * 0x1p-23f); }
DEVICE unsigned U32Word(unsigned bits) { return bits; }
// tf32 takes fp16's numbers.
DEVICE unsigned Tf32Word(unsigned bits) { return __float_as_uint(static_cast<float>(Signed(bits, 11)) * 0x1p-10f); }
// bf16 is the upper half of an fp32.
DEVICE unsigned short Bf16Word(unsigned bits) {
  return static_cast<unsigned short>(__float_as_uint(static_cast<float>(Signed(bits, 8)) * 0x1p-7f) >> 16);
}
// 0 or a normal number of fp16: the exponent is rebased and 13 zero bits of the mantissa go.
DEVICE unsigned short Fp16Word(unsigned bits) {
  const unsigned word = Tf32Word(bits);
  const unsigned sign = word >> 16 & 0x8000U, magnitude = word & 0x7fffffffU;
  return static_cast<unsigned short>(magnitude == 0 ? sign : sign | (magnitude - (112U << 23)) >> 13);
}
DEVICE signed char Int8Word(unsigned bits) { return static_cast<signed char>(Signed(bits, 8)); }
// e4m3 with four bits: n / 8 for n from -8 to 7. The exponent's field, above the three bits of the mantissa, is 4 of 1/8,
// 5 from 2/8 on, 6 from 4/8 on and 7 of 1.
DEVICE unsigned char Fp8Word(unsigned bits) {
  const int value = Signed(bits, 4);
  const unsigned magnitude = static_cast<unsigned>(value < 0 ? -value : value);
  const unsigned word = magnitude == 0 ? 0
                        : magnitude == 8 ? 0x38U
                        : magnitude >= 4 ? 6U << 3 | (magnitude - 4) << 1
                        : magnitude >= 2 ? 5U << 3 | (magnitude - 2) << 2
                                         : 4U << 3;
  return static_cast<unsigned char>(word | (value < 0 ? 0x80U : 0U));
}

// The codes of 0, 1, 2, 3, 4 as nibbles; the sign is bit 3.
DEVICE unsigned Fp4Code(unsigned bits) {
  const int value = Signed(bits, 3);
  const int magnitude = value < 0 ? -value : value;
  return (0x65420U >> 4 * magnitude & 7U) | (value < 0 ? 8U : 0U);
}

DEVICE unsigned First() { return blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE unsigned Step() { return gridDim.x * blockDim.x; }

DEVICE float4 AddMultiple(const float4& a, const float4& b, float factor) {
  return make_float4(fmaf(factor, b.x, a.x), fmaf(factor, b.y, a.y), fmaf(factor, b.z, a.z), fmaf(factor, b.w, a.w));
}

}  // namespace

#define FILL(name, type, word)                                                    \
  KERNEL __launch_bounds__(kThreads) name(type* out, unsigned count, unsigned seed) { \
    const unsigned key = Mix32(seed);                                             \
    for (unsigned long long i = First(); i < count; i += Step())                  \
      out[i] = word(Mix32(static_cast<unsigned>(i) ^ key));                       \
  }
FILL(fill_u32, unsigned, U32Word)
FILL(fill_fp32, unsigned, Fp32Word)
FILL(fill_tf32, unsigned, Tf32Word)
FILL(fill_fp16, unsigned short, Fp16Word)
FILL(fill_bf16, unsigned short, Bf16Word)
FILL(fill_int8, signed char, Int8Word)
FILL(fill_fp8, unsigned char, Fp8Word)

// Two numbers of e2m1 a byte, from -4 to 3: `count` of them, a multiple of 8.
KERNEL __launch_bounds__(kThreads) fill_fp4(unsigned* out, unsigned count, unsigned seed) {
  const unsigned key = Mix32(seed);
  for (unsigned long long i = First(); i < count / 8; i += Step()) {
    unsigned word = 0;
    for (unsigned j = 0; j < 8; ++j) word |= Fp4Code(Mix32(static_cast<unsigned>(i * 8 + j) ^ key)) << 4 * j;
    out[i] = word;
  }
}

// Blocks of 32 weights as words, then a scale for each. `count` weights.
KERNEL __launch_bounds__(kThreads) fill_q4(unsigned* out, unsigned count, unsigned seed) {
  const unsigned key = Mix32(seed);
  const unsigned words = count / 8, blocks = count / 32;
  auto* scales = reinterpret_cast<unsigned short*>(out + words);
  for (unsigned i = First(); i < words; i += Step()) out[i] = Mix32(i ^ key);
  for (unsigned i = First(); i < blocks; i += Step()) {
    scales[i] = static_cast<unsigned short>(8U << 10 | Mix32((words + i) ^ key) >> 22);
  }
}

KERNEL __launch_bounds__(kThreads) read_u32(const uint4* __restrict__ in, unsigned* __restrict__ partials,
                                            unsigned count) {
  __shared__ unsigned sums[kThreads];
  const unsigned vectors = count / 4, step = Step();
  unsigned sum = 0;
  unsigned i = First();
  for (; vectors > (kUnroll - 1) * step && i < vectors - (kUnroll - 1) * step; i += kUnroll * step) {
    uint4 v[kUnroll];
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) v[u] = in[i + u * step];
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) sum += v[u].x + v[u].y + v[u].z + v[u].w;
  }
  for (; i < vectors; i += step) sum += in[i].x + in[i].y + in[i].z + in[i].w;
  sums[threadIdx.x] = sum;
  for (unsigned width = kThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// What writes as much as it reads, or half of it, has a thread for each 16 bytes. Blocks that stay and stride reach 0.95 of
// cudaMemcpy at best on an H100, whatever they have in flight; these reached 1.00 of it.
KERNEL __launch_bounds__(kThreads) copy_u32(const uint4* __restrict__ in, uint4* __restrict__ out, unsigned count) {
  const unsigned i = First();
  if (i < count / 4) out[i] = in[i];
}

// out = a + factor * b.
KERNEL __launch_bounds__(kThreads) triad_fp32(const float4* __restrict__ a, const float4* __restrict__ b,
                                              float4* __restrict__ out, unsigned count, float factor) {
  const unsigned i = First();
  if (i < count / 4) out[i] = AddMultiple(a[i], b[i], factor);
}

// Every thread has kChains accumulators; accumulator c of a block's thread t is c * kThreads + t of the block's.
constexpr unsigned kChains = 16;
constexpr unsigned kSteps = 16;  // a turn, of which k is a multiple
constexpr unsigned kFactors = 4;
KERNEL __launch_bounds__(kThreads) chain_fp32(float* __restrict__ out, unsigned k, float one) {
  const unsigned first = blockIdx.x * kChains * kThreads + threadIdx.x;
  float x[kChains];
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) x[c] = static_cast<float>((first + c * kThreads) % 8);
  // RDNA 3 and 4 do two products in one instruction where each adds to its own sum and all factors are in vector
  // registers of different banks.
  float u[kFactors], v[kFactors];
#pragma unroll
  for (unsigned i = 0; i < kFactors; ++i) {
    u[i] = v[i] = one;
#if defined(__HIP__)
    asm volatile("" : "+v"(u[i]), "+v"(v[i]));
#endif
  }
  for (unsigned turn = 0; turn < k / kSteps; ++turn) {
#pragma unroll
    for (unsigned s = 0; s < kSteps; ++s) {
#pragma unroll
      for (unsigned c = 0; c < kChains; ++c) x[c] = fmaf(u[c % kFactors], v[c % kFactors], x[c]);
    }
  }
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) out[first + c * kThreads] = x[c];
}
