// SPDX-License-Identifier: MIT
// y = W x for GPUs: each of a work-group's four subgroups computes one row, neighbours reading 16 bytes of it beside
// each other, UNROLL times before the first is used.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;  // of four subgroups
layout(std430, binding = 0) readonly buffer W { uvec4 weights[]; };
layout(std430, binding = 1) readonly buffer Xs { vec4 xs[]; };
layout(std430, binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Scalars {
  uint m;
  uint k;
};

#define X(i) xs[i]
#include "gemv_weights.glsl"

float Scale(int block) {
  const uint word = weights[int(m) * (int(k) / 32) + block / 8][block / 2 % 4];
  const vec2 pair = unpackHalf2x16(word);
  return block % 2 == 0 ? pair.x : pair.y;
}

float Scaled(uvec4 w, int at, int i) {
#if WEIGHTS == Q4
  return Scale(at) * Product(w, i);
#else
  return Product(w, i);
#endif
}

void main() {
  const int vectors = int(k) / PER_VECTOR;
  const int lanes = int(gl_SubgroupSize);
  const uint row = gl_WorkGroupID.x * 4 + gl_SubgroupID;
  if (row >= m) return;
  const int first = int(row) * vectors;
  float sum = 0.0;
  int i = int(gl_SubgroupInvocationID);
  for (; i + (UNROLL - 1) * lanes < vectors; i += UNROLL * lanes) {
    uvec4 w[UNROLL];
    for (int u = 0; u < UNROLL; ++u) w[u] = weights[first + i + u * lanes];
    for (int u = 0; u < UNROLL; ++u) sum += Scaled(w[u], first + i + u * lanes, i + u * lanes);
  }
  for (; i < vectors; i += lanes) sum += Scaled(weights[first + i], first + i, i);
  const float total = subgroupAdd(sum);
  if (gl_SubgroupInvocationID == 0) y[row] = total;
}
