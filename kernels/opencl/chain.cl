// SPDX-License-Identifier: MIT
// The rate of fp32 multiply-adds without memory: every work-item has CHAINS chains of LANES numbers. x becomes 1.5 - x,
// an odd number of times, by a product with -1 that the compiler does not know. Options: LANES (1, 4, 8, 16), CHAINS.
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

uint Mix32(uint x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// Number j of a work-group's, chain by chain, work-item by work-item: 12 bits, so that every step is exact.
float Start(uint j) { return convert_float(as_int(Mix32(j ^ Mix32(1u))) >> 20) * 0x1p-11f; }

typedef union {
  Vector all;
  float lane[LANES];
} Chain;

// A work-group leaves its first 8 numbers; what the others are off by is added to them.
__kernel void chain_fp32(__global float* restrict out, uint rounds, float minus) {
  Vector x[CHAINS];
  const uint first = get_local_id(0) * LANES;
  const uint step = get_local_size(0) * LANES;
  for (int c = 0; c < CHAINS; ++c) {
    Chain start;
    for (int l = 0; l < LANES; ++l) start.lane[l] = Start(c * step + first + l);
    x[c] = start.all;
  }
  for (uint round = 0; round < rounds; ++round) {
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = MULTIPLY_ADD(x[c], (Vector)(minus), (Vector)(1.5f));
  }
  float off = 0.0f;
  for (int c = 0; c < CHAINS; ++c) {
    Chain end;
    end.all = x[c];
    for (int l = 0; l < LANES; ++l) off += fabs(end.lane[l] + Start(c * step + first + l) - 1.5f);
  }
  for (int c = 0; c < CHAINS; ++c) {
    Chain end;
    end.all = x[c];
    for (int l = 0; l < LANES; ++l) {
      const uint j = c * step + first + l;
      if (j < 8) out[get_group_id(0) * 8 + j] = end.lane[l] + off;
    }
  }
}
