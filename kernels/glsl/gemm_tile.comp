// SPDX-License-Identifier: MIT
// C = A * B for GPUs: a work-group of 16 x 16 invocations computes a TILE x TILE block, each invocation (TILE/16)^2 of
// it in registers, from slices of DEPTH columns of A and rows of B in shared memory. The next slice is on its way from
// memory while this one is multiplied. IN4 is how four operands lie in memory, ACC4 how they are multiplied and added.
#version 450
#ifdef HALF
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif

layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { IN4 a[]; };
layout(std430, binding = 1) readonly buffer B { IN4 b[]; };
layout(std430, binding = 2) writeonly buffer C { ACC4 c[]; };
layout(push_constant) uniform Scalars {
  uint m;
  uint n;
  uint k;
};

#define DEPTH 16
#define EACH (TILE / 16)                  // rows and columns an invocation
#define FETCHES (TILE * DEPTH / 4 / 256)  // vectors an invocation and operand

shared ACC4 left[DEPTH * (TILE / 4 + 1)];  // A's slice, transposed; the spare column spreads it over the banks
shared ACC4 right[DEPTH * (TILE / 4)];

IN4 next_a[FETCHES];
IN4 next_b[FETCHES];

void Fetch(uint row, uint column, uint at) {
  for (int f = 0; f < FETCHES; ++f) {
    const uint v = gl_LocalInvocationID.x + f * 256;
    next_a[f] = a[((row + v / (DEPTH / 4)) * k + at) / 4 + v % (DEPTH / 4)];
    next_b[f] = b[((at + v / (TILE / 4)) * n + column) / 4 + v % (TILE / 4)];
  }
}

void Share() {
  for (int f = 0; f < FETCHES; ++f) {
    const uint v = gl_LocalInvocationID.x + f * 256;
    const uint r = v / (DEPTH / 4);
    const ACC4 x = ACC4(next_a[f]);
    for (int j = 0; j < 4; ++j) left[(v % (DEPTH / 4) * 4 + j) * (TILE / 4 + 1) + r / 4][r % 4] = x[j];
    right[v] = ACC4(next_b[f]);
  }
}

void main() {
  const uint across = gl_LocalInvocationID.x % 16;
  const uint down = gl_LocalInvocationID.x / 16;
  const uint row = gl_WorkGroupID.y * TILE;
  const uint column = gl_WorkGroupID.x * TILE;
  ACC4 sum[EACH][EACH / 4];
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH / 4; ++j) sum[i][j] = ACC4(0.0);
  }
  Fetch(row, column, 0);
  for (uint at = 0; at < k; at += DEPTH) {
    barrier();
    Share();
    barrier();
    if (at + DEPTH < k) Fetch(row, column, at + DEPTH);
    for (int d = 0; d < DEPTH; ++d) {
      ACC4 x[EACH / 4];
      ACC4 y[EACH / 4];
      for (int i = 0; i < EACH / 4; ++i) {
        x[i] = left[d * (TILE / 4 + 1) + down + i * 16];
        y[i] = right[d * (TILE / 4) + across + i * 16];
      }
      for (int i = 0; i < EACH; ++i) {
        for (int j = 0; j < EACH / 4; ++j) sum[i][j] = fma(ACC4(x[i / 4][i % 4]), y[j], sum[i][j]);
      }
    }
  }
  for (int i = 0; i < EACH; ++i) {
    const uint r = row + (down + i / 4 * 16) * 4 + i % 4;
    for (int j = 0; j < EACH / 4; ++j) c[(r * n + column) / 4 + across + j * 16] = sum[i][j];
  }
}
