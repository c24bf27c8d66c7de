// SPDX-License-Identifier: MIT
// Copies words for GPUs: neighbouring invocations copy neighbouring vectors, UNROLL of them a turn.
#version 450

layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { uvec4 from[]; };
layout(std430, binding = 1) writeonly buffer Out { uvec4 to[]; };
layout(push_constant) uniform Scalars { uint count; };  // words

void main() {
  const uint vectors = count / 4;
  const uint stride = gl_NumWorkGroups.x * 256;
  uint i = gl_GlobalInvocationID.x;
  for (; i + (UNROLL - 1) * stride < vectors; i += UNROLL * stride) {
    uvec4 v[UNROLL];
    for (int u = 0; u < UNROLL; ++u) v[u] = from[i + u * stride];
    for (int u = 0; u < UNROLL; ++u) to[i + u * stride] = v[u];
  }
  for (; i < vectors; i += stride) to[i] = from[i];
}
