// SPDX-License-Identifier: MIT
// The rate of fp32 multiply-adds without memory: every invocation has CHAINS accumulators. The one comes as a scalar and
// multiplies the accumulator, so that no part of a step can be folded or moved out of the loop, even where a driver
// takes multiplication and addition apart.
#version 450

layout(local_size_x = LOCAL) in;
layout(std430, binding = 0) writeonly buffer Out { float sums[]; };
layout(push_constant) uniform Scalars {
  uint k;  // a multiple of STEPS
  float one;
};

#define STEPS 16  // a turn

void main() {
  const uint first = gl_WorkGroupID.x * (CHAINS * LOCAL) + gl_LocalInvocationID.x;
  float x[CHAINS];
  for (int c = 0; c < CHAINS; ++c) x[c] = float((first + c * LOCAL) % 8);
  for (uint turn = 0; turn < k / STEPS; ++turn) {
    for (int s = 0; s < STEPS; ++s) {
      for (int c = 0; c < CHAINS; ++c) x[c] = fma(x[c], one, one);
    }
  }
  for (int c = 0; c < CHAINS; ++c) sums[first + c * LOCAL] = x[c];
}
