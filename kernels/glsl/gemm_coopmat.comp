// SPDX-License-Identifier: MIT
// C = A * B on matrix units: four subgroups compute a BLOCK x BLOCK block, a quarter each, as tiles of M x N from slices
// of K. Slices of A and B, 64 bytes of A's rows wide, go through shared memory; the next one is on its way from memory
// while this one is multiplied. Operands are moved as words, so IN is only what the matrix units take them for. VECTOR
// is at most as wide as a row of the narrowest tile: loads begin at whole ones.
#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;  // of four subgroups
layout(constant_id = 0) const uint kInvocations = 128;
layout(std430, binding = 0) readonly buffer A { VECTOR a[]; };
layout(std430, binding = 1) readonly buffer B { VECTOR b[]; };
layout(std430, binding = 2) writeonly buffer C { ACC c[]; };
layout(push_constant) uniform Scalars {
  uint m;
  uint n;
  uint k;
};

#define PART (BLOCK / 2)
#define PACK (VECTOR_BYTES / BYTES)     // operands in a vector
#define DEPTH (64 / BYTES)              // of a slice, in operands
#define LEFT_STRIDE (DEPTH / PACK + 1)
#define RIGHT_STRIDE (BLOCK / PACK + 1)
#define VECTORS (BLOCK * DEPTH / PACK)  // of a slice of either operand

shared VECTOR left[BLOCK * LEFT_STRIDE];
shared VECTOR right[DEPTH * RIGHT_STRIDE];

VECTOR next_a[VECTORS / kInvocations];
VECTOR next_b[VECTORS / kInvocations];

void Fetch(uint row, uint column, uint at) {
  [[unroll]] for (uint f = 0; f < VECTORS / kInvocations; ++f) {
    const uint v = gl_LocalInvocationID.x + f * kInvocations;
    next_a[f] = a[((row + v / (DEPTH / PACK)) * k + at) / PACK + v % (DEPTH / PACK)];
    next_b[f] = b[((at + v / (BLOCK / PACK)) * n + column) / PACK + v % (BLOCK / PACK)];
  }
}

void Share() {
  [[unroll]] for (uint f = 0; f < VECTORS / kInvocations; ++f) {
    const uint v = gl_LocalInvocationID.x + f * kInvocations;
    left[v / (DEPTH / PACK) * LEFT_STRIDE + v % (DEPTH / PACK)] = next_a[f];
    right[v / (BLOCK / PACK) * RIGHT_STRIDE + v % (BLOCK / PACK)] = next_b[f];
  }
}

void main() {
  const uint row = gl_WorkGroupID.y * BLOCK;
  const uint column = gl_WorkGroupID.x * BLOCK;
  const uint part_row = gl_SubgroupID / 2 * PART;
  const uint part_column = gl_SubgroupID % 2 * PART;
  coopmat<ACC, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> sum[PART / M][PART / N];
  [[unroll]] for (int i = 0; i < PART / M; ++i) {
    [[unroll]] for (int j = 0; j < PART / N; ++j) {
      sum[i][j] = coopmat<ACC, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(ACC(0));
    }
  }
  Fetch(row, column, 0);
  for (uint at = 0; at < k; at += DEPTH) {
    barrier();
    Share();
    barrier();
    if (at + DEPTH < k) Fetch(row, column, at + DEPTH);
    [[unroll]] for (uint d = 0; d < DEPTH; d += K) {
      coopmat<IN, gl_ScopeSubgroup, M, K, gl_MatrixUseA> x[PART / M];
      [[unroll]] for (int i = 0; i < PART / M; ++i) {
        coopMatLoad(x[i], left, (part_row + i * M) * LEFT_STRIDE + d / PACK, LEFT_STRIDE,
                    gl_CooperativeMatrixLayoutRowMajor);
      }
      [[unroll]] for (int j = 0; j < PART / N; ++j) {
        coopmat<IN, gl_ScopeSubgroup, K, N, gl_MatrixUseB> y;
        coopMatLoad(y, right, d * RIGHT_STRIDE + (part_column + j * N) / PACK, RIGHT_STRIDE,
                    gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (int i = 0; i < PART / M; ++i) sum[i][j] = coopMatMulAdd(x[i], y, sum[i][j]);
      }
    }
  }
  [[unroll]] for (int i = 0; i < PART / M; ++i) {
    [[unroll]] for (int j = 0; j < PART / N; ++j) {
      coopMatStore(sum[i][j], c, (row + part_row + i * M) * n + column + part_column + j * N, n,
                   gl_CooperativeMatrixLayoutRowMajor);
    }
  }
}
