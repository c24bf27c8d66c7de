// SPDX-License-Identifier: MIT
// What processors do with memory: fill it with the operands of kernels/operand.h, stream it, multiply matrices in it
// by vectors. Every work-group is one work-item that passes over an equal, contiguous share. One source: a compiler's
// own headers take longer than all of it.

// AHEAD: bytes to prefetch in advance, since processors' own prefetchers may stop at page borders; 0 where they do not
// and look ahead in four places at once. Without it nothing is: a simulator knows no prefetch.
#if defined(AHEAD) && AHEAD == 0
#define PLACES 4
#else
#define PLACES 1
#endif
#if defined(AHEAD) && AHEAD > 0 && __has_builtin(__builtin_prefetch)
#define PREFETCH(at) __builtin_prefetch((const void*)((uintptr_t)(at) + AHEAD))
#else
#define PREFETCH(at)
#endif
#if __has_builtin(__builtin_nontemporal_store) && defined(AHEAD)
#define STREAM(value, to) __builtin_nontemporal_store(value, to)
#else
#define STREAM(value, to) (*(to) = (value))
#endif

// Where the share of work-group `index` begins: at a multiple of `granule`.
uint Share(uint count, uint index, uint granule) {
  const uint groups = get_num_groups(0);
  const uint each = count / groups + (count % groups != 0);
  return min(count, index * ((each + granule - 1) / granule * granule));
}

#define MIX(name, type)    \
  type name(type x) {      \
    x ^= x >> 16;          \
    x *= 0x7feb352du;      \
    x ^= x >> 15;          \
    x *= 0x846ca68bu;      \
    return x ^ (x >> 16);  \
  }
MIX(Mix32, uint)
MIX(Mix32x16, uint16)

#define FILL(name, type, word, words)                                                               \
  __kernel void name(__global type* out, uint count, uint seed) {                                   \
    const uint key = Mix32(seed);                                                                   \
    const uint end = Share(count, get_group_id(0) + 1, 16);                                         \
    uint i = Share(count, get_group_id(0), 16);                                                     \
    uint16 index = i + (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);              \
    for (; i + 16 <= end; i += 16, index += 16) vstore16(words(Mix32x16(index ^ key)), 0, out + i); \
    for (; i < end; ++i) out[i] = word(Mix32(i ^ key));                                             \
  }

#define U32(bits) (bits)
#define FP32(bits) (convert_float(as_int(bits) >> 8) * 0x1p-23f)
#define FP32X16(bits) (convert_float16(as_int16(bits) >> 8) * 0x1p-23f)

// Every fp16 operand is 0 or normal: the exponent's bias changes (127 to 15) and 13 zero bits of the mantissa go.
ushort Fp16(uint bits) {
  const uint word = as_uint(convert_float(as_int(bits) >> 21) * 0x1p-10f);
  const uint magnitude = word & 0x7fffffffu;
  return magnitude == 0 ? 0 : (word >> 16 & 0x8000u) | (magnitude - (112u << 23)) >> 13;
}
ushort16 Fp16x16(uint16 bits) {
  const uint16 word = as_uint16(convert_float16(as_int16(bits) >> 21) * 0x1p-10f);
  const uint16 magnitude = word & 0x7fffffffu;
  const uint16 half_word = (word >> 16 & 0x8000u) | (magnitude - (112u << 23)) >> 13;
  return convert_ushort16(magnitude == 0 ? (uint16)(0) : half_word);
}

FILL(fill_u32, uint, U32, U32)
FILL(fill_fp32, float, FP32, FP32X16)
FILL(fill_fp16, ushort, Fp16, Fp16x16)

// Blocks of 32 weights as words, then a scale for each (kernels/operand.h). `count` weights.
__kernel void fill_q4(__global uint* out, uint count, uint seed) {
  const uint key = Mix32(seed);
  const uint words = count / 8;
  const uint blocks = count / 32;
  __global ushort* scales = (__global ushort*)(out + words);
  const uint end = Share(words, get_group_id(0) + 1, 16);
  for (uint i = Share(words, get_group_id(0), 16); i < end; ++i) out[i] = Mix32(i ^ key);
  const uint last = Share(blocks, get_group_id(0) + 1, 16);
  for (uint i = Share(blocks, get_group_id(0), 16); i < last; ++i) {
    scales[i] = convert_ushort(8u << 10 | Mix32((words + i) ^ key) >> 22);
  }
}

uint16 AddFour(const __global uint* at) {
  const __global uint16* vectors = (const __global uint16*)at;
  return (vectors[0] + vectors[1]) + (vectors[2] + vectors[3]);
}

__kernel void read_u32(__global const uint* restrict in, __global uint* restrict partials, uint count) {
  const uint end = Share(count, get_group_id(0) + 1, 64);
  uint i = Share(count, get_group_id(0), 64);
  const uint apart = (end - i) / (PLACES * 64) * 64;
  uint16 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (const uint stop = i + apart; i < stop; i += 64) {
    PREFETCH(in + i);
    PREFETCH(in + i + 16);
    PREFETCH(in + i + 32);
    PREFETCH(in + i + 48);
    s0 += AddFour(in + i);
#if PLACES == 4
    s1 += AddFour(in + apart + i);
    s2 += AddFour(in + 2 * apart + i);
    s3 += AddFour(in + 3 * apart + i);
#endif
  }
  i += (PLACES - 1) * apart;
  const uint16 all = (s0 + s1) + (s2 + s3);
  const uint8 h8 = all.lo + all.hi;
  const uint4 h4 = h8.lo + h8.hi;
  uint sum = h4.x + h4.y + h4.z + h4.w;
  for (; i < end; ++i) sum += in[i];
  partials[get_group_id(0)] = sum;
}

__kernel void copy_u32(__global const uint* restrict in, __global uint* restrict out, uint count) {
  const uint end = Share(count, get_group_id(0) + 1, 64);
  uint i = Share(count, get_group_id(0), 64);
  for (; i + 16 <= end; i += 16) {
    PREFETCH(in + i);
    STREAM(*(const __global uint16*)(in + i), (__global uint16*)(out + i));
  }
  for (; i < end; ++i) out[i] = in[i];
}

// out = a + factor * b.
__kernel void triad_fp32(__global const float* restrict a, __global const float* restrict b, __global float* restrict out,
                         uint count, float factor) {
  const uint end = Share(count, get_group_id(0) + 1, 64);
  uint i = Share(count, get_group_id(0), 64);
  for (; i + 16 <= end; i += 16) {
    PREFETCH(a + i);
    PREFETCH(b + i);
    const float16 sum = fma((float16)(factor), *(const __global float16*)(b + i), *(const __global float16*)(a + i));
    STREAM(sum, (__global float16*)(out + i));
  }
  for (; i < end; ++i) out[i] = fma(factor, b[i], a[i]);
}

// y[m] = W[m x k] * x[k]; k is a multiple of 32.
float Sum(float16 v) {
  const float8 h8 = v.lo + v.hi;
  const float4 h4 = h8.lo + h8.hi;
  return (h4.x + h4.y) + (h4.z + h4.w);
}

// fp16 numbers that are finite: the mantissa moves to its place in fp32, the product mends the exponent (127 - 15).
float16 FromFp16(ushort16 bits) {
  const uint16 wide = convert_uint16(bits);
  const float16 magnitude = as_float16((wide & 0x7fffu) << 13) * 0x1p112f;
  return as_float16(as_uint16(magnitude) | (wide & 0x8000u) << 16);
}

#define ROWS(name, type, dot)                                                                                       \
  __kernel void name(__global const type* restrict w, __global const float* restrict x, __global float* restrict y, \
                     uint m, uint k) {                                                                              \
    const uint end = Share(m, get_group_id(0) + 1, 1);                                                              \
    for (uint row = Share(m, get_group_id(0), 1); row < end; ++row) y[row] = dot(w + (size_t)row * k, x, k);        \
  }

float DotFp32(__global const float* restrict w, __global const float* restrict x, uint k) {
  float16 s0 = 0.0f, s1 = 0.0f;
  for (uint i = 0; i < k; i += 32) {
    PREFETCH(w + i);
    PREFETCH(w + i + 16);
    s0 = fma(vload16(0, w + i), vload16(0, x + i), s0);
    s1 = fma(vload16(0, w + i + 16), vload16(0, x + i + 16), s1);
  }
  return Sum(s0 + s1);
}
ROWS(gemv_fp32, float, DotFp32)

float DotFp16(__global const ushort* restrict w, __global const float* restrict x, uint k) {
  float16 s0 = 0.0f, s1 = 0.0f;
  for (uint i = 0; i < k; i += 32) {
    PREFETCH(w + i);
    s0 = fma(FromFp16(vload16(0, w + i)), vload16(0, x + i), s0);
    s1 = fma(FromFp16(vload16(0, w + i + 16)), vload16(0, x + i + 16), s1);
  }
  return Sum(s0 + s1);
}
ROWS(gemv_fp16, ushort, DotFp16)

// Blocks of 32 weights: byte j holds weight j in its low and weight j + 16 in its high half, each 8 more than its
// value. The scales follow the weights of all rows (kernels/operand.h).
__kernel void gemv_q4(__global const uchar* restrict w, __global const float* restrict x, __global float* restrict y,
                      uint m, uint k) {
  const uint blocks = k / 32;
  const __global ushort* scales = (const __global ushort*)(w + (size_t)m * blocks * 16);
  const uint end = Share(m, get_group_id(0) + 1, 1);
  for (uint row = Share(m, get_group_id(0), 1); row < end; ++row) {
    const __global uchar* weights = w + (size_t)row * blocks * 16;
    float16 sum = 0.0f;
    for (uint i = 0; i < blocks; ++i) {
      PREFETCH(weights + i * 16);
      const int16 bytes = convert_int16(vload16(i, weights));
      const float16 low = convert_float16((bytes & 15) - 8);
      const float16 high = convert_float16((bytes >> 4) - 8);
      const uint bits = scales[(size_t)row * blocks + i];
      const float scale = as_float((bits & 0x7fffu) << 13) * 0x1p112f;
      const float16 part = fma(low, vload16(2 * i, x), high * vload16(2 * i + 1, x));
      sum = fma((float16)((bits & 0x8000u) != 0 ? -scale : scale), part, sum);
    }
    y[row] = Sum(sum);
  }
}
