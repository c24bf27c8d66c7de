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
  const uint end = Share(words, get_group_id(0) + 1);
  for (uint i = Share(words, get_group_id(0)); i < end; ++i) out[i] = Mix32(i ^ key);
  const uint last = Share(blocks, get_group_id(0) + 1);
  for (uint i = Share(blocks, get_group_id(0)); i < last; ++i) {
    scales[i] = convert_ushort(8u << 10 | Mix32((words + i) ^ key) >> 22);
  }
}
