// SPDX-License-Identifier: MIT
// fp32 matrix product: a register tile of 6 rows by some vectors, B packed into panels as wide as the tile, A
// read in place. All workers pack one block of B together, then each multiplies its own rows with it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemm_fp32.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/targets.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// 6 x 4 accumulators, 4 vectors of B and one of A fill 32 registers, 6 x 2 fill 16.
constexpr std::size_t kRows = 6;
constexpr std::size_t kVectors = (HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64) ? 4 : 2;

struct TileTask {
  const float* a[kRows];  // of rows past the last: the last one, computed and not stored
  const float* packed;    // depth x panel width
  float* c;
  std::size_t leading;  // of c
  std::size_t depth, rows, columns;
  bool accumulate;
};

HWY_INLINE void StoreVector(V value, float* c, std::size_t columns, bool accumulate) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  if (columns >= lanes) {
    hn::StoreU(accumulate ? hn::Add(value, hn::LoadU(d, c)) : value, d, c);
    return;
  }
  HWY_ALIGN float tail[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(value, d, tail);
  for (std::size_t i = 0; i < columns; ++i) c[i] = accumulate ? c[i] + tail[i] : tail[i];
}

HWY_INLINE void StoreRow(const TileTask& task, std::size_t row, V v0, V v1, V v2, V v3) {
  if (row >= task.rows) return;
  const std::size_t lanes = hn::Lanes(D());
  float* c = task.c + row * task.leading;
  StoreVector(v0, c, task.columns, task.accumulate);
  if (task.columns > lanes) StoreVector(v1, c + lanes, task.columns - lanes, task.accumulate);
  if constexpr (kVectors == 4) {
    if (task.columns > 2 * lanes) StoreVector(v2, c + 2 * lanes, task.columns - 2 * lanes, task.accumulate);
    if (task.columns > 3 * lanes) StoreVector(v3, c + 3 * lanes, task.columns - 3 * lanes, task.accumulate);
  }
}

HWY_INLINE void MultiplyRow(V a, V b0, V b1, V b2, V b3, V& c0, V& c1, V& c2, V& c3) {
  c0 = hn::MulAdd(a, b0, c0);
  c1 = hn::MulAdd(a, b1, c1);
  if constexpr (kVectors == 4) {
    c2 = hn::MulAdd(a, b2, c2);
    c3 = hn::MulAdd(a, b3, c3);
  }
}

// Accumulators have names and not indices because scalable vectors (SVE) cannot be array elements.
HWY_NOINLINE void Tile(const TileTask& task) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V c00 = hn::Zero(d), c01 = c00, c02 = c00, c03 = c00;
  V c10 = c00, c11 = c00, c12 = c00, c13 = c00;
  V c20 = c00, c21 = c00, c22 = c00, c23 = c00;
  V c30 = c00, c31 = c00, c32 = c00, c33 = c00;
  V c40 = c00, c41 = c00, c42 = c00, c43 = c00;
  V c50 = c00, c51 = c00, c52 = c00, c53 = c00;
  const float *a0 = task.a[0], *a1 = task.a[1], *a2 = task.a[2], *a3 = task.a[3], *a4 = task.a[4],
              *a5 = task.a[5];
  const float* b = task.packed;
  for (std::size_t row = 0; row < task.rows; ++row) {
    for (std::size_t j = 0; j < kVectors; ++j) hwy::Prefetch(task.c + row * task.leading + j * lanes);
  }
  for (std::size_t p = 0; p < task.depth; ++p) {
    const V b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes);
    const V b2 = kVectors == 4 ? hn::LoadU(d, b + 2 * lanes) : b0;
    const V b3 = kVectors == 4 ? hn::LoadU(d, b + 3 * lanes) : b0;
    b += kVectors * lanes;
    MultiplyRow(hn::Set(d, a0[p]), b0, b1, b2, b3, c00, c01, c02, c03);
    MultiplyRow(hn::Set(d, a1[p]), b0, b1, b2, b3, c10, c11, c12, c13);
    MultiplyRow(hn::Set(d, a2[p]), b0, b1, b2, b3, c20, c21, c22, c23);
    MultiplyRow(hn::Set(d, a3[p]), b0, b1, b2, b3, c30, c31, c32, c33);
    MultiplyRow(hn::Set(d, a4[p]), b0, b1, b2, b3, c40, c41, c42, c43);
    MultiplyRow(hn::Set(d, a5[p]), b0, b1, b2, b3, c50, c51, c52, c53);
  }
  StoreRow(task, 0, c00, c01, c02, c03);
  StoreRow(task, 1, c10, c11, c12, c13);
  StoreRow(task, 2, c20, c21, c22, c23);
  StoreRow(task, 3, c30, c31, c32, c33);
  StoreRow(task, 4, c40, c41, c42, c43);
  StoreRow(task, 5, c50, c51, c52, c53);
}

// Copies `depth` rows of one panel of b; columns past the last are zero.
void PackPanel(const float* b, std::size_t n, std::size_t depth, std::size_t columns, float* packed) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = kVectors * lanes;
  for (std::size_t p = 0; p < depth; ++p, b += n, packed += width) {
    if (columns == width) {
      for (std::size_t j = 0; j < width; j += lanes) hn::StoreU(hn::LoadU(d, b + j), d, packed + j);
    } else {
      for (std::size_t j = 0; j < width; ++j) packed[j] = j < columns ? b[j] : 0.0F;
    }
  }
}

struct Gemm {
  const float* a;
  const float* b;
  float* c;
  std::size_t m, n, k, width;

  void Pack(std::size_t p0, std::size_t depth, Range panels, float* packed) const {
    for (std::size_t panel = panels.begin; panel < panels.end; ++panel) {
      const std::size_t column = panel * width;
      PackPanel(b + p0 * n + column, n, depth, std::min(width, n - column), packed + panel * depth * width);
    }
  }

  void Multiply(std::size_t p0, std::size_t depth, Range rows, Range panels, const float* packed) const {
    for (std::size_t panel = panels.begin; panel < panels.end; ++panel) {
      const std::size_t column = panel * width;
      for (std::size_t row = rows.begin; row < rows.end; row += kRows) {
        TileTask task{.a = {},
                      .packed = packed + panel * depth * width,
                      .c = c + row * n + column,
                      .leading = n,
                      .depth = depth,
                      .rows = std::min(kRows, m - row),
                      .columns = std::min(width, n - column),
                      .accumulate = p0 != 0};
        for (std::size_t i = 0; i < kRows; ++i) task.a[i] = a + std::min(row + i, m - 1) * k + p0;
        Tile(task);
      }
    }
  }
};

void GemmFp32(const Arguments& arguments, const Worker& worker) {
  const Gemm gemm{static_cast<const float*>(arguments.buffers[0]),
                  static_cast<const float*>(arguments.buffers[1]),
                  static_cast<float*>(arguments.buffers[2]),
                  arguments.scalars[0],
                  arguments.scalars[1],
                  arguments.scalars[2],
                  kVectors * hn::Lanes(D())};
  float* work = static_cast<float*>(arguments.buffers[3]);
  const std::size_t panels = DivideUp(gemm.n, gemm.width);
  const Grid grid = GridOf(worker.count, DivideUp(gemm.m, kRows), panels);
  const Range own_rows = Share(gemm.m, kRows, worker.index / grid.across, grid.down);
  const Range own_panels = Share(panels, 1, worker.index % grid.across, grid.across);
  const std::size_t depth = GemmFp32Depth(gemm.k);
  // Two packed blocks in turn: one barrier a block is enough.
  for (std::size_t p0 = 0, turn = 0; p0 < gemm.k; p0 += depth, turn ^= 1) {
    const std::size_t now = std::min(depth, gemm.k - p0);
    float* packed = work + turn * depth * panels * gemm.width;
    gemm.Pack(p0, now, Share(panels, 1, worker.index, worker.count), packed);
    worker.barrier->Wait();
    gemm.Multiply(p0, now, own_rows, own_panels, packed);
  }
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {
struct GemmFp32Tag;
template <>
inline constexpr EntryPoint kEntryAt<GemmFp32Tag, HWY_TARGET> = HWY_NAMESPACE::GemmFp32;
}  // namespace kernels::cpu

#if HWY_ONCE
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> GemmFp32Implementations() {
  static constexpr auto kAll = Rows<GemmFp32Tag>("gemm_fp32");
  return kAll;
}

}  // namespace kernels::cpu
#endif
