// SPDX-License-Identifier: MIT
// The operands of kernels/operand.h, for processors: every work-group is one work-item that writes an equal share
// in vectors.
uint Mix32(uint x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

uint16 Mix32x16(uint16 x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

uint Share(uint count, uint index) {
  const uint step = (count / get_num_groups(0) + 16) & ~15u;
  return min(count, index * step);
}

#define FILL(name, type, word, words)                                                     \
  __kernel void name(__global type* out, uint count, uint seed) {                         \
    const uint key = Mix32(seed);                                                         \
    const uint end = Share(count, get_group_id(0) + 1);                                   \
    uint i = Share(count, get_group_id(0));                                               \
    uint16 index = i + (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);    \
    for (; i + 16 <= end; i += 16, index += 16) vstore16(words(Mix32x16(index ^ key)), 0, out + i); \
    for (; i < end; ++i) out[i] = word(Mix32(i ^ key));                                   \
  }

#define U32(bits) (bits)
#define FP32(bits) (convert_float(as_int(bits) >> 8) * 0x1p-23f)
#define FP32X16(bits) (convert_float16(as_int16(bits) >> 8) * 0x1p-23f)

FILL(fill_u32, uint, U32, U32)
FILL(fill_fp32, float, FP32, FP32X16)
