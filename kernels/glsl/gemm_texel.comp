// SPDX-License-Identifier: MIT
// C = A * B in fp32 for drivers that run on the host processor. One work-group is as wide as their vectors; an
// invocation computes ROWS rows of COLUMNS times four columns. Operands come through texel buffers: such drivers read
// those a whole texel at a time, storage buffers a word at a time with a test for each lane.
#version 450

layout(local_size_x = 8) in;
layout(binding = 0) uniform textureBuffer a;  // rgba32f: m x k/4
layout(binding = 1) uniform textureBuffer b;  // rgba32f: k x n/4
layout(std430, binding = 2) writeonly buffer C { vec4 c[]; };
layout(push_constant) uniform Scalars {
  uint m;
  uint n;
  uint k;
};

void main() {
  const int width = int(n) / 4;
  const int depth = int(k) / 4;
  const int column = int(gl_WorkGroupID.x) * 8 * COLUMNS + int(gl_LocalInvocationID.x);
  const int row = int(gl_WorkGroupID.y) * ROWS;
  // Each loop runs over a whole dimension of an array: Mesa then unrolls it and keeps the array in registers.
  vec4 sum[ROWS][COLUMNS];
  for (int r = 0; r < ROWS; ++r) {
    for (int i = 0; i < COLUMNS; ++i) sum[r][i] = vec4(0.0);
  }
  for (int d = 0; d < depth; ++d) {
    vec4 y[COLUMNS][4];
    for (int i = 0; i < COLUMNS; ++i) {
      for (int j = 0; j < 4; ++j) y[i][j] = texelFetch(b, (4 * d + j) * width + column + i * 8);
    }
    for (int r = 0; r < ROWS; ++r) {
      const vec4 x = texelFetch(a, (row + r) * depth + d);
      for (int i = 0; i < COLUMNS; ++i) {
        sum[r][i] = fma(vec4(x.x), y[i][0], sum[r][i]);
        sum[r][i] = fma(vec4(x.y), y[i][1], sum[r][i]);
        sum[r][i] = fma(vec4(x.z), y[i][2], sum[r][i]);
        sum[r][i] = fma(vec4(x.w), y[i][3], sum[r][i]);
      }
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    for (int i = 0; i < COLUMNS; ++i) c[(row + r) * width + column + i * 8] = sum[r][i];
  }
}
