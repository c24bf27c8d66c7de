// SPDX-License-Identifier: MIT
// C = A * B for processors: every work-group is one work-item that keeps a tile of ROWS x (VECTORS * LANES) of C in
// vector registers. B is packed first into panels as wide as the tile, so that its reads are consecutive; a block
// of DEPTH rows of a panel stays in the nearest caches while BLOCK rows of C pass over it.
// The rows of C that are left make tiles of TAIL rows. Options: ROWS, TAIL, VECTORS, LANES, DEPTH, BLOCK.
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

// `rows` rows of the panel's columns, over the block [first, last) of k; added to C but for the first block.
#define TILE(name, rows)                                                                                             \
  void name(__global const float* restrict a, __global const float* restrict panel, __global float* restrict c,     \
            uint n, uint k, uint first, uint last) {                                                                \
    Vector sum[rows][VECTORS];                                                                                      \
    _Pragma("unroll") for (int r = 0; r < rows; ++r) {                                                              \
      _Pragma("unroll") for (int v = 0; v < VECTORS; ++v) {                                                         \
        sum[r][v] = first == 0 ? (Vector)(0.0f) : ((const __global Vector*)(c + (size_t)r * n))[v];                 \
      }                                                                                                             \
    }                                                                                                               \
    for (uint i = first; i < last; ++i) {                                                                           \
      Vector b[VECTORS];                                                                                            \
      _Pragma("unroll") for (int v = 0; v < VECTORS; ++v) {                                                         \
        b[v] = ((const __global Vector*)(panel + (size_t)i * WIDTH))[v];                                            \
      }                                                                                                             \
      _Pragma("unroll") for (int r = 0; r < rows; ++r) {                                                            \
        const Vector value = (Vector)(a[(size_t)r * k + i]);                                                        \
        _Pragma("unroll") for (int v = 0; v < VECTORS; ++v) sum[r][v] = fma(value, b[v], sum[r][v]);                \
      }                                                                                                             \
    }                                                                                                               \
    _Pragma("unroll") for (int r = 0; r < rows; ++r) {                                                              \
      _Pragma("unroll") for (int v = 0; v < VECTORS; ++v) ((__global Vector*)(c + (size_t)r * n))[v] = sum[r][v];   \
    }                                                                                                               \
  }
TILE(Tile, ROWS)
TILE(Tail, TAIL)

__kernel void gemm_fp32(__global const float* restrict a, __global const float* restrict packed,
                        __global float* restrict c, uint m, uint n, uint k) {
  const uint bottom = min((uint)(get_group_id(0) + 1) * BLOCK, m);
  const size_t column = get_group_id(1) * WIDTH;
  const __global float* panel = packed + column * k;
  for (uint first = 0; first < k; first += DEPTH) {
    const uint last = min(first + DEPTH, k);
    uint row = get_group_id(0) * BLOCK;
    for (; row + ROWS <= bottom; row += ROWS) {
      Tile(a + (size_t)row * k, panel, c + (size_t)row * n + column, n, k, first, last);
    }
    for (; row < bottom; row += TAIL) {
      Tail(a + (size_t)row * k, panel, c + (size_t)row * n + column, n, k, first, last);
    }
  }
}
