// SPDX-License-Identifier: MIT
// C = A * B in integers for GPUs that multiply and add four bytes at once: A is m x k, B is stored n x k, so both
// are read as words of four bytes along k. Work-groups of 16 x 16 work-items compute TILE x TILE of C from local
// memory, WORDS of k at a time. Options: TILE (64 or 128), WORDS (4 or 8).
#define SIDE 16
#define EACH (TILE / SIDE)
#define PARTS (TILE * WORDS / (SIDE * SIDE))  // words of a tile, a work-item

#ifdef cl_khr_integer_dot_product
#define DOT(a, b) dot_4x8packed_ss_int(a, b)
#else
int Dot(uint a, uint b) {
  const int4 p = convert_int4(as_char4(a)) * convert_int4(as_char4(b));
  return p.x + p.y + p.z + p.w;
}
#define DOT(a, b) Dot(a, b)
#endif

// Entry i of the tile's EACH rows or columns of one work-item: runs of four, so that neighbours read 16 bytes.
#define PLACE(own, i) ((own) * 4 + (i) / 4 * (SIDE * 4) + (i) % 4)

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void gemm_int8(__global const uint* restrict a, __global const uint* restrict b, __global int* restrict c, uint m,
               uint n, uint k) {
  __local uint at[WORDS][TILE + 4];
  __local uint bt[WORDS][TILE + 4];
  const uint words = k / 4;
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const size_t row = (size_t)get_group_id(1) * TILE;
  const size_t column = (size_t)get_group_id(0) * TILE;
  int sum[EACH][EACH];
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
#pragma unroll
    for (int j = 0; j < EACH; ++j) sum[i][j] = 0;
  }
  for (uint first = 0; first < words; first += WORDS) {
#pragma unroll
    for (uint part = 0; part < PARTS; ++part) {
      const uint i = (part * SIDE + y) * SIDE + x;
      at[i % WORDS][i / WORDS] = a[(row + i / WORDS) * words + first + i % WORDS];
      bt[i % WORDS][i / WORDS] = b[(column + i / WORDS) * words + first + i % WORDS];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 0; d < WORDS; ++d) {
      uint av[EACH];
      uint bv[EACH];
#pragma unroll
      for (int i = 0; i < EACH; ++i) av[i] = at[d][PLACE(y, i)];
#pragma unroll
      for (int j = 0; j < EACH; ++j) bv[j] = bt[d][PLACE(x, j)];
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < EACH; ++j) sum[i][j] += DOT(av[i], bv[j]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
#pragma unroll
    for (int j = 0; j < EACH; ++j) c[(row + PLACE(y, i)) * n + column + PLACE(x, j)] = sum[i][j];
  }
}
