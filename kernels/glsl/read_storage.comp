// SPDX-License-Identifier: MIT
// Sums of a buffer's words for GPUs: neighbouring invocations read neighbouring vectors, UNROLL of them a turn.
#version 450

layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { uvec4 words[]; };
layout(std430, binding = 1) writeonly buffer Partials { uint partials[]; };
layout(push_constant) uniform Scalars { uint count; };  // words

void main() {
  const uint vectors = count / 4;
  const uint stride = gl_NumWorkGroups.x * 256;
  uvec4 sum[UNROLL];
  for (int u = 0; u < UNROLL; ++u) sum[u] = uvec4(0);
  uint i = gl_GlobalInvocationID.x;
  for (; i + (UNROLL - 1) * stride < vectors; i += UNROLL * stride) {
    for (int u = 0; u < UNROLL; ++u) sum[u] += words[i + u * stride];
  }
  for (; i < vectors; i += stride) sum[0] += words[i];
  for (int u = 1; u < UNROLL; ++u) sum[0] += sum[u];
  partials[gl_GlobalInvocationID.x] = sum[0].x + sum[0].y + sum[0].z + sum[0].w;
}
