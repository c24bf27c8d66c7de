// SPDX-License-Identifier: MIT
// The rate of fp32 multiply-adds without memory: every invocation has CHAINS chains. x becomes 1.5 - x, an odd number
// of times, by a product with -1 that the compiler does not know.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "operand.glsl"

layout(local_size_x = LOCAL) in;
layout(std430, binding = 0) writeonly buffer Out { float words[]; };
layout(push_constant) uniform Scalars {
  uint turns;  // odd
  float minus;
};

#define STEPS 15  // a turn; odd as well

// 12 bits, so that every step is exact.
float Start(uint j) { return float(OperandInteger(1, j, 12)) * (1.0 / 2048.0); }

// A work-group leaves its first 8 numbers; what the others are off by is added to them.
void main() {
  float x[CHAINS];
  for (int c = 0; c < CHAINS; ++c) x[c] = Start(c * LOCAL + gl_LocalInvocationID.x);
  for (uint turn = 0; turn < turns; ++turn) {
    for (int s = 0; s < STEPS; ++s) {
      for (int c = 0; c < CHAINS; ++c) x[c] = fma(x[c], minus, 1.5);
    }
  }
  float off = 0.0;
  for (int c = 0; c < CHAINS; ++c) off += abs(x[c] + Start(c * LOCAL + gl_LocalInvocationID.x) - 1.5);
  if (gl_LocalInvocationID.x < 8) words[gl_WorkGroupID.x * 8 + gl_LocalInvocationID.x] = x[0] + off;
}
