// SPDX-License-Identifier: MIT
// C = A * B in fp32 for GPUs: a work-group of 16 x 16 invocations computes a TILE x TILE block, each invocation
// (TILE/16)^2 of it in registers, from slices of DEPTH columns of A and rows of B in shared memory. The next slice is
// fetched while this one is multiplied.
#version 450

layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { vec4 c[]; };
layout(push_constant) uniform Scalars {
  uint m;
  uint n;
  uint k;
};

#define DEPTH 16
#define EACH (TILE / 16)                  // rows and columns an invocation
#define FETCHES (TILE * DEPTH / 4 / 256)  // vectors an invocation and operand

shared vec4 left[DEPTH * (TILE / 4 + 1)];  // A's slice, transposed; the spare column spreads it over the banks
shared vec4 right[DEPTH * (TILE / 4)];

void main() {
  const uint self = gl_LocalInvocationID.x;
  const uint across = self % 16;
  const uint down = self / 16;
  const uint row = gl_WorkGroupID.y * TILE;
  const uint column = gl_WorkGroupID.x * TILE;
  vec4 next_a[FETCHES];
  vec4 next_b[FETCHES];
  vec4 sum[EACH * EACH / 4];
  for (int i = 0; i < EACH * EACH / 4; ++i) sum[i] = vec4(0.0);
  for (uint at = 0; at < k; at += DEPTH) {
    for (int f = 0; f < FETCHES; ++f) {
      const uint v = self + f * 256;
      next_a[f] = a[((row + v / (DEPTH / 4)) * k + at) / 4 + v % (DEPTH / 4)];
      next_b[f] = b[((at + v / (TILE / 4)) * n + column) / 4 + v % (TILE / 4)];
    }
    barrier();
    for (int f = 0; f < FETCHES; ++f) {
      const uint v = self + f * 256;
      const uint r = v / (DEPTH / 4);
      for (int j = 0; j < 4; ++j) left[(v % (DEPTH / 4) * 4 + j) * (TILE / 4 + 1) + r / 4][r % 4] = next_a[f][j];
      right[v] = next_b[f];
    }
    barrier();
    for (int d = 0; d < DEPTH; ++d) {
      vec4 x[EACH / 4];
      vec4 y[EACH / 4];
      for (int i = 0; i < EACH / 4; ++i) {
        x[i] = left[d * (TILE / 4 + 1) + down + i * 16];
        y[i] = right[d * (TILE / 4) + across + i * 16];
      }
      for (int i = 0; i < EACH; ++i) {
        for (int j = 0; j < EACH / 4; ++j) {
          sum[i * (EACH / 4) + j] = fma(vec4(x[i / 4][i % 4]), y[j], sum[i * (EACH / 4) + j]);
        }
      }
    }
  }
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH / 4; ++j) {
      const uint r = row + (down + i / 4 * 16) * 4 + i % 4;
      c[(r * n + column) / 4 + across + j * 16] = sum[i * (EACH / 4) + j];
    }
  }
}
