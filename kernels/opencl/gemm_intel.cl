// SPDX-License-Identifier: MIT
// C = A * B by the matrix instructions of cl_intel_subgroup_matrix_multiply_accumulate: a subgroup multiplies 8 rows
// of 32 bytes of A by as many rows of SUBGROUP columns of B. Its lanes hold
//   of A: in each of 8 rows, 32 / SUBGROUP consecutive bytes, in the order of the lanes;
//   of B: their own column, as 8 words of consecutive rows (4 / SIZE rows a word);
//   of C: their own column of 8 rows.
// B is packed into such words first. A subgroup computes 8 * BLOCKS rows x SUBGROUP * PANELS columns, a work-group
// has SUBGROUPS of them, one below the other. Options: SUBGROUP (8 or 16), SIZE (bytes of an operand: 1 or 2), ACC
// (float or int), MULTIPLY_ADD (the instruction), BLOCKS, PANELS, SUBGROUPS.
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define ROWS_A_WORD (4 / SIZE)
#define STEP (32 / SIZE)

#if SUBGROUP == 8
typedef int Slice;
#else
typedef short Slice;
#endif
typedef CONCAT(ACC, 8) Tile;
typedef union {
#if SUBGROUP == 8
  int8 all;
#else
  short8 all;
#endif
  Slice row[8];
} BlockA;
typedef union {
  int8 all;
  int word[8];
} BlockB;
typedef union {
  Tile all;
  ACC row[8];
} BlockC;

#if SIZE == 1
typedef uchar Element;
#else
typedef ushort Element;
#endif

__kernel void pack_b(__global const Element* restrict b, __global uint* restrict packed, uint n) {
  const size_t column = get_global_id(0);
  const size_t word = get_global_id(1);
  uint bits = 0;
  for (int i = 0; i < ROWS_A_WORD; ++i) bits |= (uint)b[(word * ROWS_A_WORD + i) * n + column] << (8 * SIZE * i);
  packed[word * n + column] = bits;
}

__kernel __attribute__((reqd_work_group_size(SUBGROUP, SUBGROUPS, 1)))
__attribute__((intel_reqd_sub_group_size(SUBGROUP)))
void gemm_matrix(__global const Slice* restrict a, __global const uint* restrict packed, __global ACC* restrict c,
                 uint m, uint n, uint k) {
  const size_t lane = get_local_id(0);
  const size_t row = (get_group_id(1) * SUBGROUPS + get_local_id(1)) * (8 * BLOCKS);
  const size_t column = get_group_id(0) * (SUBGROUP * PANELS) + lane;
  const uint stride = k / STEP * SUBGROUP;  // slices a row of A
  a += row * stride + lane;
  packed += column;
  BlockC sum[BLOCKS][PANELS];
#pragma unroll
  for (int i = 0; i < BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < PANELS; ++j) sum[i][j].all = (Tile)(0);
  }
  for (uint step = 0; step < k / STEP; ++step) {
    BlockB bv[PANELS];
#pragma unroll
    for (int j = 0; j < PANELS; ++j) {
#pragma unroll
      for (int w = 0; w < 8; ++w) {
        bv[j].word[w] = as_int(packed[w * n + j * SUBGROUP]);
      }
    }
#pragma unroll
    for (int i = 0; i < BLOCKS; ++i) {
      BlockA av;
#pragma unroll
      for (int r = 0; r < 8; ++r) av.row[r] = a[(i * 8 + r) * stride];
#pragma unroll
      for (int j = 0; j < PANELS; ++j) sum[i][j].all = MULTIPLY_ADD(av.all, bv[j].all, sum[i][j].all);
    }
    a += SUBGROUP;
    packed += 8 * n;
  }
#pragma unroll
  for (int i = 0; i < BLOCKS; ++i) {
#pragma unroll
    for (int j = 0; j < PANELS; ++j) {
#pragma unroll
      for (int r = 0; r < 8; ++r) c[(row + i * 8 + r) * n + column + j * SUBGROUP] = sum[i][j].row[r];
    }
  }
}
