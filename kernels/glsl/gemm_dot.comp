// SPDX-License-Identifier: MIT
// C = A * B in int8 with sums in int32 for GPUs that have an instruction for the scalar product of four. B is stored
// n x k, so that both operands hold four neighbours along k in a word. Laid out as gemm_tile.comp, with words for
// vectors: a work-group of 16 x 16 invocations computes TILE x TILE, an invocation (TILE/16)^2.
#version 450
#extension GL_EXT_spirv_intrinsics : require

// OpSDotKHR of two words as four signed bytes each (SPV_KHR_integer_dot_product).
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int Dot(uint x, uint y, spirv_literal int packed_vector_format);
#define PACKED_4X8 0

layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { uvec4 a[]; };  // m x k/16
layout(std430, binding = 1) readonly buffer B { uvec4 b[]; };  // n x k/16
layout(std430, binding = 2) writeonly buffer C { int c[]; };
layout(push_constant) uniform Scalars {
  uint m;
  uint n;
  uint k;
};

#define DEPTH 16                                 // words of a slice
#define EACH (TILE / 16)
#define STRIDE (TILE + 4)                        // spreads the transposed slice over the banks
#define FETCHES (TILE * DEPTH / 4 / 256)

shared uint left[DEPTH * STRIDE];
shared uint right[DEPTH * STRIDE];

uvec4 next_a[FETCHES];
uvec4 next_b[FETCHES];

void Fetch(uint row, uint column, uint at) {
  for (int f = 0; f < FETCHES; ++f) {
    const uint v = gl_LocalInvocationID.x + f * 256;
    const uint along = at / 4 + v % (DEPTH / 4);
    next_a[f] = a[(row + v / (DEPTH / 4)) * (k / 16) + along];
    next_b[f] = b[(column + v / (DEPTH / 4)) * (k / 16) + along];
  }
}

void Share() {
  for (int f = 0; f < FETCHES; ++f) {
    const uint v = gl_LocalInvocationID.x + f * 256;
    const uint r = v / (DEPTH / 4);
    for (int j = 0; j < 4; ++j) {
      left[(v % (DEPTH / 4) * 4 + j) * STRIDE + r] = next_a[f][j];
      right[(v % (DEPTH / 4) * 4 + j) * STRIDE + r] = next_b[f][j];
    }
  }
}

void main() {
  const uint across = gl_LocalInvocationID.x % 16;
  const uint down = gl_LocalInvocationID.x / 16;
  const uint row = gl_WorkGroupID.y * TILE;
  const uint column = gl_WorkGroupID.x * TILE;
  int sum[EACH][EACH];
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) sum[i][j] = 0;
  }
  Fetch(row, column, 0);
  for (uint at = 0; at < k / 4; at += DEPTH) {
    barrier();
    Share();
    barrier();
    if (at + DEPTH < k / 4) Fetch(row, column, at + DEPTH);
    for (int d = 0; d < DEPTH; ++d) {
      uint x[EACH];
      uint y[EACH];
      for (int i = 0; i < EACH; ++i) {
        x[i] = left[d * STRIDE + down + i * 16];
        y[i] = right[d * STRIDE + across + i * 16];
      }
      for (int i = 0; i < EACH; ++i) {
        for (int j = 0; j < EACH; ++j) sum[i][j] += Dot(x[i], y[j], PACKED_4X8);
      }
    }
  }
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) c[(row + down + i * 16) * n + column + across + j * 16] = sum[i][j];
  }
}
