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
// The top bits as a signed integer: every one is exact in its type.
#define SIGNED(bits, width) (as_int(bits) >> (32 - (width)))
#define INT8(bits) convert_char(SIGNED(bits, 8))
// bf16 is the upper half of an fp32.
#define BF16(bits) convert_ushort(as_uint(convert_float(SIGNED(bits, 8)) * 0x1p-7f) >> 16)

FILL(fill_u32, uint, U32)
FILL(fill_fp32, float, FP32)
FILL(fill_int8, char, INT8)
FILL(fill_bf16, ushort, BF16)

__kernel void fill_fp16(__global half* out, uint count, uint seed) {
  const uint key = Mix32(seed);
  const uint step = get_global_size(0);
  for (uint i = get_global_id(0); i < count; i += step) {
    vstore_half(convert_float(SIGNED(Mix32(i ^ key), 11)) * 0x1p-10f, i, out);
    if (count - i <= step) break;
  }
}

// Blocks of 32 weights as words, then a scale for each (kernels/operand.h). `count` weights.
__kernel void fill_q4(__global uint* out, uint count, uint seed) {
  const uint key = Mix32(seed);
  const uint words = count / 8;
  const uint blocks = count / 32;
  __global ushort* scales = (__global ushort*)(out + words);
  for (uint i = get_global_id(0); i < words; i += get_global_size(0)) out[i] = Mix32(i ^ key);
  for (uint i = get_global_id(0); i < blocks; i += get_global_size(0)) {
    scales[i] = convert_ushort(8u << 10 | Mix32((words + i) ^ key) >> 22);
  }
}
