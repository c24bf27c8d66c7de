// SPDX-License-Identifier: MIT
// The rate of fp32 multiply-adds without memory: every work-item has CHAINS vectors of LANES accumulators. The one comes
// as a scalar and multiplies the accumulator, so that no part of a step can be folded or moved out of the loop, even
// where a compiler takes multiplication and addition apart. Options: LANES (1, 4, 8, 16), CHAINS, STEPS (a turn, of
// which k is a multiple).
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#if LANES == 1
typedef float Vector;
#else
typedef CONCAT(float, LANES) Vector;
#endif
#ifdef FP_FAST_FMAF
#define MULTIPLY_ADD fma
#else
#define MULTIPLY_ADD mad
#endif

typedef union {
  Vector all;
  float lane[LANES];
} Sums;

__kernel void chain_fp32(__global float* restrict out, uint k, float one) {
  const uint step = get_local_size(0) * LANES;
  const uint first = get_group_id(0) * CHAINS * step + get_local_id(0) * LANES;
  Vector x[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) {
    Sums start;
    for (int l = 0; l < LANES; ++l) start.lane[l] = convert_float((first + c * step + l) % 8);
    x[c] = start.all;
  }
  for (uint turn = 0; turn < k / STEPS; ++turn) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
#pragma unroll
      for (int c = 0; c < CHAINS; ++c) x[c] = MULTIPLY_ADD(x[c], (Vector)(one), (Vector)(one));
    }
  }
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) {
    Sums end;
    end.all = x[c];
    for (int l = 0; l < LANES; ++l) out[first + c * step + l] = end.lane[l];
  }
}
