// SPDX-License-Identifier: MIT
// y[m] = W[m x k] * x[k] for processors: every work-group is one work-item that computes an equal share of the rows.
// k is a multiple of 32. AHEAD: bytes of W to prefetch in advance; without it or with 0 nothing is.
#if defined(AHEAD) && AHEAD > 0 && __has_builtin(__builtin_prefetch)
#define PREFETCH(at, lines)                             \
  _Pragma("unroll") for (int line = 0; line < (lines); ++line) \
      __builtin_prefetch((const void*)((uintptr_t)(at) + AHEAD + line * 64))
#else
#define PREFETCH(at, lines)
#endif

uint Share(uint rows, uint index) {
  const uint step = (rows + get_num_groups(0) - 1) / get_num_groups(0);
  return min(rows, index * step);
}

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

#define ROWS(name, type, dot)                                                                                  \
  __kernel void name(__global const type* restrict w, __global const float* restrict x, __global float* restrict y, \
                     uint m, uint k) {                                                                         \
    const uint end = Share(m, get_group_id(0) + 1);                                                            \
    for (uint row = Share(m, get_group_id(0)); row < end; ++row) y[row] = dot(w + (size_t)row * k, x, k);      \
  }

float DotFp32(__global const float* restrict w, __global const float* restrict x, uint k) {
  float16 s0 = 0.0f, s1 = 0.0f;
  for (uint i = 0; i < k; i += 32) {
    PREFETCH(w + i, 2);
    s0 = fma(vload16(0, w + i), vload16(0, x + i), s0);
    s1 = fma(vload16(0, w + i + 16), vload16(0, x + i + 16), s1);
  }
  return Sum(s0 + s1);
}
ROWS(gemv_fp32, float, DotFp32)

float DotFp16(__global const ushort* restrict w, __global const float* restrict x, uint k) {
  float16 s0 = 0.0f, s1 = 0.0f;
  for (uint i = 0; i < k; i += 32) {
    PREFETCH(w + i, 1);
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
  const uint end = Share(m, get_group_id(0) + 1);
  for (uint row = Share(m, get_group_id(0)); row < end; ++row) {
    const __global uchar* weights = w + (size_t)row * blocks * 16;
    float16 sum = 0.0f;
    for (uint i = 0; i < blocks; ++i) {
      PREFETCH(weights + i * 16, 1);
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
