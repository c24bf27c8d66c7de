// SPDX-License-Identifier: MIT
// Copy and triad (out = a + factor * b) for drivers that run on the host processor: a work-group, as wide as their
// vectors, walks through a range of its own and reads texels.
#version 450

layout(local_size_x = 8) in;
#ifdef TRIAD
layout(binding = 0) uniform textureBuffer a;
layout(binding = 1) uniform textureBuffer b;
layout(std430, binding = 2) writeonly buffer Out { vec4 to[]; };
layout(push_constant) uniform Scalars {
  uint count;
  float factor;
};
#define RESULT(i) fma(vec4(factor), texelFetch(b, i), texelFetch(a, i))
#else
layout(binding = 0) uniform utextureBuffer from;
layout(std430, binding = 1) writeonly buffer Out { uvec4 to[]; };
layout(push_constant) uniform Scalars { uint count; };
#define RESULT(i) texelFetch(from, i)
#endif

void main() {
  const int texels = int(count / 4);
  const int range = (texels / int(gl_NumWorkGroups.x) / 8 + 1) * 8;
  const int begin = int(gl_WorkGroupID.x) * range;
  const int end = min(begin + range, texels);
  for (int i = begin + int(gl_LocalInvocationID.x); i < end; i += 8) to[i] = RESULT(i);
}
