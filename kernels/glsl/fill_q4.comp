// SPDX-License-Identifier: MIT
// Writes the 4-bit weights of kernels/operand.h: blocks of 32 as words, then two scales a word.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "operand.glsl"

layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer Out { uint words[]; };
layout(push_constant) uniform Scalars {
  uint count;  // weights
  uint seed;
};

// A normal number in [2^-7, 2^-6) with all of its mantissa random.
uint Scale(uint block) { return 8U << 10 | OperandBits(seed, count / 8 + block) >> 22; }

void main() {
  const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  const uint blocks = count / 32;
  for (uint i = gl_GlobalInvocationID.x; i < count / 8; i += stride) words[i] = OperandBits(seed, i);
  for (uint i = gl_GlobalInvocationID.x; i < (blocks + 1) / 2; i += stride) {
    words[count / 8 + i] = Scale(2 * i) | (2 * i + 1 < blocks ? Scale(2 * i + 1) << 16 : 0);
  }
}
