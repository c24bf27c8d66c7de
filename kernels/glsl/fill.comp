// SPDX-License-Identifier: MIT
// Writes operands, four words an invocation and turn; each work-group a range of its own, which drivers on the host
// processor do three times as fast as if all took turns. ENTRY(i) is the bits of entry i, in the lowest of PER_WORD parts
// of a word.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "operand.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = 0) writeonly buffer Out { uvec4 words[]; };
layout(push_constant) uniform Scalars {
  uint count;  // entries
  uint seed;
};

uint Bits(uint i) { return OperandBits(seed, i); }
uint Fp32(uint i) { return floatBitsToUint(float(OperandInteger(seed, i, 24)) * (1.0 / 8388608.0)); }

uint Fp16(uint i) { return packHalf2x16(vec2(float(OperandInteger(seed, i, 11)) * (1.0 / 1024.0), 0.0)); }
uint Bf16(uint i) { return floatBitsToUint(float(OperandInteger(seed, i, 8)) * (1.0 / 128.0)) >> 16; }
uint Int8(uint i) { return uint(OperandInteger(seed, i, 8)); }

#if PER_WORD == 1
uint Word(uint i) { return ENTRY(i); }
#elif PER_WORD == 2
uint Word(uint i) { return (ENTRY(2 * i) & 0xffffU) | (ENTRY(2 * i + 1) << 16); }
#else
uint Word(uint i) {
  return (ENTRY(4 * i) & 0xffU) | ((ENTRY(4 * i + 1) & 0xffU) << 8) | ((ENTRY(4 * i + 2) & 0xffU) << 16) |
         (ENTRY(4 * i + 3) << 24);
}
#endif

void main() {
  const uint vectors = count / (4 * PER_WORD);
  const uint range = vectors / gl_NumWorkGroups.x + 1;
  const uint begin = gl_WorkGroupID.x * range;
  const uint end = min(begin + range, vectors);
  for (uint v = begin + gl_LocalInvocationID.x; v < end; v += gl_WorkGroupSize.x) {
    words[v] = uvec4(Word(4 * v), Word(4 * v + 1), Word(4 * v + 2), Word(4 * v + 3));
  }
}
