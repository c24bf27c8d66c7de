// SPDX-License-Identifier: MIT
// y = W x for drivers that run on the host processor: a work-group is one subgroup, as wide as their vectors, and
// computes ROWS rows, so that each piece of x is fetched once for all of them.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const int kLanes = 8;
layout(binding = 0) uniform utextureBuffer weights;
layout(binding = 1) uniform textureBuffer x;
layout(std430, binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Scalars {
  uint m;
  uint k;
};

#define X(i) texelFetch(x, i)
#include "gemv_weights.glsl"

float Scale(int block) {
  const uvec4 eight = texelFetch(weights, int(m) * (int(k) / 32) + block / 8);
  const vec2 pair = unpackHalf2x16(eight[block / 2 % 4]);
  return block % 2 == 0 ? pair.x : pair.y;
}

void main() {
  const int vectors = int(k) / PER_VECTOR;
  const int first = int(gl_WorkGroupID.x) * ROWS;
  float sum[ROWS];
  for (int r = 0; r < ROWS; ++r) sum[r] = 0.0;
  for (int i = int(gl_LocalInvocationID.x); i < vectors; i += kLanes) {
    for (int r = 0; r < ROWS; ++r) {
      const int at = min(first + r, int(m) - 1) * vectors + i;
      const float product = Product(texelFetch(weights, at), i);
#if WEIGHTS == Q4
      sum[r] = fma(Scale(at), product, sum[r]);
#else
      sum[r] += product;
#endif
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    const float total = subgroupAdd(sum[r]);
    if (gl_LocalInvocationID.x == 0 && first + r < int(m)) y[first + r] = total;
  }
}
