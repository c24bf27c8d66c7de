// SPDX-License-Identifier: MIT
// out = a + factor * b for GPUs: neighbouring invocations take neighbouring vectors, UNROLL of them a turn.
#version 450

layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { vec4 b[]; };
layout(std430, binding = 2) writeonly buffer Out { vec4 to[]; };
layout(push_constant) uniform Scalars {
  uint count;
  float factor;
};

void main() {
  const uint vectors = count / 4;
  const uint stride = gl_NumWorkGroups.x * 256;
  uint i = gl_GlobalInvocationID.x;
  for (; i + (UNROLL - 1) * stride < vectors; i += UNROLL * stride) {
    vec4 v[UNROLL];
    for (int u = 0; u < UNROLL; ++u) v[u] = fma(vec4(factor), b[i + u * stride], a[i + u * stride]);
    for (int u = 0; u < UNROLL; ++u) to[i + u * stride] = v[u];
  }
  for (; i < vectors; i += stride) to[i] = fma(vec4(factor), b[i], a[i]);
}
