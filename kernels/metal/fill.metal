// SPDX-License-Identifier: MIT
// The operands of kernels/operand.h: neighbours write neighbours.
#include <metal_stdlib>
using namespace metal;

inline uint Mix32(uint x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// The top bits as a signed integer: every one is exact in its type.
inline int Signed(uint bits, int width) { return as_type<int>(bits) >> (32 - width); }

inline uint U32(uint bits) { return bits; }
inline float Fp32(uint bits) { return float(Signed(bits, 24)) * 0x1p-23f; }
inline half Fp16(uint bits) { return half(float(Signed(bits, 11)) * 0x1p-10f); }
// bf16 is the upper half of an fp32.
inline ushort Bf16(uint bits) { return ushort(as_type<uint>(float(Signed(bits, 8)) * 0x1p-7f) >> 16); }

#define FILL(name, type, word)                                                                            \
  kernel void name(device type* out [[buffer(0)]], constant uint& count [[buffer(1)]],                    \
                   constant uint& seed [[buffer(2)]], uint first [[thread_position_in_grid]],             \
                   uint step [[threads_per_grid]]) {                                                      \
    const uint key = Mix32(seed);                                                                         \
    for (uint i = first; i < count; i += step) {                                                          \
      out[i] = word(Mix32(i ^ key));                                                                      \
      if (count - i <= step) break;                                                                       \
    }                                                                                                     \
  }
FILL(fill_u32, uint, U32)
FILL(fill_fp32, float, Fp32)
FILL(fill_fp16, half, Fp16)
FILL(fill_bf16, ushort, Bf16)

// Blocks of 32 weights as words, then a scale for each (kernels/operand.h). `count` weights.
kernel void fill_q4(device uint* out [[buffer(0)]], constant uint& count [[buffer(1)]],
                    constant uint& seed [[buffer(2)]], uint first [[thread_position_in_grid]],
                    uint step [[threads_per_grid]]) {
  const uint key = Mix32(seed);
  const uint words = count / 8, blocks = count / 32;
  device ushort* scales = reinterpret_cast<device ushort*>(out + words);
  for (uint i = first; i < words; i += step) out[i] = Mix32(i ^ key);
  for (uint i = first; i < blocks; i += step) scales[i] = ushort(8u << 10 | Mix32((words + i) ^ key) >> 22);
}
