// SPDX-License-Identifier: MIT
// y[m] = W[m x k] * x[k] for GPUs: a work-group of GROUP work-items computes one row, neighbours reading 16 bytes of W
// beside each other. k is a multiple of 32.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
float8 FromFp16(uint4 bits) { return convert_float8(as_half8(bits)); }
#else
// fp16 numbers that are finite: the mantissa moves to its place in fp32, the product mends the exponent (127 - 15).
float8 FromFp16(uint4 bits) {
  const uint8 wide = convert_uint8(as_ushort8(bits));
  const float8 magnitude = as_float8((wide & 0x7fffu) << 13) * 0x1p112f;
  return as_float8(as_uint8(magnitude) | (wide & 0x8000u) << 16);
}
#endif

float Sum(float8 v) {
  const float4 h4 = v.lo + v.hi;
  return (h4.x + h4.y) + (h4.z + h4.w);
}

#define LANE get_local_id(0)

// The sum over the work-group, in its first work-item.
float Reduce(__local float* sums, float own) {
  sums[LANE] = own;
  for (uint width = GROUP / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (LANE < width) sums[LANE] += sums[LANE + width];
  }
  return sums[0];
}

#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))

KERNEL void gemv_fp32(__global const float4* restrict w, __global const float4* restrict x, __global float* restrict y,
                      uint m, uint k) {
  __local float sums[GROUP];
  const size_t row = get_group_id(0);
  w += row * (k / 4);
  float4 sum = 0.0f;
  for (uint i = LANE; i < k / 4; i += GROUP) sum = fma(w[i], x[i], sum);
  const float total = Reduce(sums, (sum.x + sum.y) + (sum.z + sum.w));
  if (LANE == 0) y[row] = total;
}

KERNEL void gemv_fp16(__global const uint4* restrict w, __global const float* restrict x, __global float* restrict y,
                      uint m, uint k) {
  __local float sums[GROUP];
  const size_t row = get_group_id(0);
  w += row * (k / 8);
  float8 sum = 0.0f;
  for (uint i = LANE; i < k / 8; i += GROUP) sum = fma(FromFp16(w[i]), vload8(i, x), sum);
  const float total = Reduce(sums, Sum(sum));
  if (LANE == 0) y[row] = total;
}

// Blocks of 32 weights: byte j holds weight j in its low and weight j + 16 in its high half, each 8 more than its
// value. The scales follow the weights of all rows (kernels/operand.h).
KERNEL void gemv_q4(__global const uchar* restrict w, __global const float* restrict x, __global float* restrict y,
                    uint m, uint k) {
  __local float sums[GROUP];
  const uint blocks = k / 32;
  const size_t row = get_group_id(0);
  const __global half* scales = (const __global half*)(w + (size_t)m * blocks * 16) + row * blocks;
  const __global uint4* weights = (const __global uint4*)w + row * blocks;
  float sum = 0.0f;
  for (uint i = LANE; i < blocks; i += GROUP) {
    const int16 bytes = convert_int16(as_uchar16(weights[i]));
    const float16 low = convert_float16((bytes & 15) - 8) * vload16(2 * i, x);
    const float16 both = fma(convert_float16((bytes >> 4) - 8), vload16(2 * i + 1, x), low);
    sum = fma(vload_half(i, scales), Sum(both.lo + both.hi), sum);
  }
  const float total = Reduce(sums, sum);
  if (LANE == 0) y[row] = total;
}
