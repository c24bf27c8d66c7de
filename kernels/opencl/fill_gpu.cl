// SPDX-License-Identifier: MIT
// The operands of kernels/operand.h, for GPUs: neighbours write neighbours.
uint Mix32(uint x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

#define FILL(name, type, word)                                    \
  __kernel void name(__global type* out, uint count, uint seed) { \
    const uint key = Mix32(seed);                                 \
    const uint step = get_global_size(0);                         \
    for (uint i = get_global_id(0); i < count; i += step) {       \
      out[i] = word(Mix32(i ^ key));                              \
      if (count - i <= step) break;                               \
    }                                                             \
  }

#define U32(bits) (bits)
#define FP32(bits) (convert_float(as_int(bits) >> 8) * 0x1p-23f)

FILL(fill_u32, uint, U32)
FILL(fill_fp32, float, FP32)
