// SPDX-License-Identifier: MIT
// The register tile of the fp32 product: 6 rows by some vectors over one packed depth. Compiled once for each
// instruction set by the file that includes it; knows nothing of blocks or workers.
#if defined(WHICHGPU_GEMM_FP32_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHICHGPU_GEMM_FP32_TILE_INL
#undef WHICHGPU_GEMM_FP32_TILE_INL
#else
#define WHICHGPU_GEMM_FP32_TILE_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/cpu/gemm_fp32.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr std::size_t kRows = kGemmFp32TileRows;
// 6 x 4 accumulators, 4 vectors of B and one of A fill 32 registers, 6 x 2 fill 16.
constexpr std::size_t kVectors = (HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64) ? 4 : 2;

struct TileTask {
  const float* a[kRows];  // of rows past the last: the last one, computed and not stored
  const float* b;         // depth x panel width, packed
  float* c;
  std::size_t leading;  // of c, and of the matrix that next_b points into
  std::size_t depth, rows, columns;
  bool accumulate;
  // Brought into the cache meanwhile: as many rows of a panel's width as the tile has, `lines` times as many
  // of B, and the start of a row of A.
  const float* next_c;
  const float* next_b;
  const float* next_a;
  std::size_t lines;
};

// Walks a matrix line by line within a panel's width.
class LineCursor {
 public:
  LineCursor(const float* at, std::size_t leading) : at_(at), skip_(leading - kVectors * hn::Lanes(D())) {}
  HWY_INLINE void PrefetchNext() {
    hwy::Prefetch(at_);
    at_ += hn::Lanes(D());
    if (++vector_ == kVectors) {
      vector_ = 0;
      at_ += skip_;
    }
  }

 private:
  const float* at_;
  std::size_t skip_;
  std::size_t vector_ = 0;
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

// Accumulators have names and not indices because scalable vectors (SVE) cannot be array elements. Prefetches
// are spread over the loop: together they would occupy every line fill buffer and stop the loads of b.
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
  const float* b = task.b;
  LineCursor next_c(task.next_c, task.leading), next_b(task.next_b, task.leading);
  const float* next_a = task.next_a;
  const std::size_t part = DivideUp(task.depth, kRows * kVectors);
  for (std::size_t p = 0; p < task.depth;) {
    next_c.PrefetchNext();
    for (std::size_t i = 0; i < task.lines; ++i) next_b.PrefetchNext();
    hwy::Prefetch(next_a);
    next_a += lanes;
    for (const std::size_t end = std::min(p + part, task.depth); p < end; ++p) {
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
  }
  StoreRow(task, 0, c00, c01, c02, c03);
  StoreRow(task, 1, c10, c11, c12, c13);
  StoreRow(task, 2, c20, c21, c22, c23);
  StoreRow(task, 3, c30, c31, c32, c33);
  StoreRow(task, 4, c40, c41, c42, c43);
  StoreRow(task, 5, c50, c51, c52, c53);
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
