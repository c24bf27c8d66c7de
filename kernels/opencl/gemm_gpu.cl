// SPDX-License-Identifier: MIT
// C = A * B for GPUs: work-groups of 16 x 16 work-items compute TILE x TILE of C from local memory, each of them
// (TILE / 16)^2 entries in registers, DEPTH of k at a time. Options: TILE (64 or 128), DEPTH (16), IN (the operands'
// type) with LOAD (vload4, vload_half4), ACC (the sums' and C's).
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define ACC4 CONCAT(ACC, 4)
#define CONVERT CONCAT(convert_, ACC4)
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#define SIDE 16
#define EACH (TILE / SIDE)
#define PARTS (TILE * DEPTH / (SIDE * SIDE * 4))  // vectors of a tile, a work-item
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD fma
#else
#define MULTIPLY_ADD mad
#endif

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void gemm(__global const IN* restrict a, __global const IN* restrict b, __global ACC* restrict c, uint m, uint n,
          uint k) {
  // A is kept transposed, so that both operands are read along a row. The padding spreads its writes over the banks.
  __local ACC at[DEPTH][TILE + 4];
  __local ACC bt[DEPTH][TILE];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint lane = y * SIDE + x;
  const size_t row = (size_t)get_group_id(1) * TILE;
  const size_t column = (size_t)get_group_id(0) * TILE;
  ACC sum[EACH][EACH];
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
#pragma unroll
    for (int j = 0; j < EACH; ++j) sum[i][j] = 0;
  }
  for (uint first = 0; first < k; first += DEPTH) {
#pragma unroll
    for (uint part = 0; part < PARTS; ++part) {
      const uint i = (part * SIDE * SIDE + lane) * 4;
      const ACC4 v = CONVERT(LOAD(0, a + (row + i / DEPTH) * k + first + i % DEPTH));
      at[i % DEPTH][i / DEPTH] = v.x;
      at[i % DEPTH + 1][i / DEPTH] = v.y;
      at[i % DEPTH + 2][i / DEPTH] = v.z;
      at[i % DEPTH + 3][i / DEPTH] = v.w;
    }
#pragma unroll
    for (uint part = 0; part < PARTS; ++part) {
      const uint i = (part * SIDE * SIDE + lane) * 4;
      vstore4(CONVERT(LOAD(0, b + (first + i / TILE) * n + column + i % TILE)), 0, &bt[i / TILE][i % TILE]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint d = 0; d < DEPTH; ++d) {
      ACC av[EACH];
      ACC bv[EACH];
#pragma unroll
      for (int i = 0; i < EACH; ++i) av[i] = at[d][y * 4 + i / 4 * (SIDE * 4) + i % 4];
#pragma unroll
      for (int j = 0; j < EACH; ++j) bv[j] = bt[d][x * 4 + j / 4 * (SIDE * 4) + j % 4];
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < EACH; ++j) sum[i][j] = MULTIPLY_ADD(av[i], bv[j], sum[i][j]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    __global ACC* out = c + (row + y * 4 + i / 4 * (SIDE * 4) + i % 4) * n + column + x * 4;
#pragma unroll
    for (int j = 0; j < EACH; j += 4) {
      vstore4((ACC4)(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]), 0, out + j / 4 * (SIDE * 4));
    }
  }
}
