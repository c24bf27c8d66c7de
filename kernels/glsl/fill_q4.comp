// SPDX-License-Identifier: MIT
// Writes the 4-bit weights of kernels/operand.h: blocks of 32 as words, then two scales a word.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "operand.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = 0) writeonly buffer Out { uint words[]; };
layout(push_constant) uniform Scalars {
  uint count;  // weights
  uint seed;
};

// A normal number in [2^-7, 2^-6) with all of its mantissa random.
uint Scale(uint block) { return 8U << 10 | OperandBits(seed, count / 8 + block) >> 22; }

// A work-group's range of so many.
uint Range(uint all) { return all / gl_NumWorkGroups.x + 1; }
uint Begin(uint all) { return gl_WorkGroupID.x * Range(all) + gl_LocalInvocationID.x; }
uint End(uint all) { return min((gl_WorkGroupID.x + 1) * Range(all), all); }

void main() {
  const uint blocks = count / 32;
  uint end = End(count / 8);
  for (uint i = Begin(count / 8); i < end; i += gl_WorkGroupSize.x) words[i] = OperandBits(seed, i);
  end = End((blocks + 1) / 2);
  for (uint i = Begin((blocks + 1) / 2); i < end; i += gl_WorkGroupSize.x) {
    words[count / 8 + i] = Scale(2 * i) | (2 * i + 1 < blocks ? Scale(2 * i + 1) << 16 : 0);
  }
}
