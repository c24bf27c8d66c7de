// SPDX-License-Identifier: MIT
// C = A * B for processors: every work-group is one work-item that keeps a tile of ROWS x (VECTORS * LANES) of C in
// vector registers. B is packed first into panels as wide as the tile, so that its reads are consecutive; a block
// of DEPTH rows of a panel stays in the first-level cache while BLOCK rows of C pass over it.
// Options: ROWS, VECTORS, LANES, DEPTH, BLOCK (a multiple of ROWS).
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
typedef CONCAT(float, LANES) Vector;
#define WIDTH (VECTORS * LANES)

// Panel p holds columns [p * WIDTH, (p + 1) * WIDTH) of all rows of B.
__kernel void pack_b(__global const float* restrict b, __global float* restrict packed, uint n, uint k) {
  const size_t panel = get_group_id(0);
  const size_t first = get_group_id(1) * DEPTH;
  const size_t last = min(first + DEPTH, (size_t)k);
  for (size_t row = first; row < last; ++row) {
    const __global Vector* from = (const __global Vector*)(b + row * n + panel * WIDTH);
    __global Vector* to = (__global Vector*)(packed + (panel * k + row) * WIDTH);
    for (int v = 0; v < VECTORS; ++v) to[v] = from[v];
  }
}

// Rows [row, row + ROWS) of the panel's columns, over DEPTH-deep block [first, last) of k; added to C but for the
// first block.
void Tile(__global const float* restrict a, __global const float* restrict panel, __global float* restrict c, uint n,
          uint k, uint first, uint last) {
  Vector sum[ROWS][VECTORS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      sum[r][v] = first == 0 ? (Vector)(0.0f) : ((const __global Vector*)(c + (size_t)r * n))[v];
    }
  }
  for (uint i = first; i < last; ++i) {
    Vector b[VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) b[v] = ((const __global Vector*)(panel + (size_t)i * WIDTH))[v];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const Vector value = (Vector)(a[(size_t)r * k + i]);
#pragma unroll
      for (int v = 0; v < VECTORS; ++v) sum[r][v] = fma(value, b[v], sum[r][v]);
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) ((__global Vector*)(c + (size_t)r * n))[v] = sum[r][v];
  }
}

__kernel void gemm_fp32(__global const float* restrict a, __global const float* restrict packed,
                        __global float* restrict c, uint m, uint n, uint k) {
  const uint panel = get_group_id(1);
  const uint top = get_group_id(0) * BLOCK;
  const uint bottom = min(top + BLOCK, m);
  for (uint first = 0; first < k; first += DEPTH) {
    const uint last = min(first + DEPTH, k);
    for (uint row = top; row < bottom; row += ROWS) {
      Tile(a + (size_t)row * k, packed + (size_t)panel * k * WIDTH, c + (size_t)row * n + panel * WIDTH, n, k, first,
           last);
    }
  }
}
