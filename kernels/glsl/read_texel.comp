// SPDX-License-Identifier: MIT
// Sums of a buffer's words for drivers that run on the host processor: every invocation of a work-group, which is as
// wide as their vectors, walks through a range of its own, four texels (a cache line) a turn. Such drivers fetch each
// lane's texel apart, so neighbours gain nothing by reading together, and the processor sees as many streams as there
// are lanes: one of a whole group at a time comes in half as fast.
#version 450

layout(local_size_x = 8) in;
layout(binding = 0) uniform utextureBuffer words;  // rgba32ui
layout(std430, binding = 1) writeonly buffer Partials { uint partials[]; };
layout(push_constant) uniform Scalars { uint count; };  // words

#define UNROLL 4

void main() {
  const int texels = int(count / 4);
  const int invocations = int(gl_NumWorkGroups.x) * 8;
  const int range = texels / invocations / UNROLL * UNROLL;
  const int first = int(gl_GlobalInvocationID.x) * range;
  uvec4 sum[UNROLL];
  for (int u = 0; u < UNROLL; ++u) sum[u] = uvec4(0);
  for (int i = 0; i < range; i += UNROLL) {
    for (int u = 0; u < UNROLL; ++u) sum[u] += texelFetch(words, first + i + u);
  }
  for (int i = range * invocations + int(gl_GlobalInvocationID.x); i < texels; i += invocations) {
    sum[0] += texelFetch(words, i);
  }
  for (int u = 1; u < UNROLL; ++u) sum[0] += sum[u];
  partials[gl_GlobalInvocationID.x] = sum[0].x + sum[0].y + sum[0].z + sum[0].w;
}
