// SPDX-License-Identifier: MIT
// Sums of a buffer's words for drivers that run on the host processor: a work-group, as wide as their vectors, walks
// through a range of its own, so that the processor's prefetchers see one stream a thread. UNROLL texels a turn keep
// that many loads in flight.
#version 450

layout(local_size_x = 8) in;
layout(binding = 0) uniform utextureBuffer words;  // rgba32ui
layout(std430, binding = 1) writeonly buffer Partials { uint partials[]; };
layout(push_constant) uniform Scalars { uint count; };  // words

void main() {
  const int texels = int(count / 4);
  const int step = 8 * UNROLL;
  const int range = (texels / int(gl_NumWorkGroups.x) / step + 1) * step;
  const int begin = int(gl_WorkGroupID.x) * range;
  const int end = min(begin + range, texels);
  uvec4 sum[UNROLL];
  for (int u = 0; u < UNROLL; ++u) sum[u] = uvec4(0);
  int i = begin;
  for (; i + step <= end; i += step) {
    for (int u = 0; u < UNROLL; ++u) sum[u] += texelFetch(words, i + u * 8 + int(gl_LocalInvocationID.x));
  }
  for (i += int(gl_LocalInvocationID.x); i < end; i += 8) sum[0] += texelFetch(words, i);
  for (int u = 1; u < UNROLL; ++u) sum[0] += sum[u];
  partials[gl_GlobalInvocationID.x] = sum[0].x + sum[0].y + sum[0].z + sum[0].w;
}
