// SPDX-License-Identifier: MIT
// fp32 matrix product: what its blocks are and how they are packed; gemm.h says in which order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemm_fp32.cpp"
#include "kernels/cpu/gemm_fp32.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/gemm_fp32_tile-inl.h"
#include "kernels/cpu/targets.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

HWY_INLINE std::size_t Width() { return kVectors * hn::Lanes(D()); }

// Copies a block of a matrix, some rows at a time.
struct Packing {
  const float* from = nullptr;
  std::size_t from_stride = 0;
  float* to = nullptr;
  std::size_t to_stride = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t padded = 0;  // columns past the last are zero
  std::size_t done = 0;

  [[nodiscard]] const float* next() const { return from + done * from_stride; }

  // Until `part` of `parts` equal parts are copied.
  void Advance(std::size_t part, std::size_t parts) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    for (const std::size_t end = rows * part / parts; done < end; ++done) {
      const float* source = from + done * from_stride;
      float* target = to + done * to_stride;
      std::size_t j = 0;
      for (; j + lanes <= columns; j += lanes) hn::StoreU(hn::LoadU(d, source + j), d, target + j);
      for (; j < columns; ++j) target[j] = source[j];
      for (; j < padded; ++j) target[j] = 0.0F;
    }
  }
};

struct Product {
  const float* a;
  const float* b;
  float* c;
  std::size_t n, k;
  Part part;
  Blocks blocks;
  float* packed_a;  // two blocks, in turn
  float* packed_b;  // blocks.panels + 1 panels, in turn

  [[nodiscard]] std::size_t Depth(std::size_t t) const {
    return std::min(blocks.depth, k - t * blocks.depth);
  }
  [[nodiscard]] Range Rows(std::size_t r) const {
    const std::size_t begin = part.rows.begin + r * blocks.rows;
    return {begin, std::min(begin + blocks.rows, part.rows.end)};
  }
  [[nodiscard]] float* BlockOfA(std::size_t t, std::size_t r) const {
    return packed_a + (t * blocks.down + r) % 2 * blocks.rows * GemmFp32Stride(blocks);
  }
  [[nodiscard]] float* PanelOfB(std::size_t t, std::size_t i) const {
    return packed_b + (t * blocks.panels + i) % (blocks.panels + 1) * blocks.depth * Width();
  }

  [[nodiscard]] Packing Nothing() const { return {.from = a}; }
  [[nodiscard]] Packing PackA(std::size_t t, std::size_t r) const {
    const Range rows = Rows(r);
    return {.from = a + rows.begin * k + t * blocks.depth,
            .from_stride = k,
            .to = BlockOfA(t, r),
            .to_stride = GemmFp32Stride(blocks),
            .rows = rows.end - rows.begin,
            .columns = Depth(t),
            .padded = 0};
  }
  [[nodiscard]] Packing PackB(std::size_t t, std::size_t i) const {
    const std::size_t column = part.columns.begin + i * Width();
    return {.from = b + t * blocks.depth * n + column,
            .from_stride = n,
            .to = PanelOfB(t, i),
            .to_stride = Width(),
            .rows = Depth(t),
            .columns = std::min(Width(), part.columns.end - column),
            .padded = Width()};
  }

  void Multiply(std::size_t t, std::size_t r, std::size_t i, Packing& next_b, Packing& next_a) const {
    const Range rows = Rows(r);
    const std::size_t tiles = DivideUp(rows.end - rows.begin, kRows);
    const std::size_t column = part.columns.begin + i * Width();
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const std::size_t row = tile * kRows;
      const std::size_t count = std::min(kRows, rows.end - rows.begin - row);
      TileTask task{.a = {},
                    .b = PanelOfB(t, i),
                    .c = c + (rows.begin + row) * n + column,
                    .leading = n,
                    .depth = Depth(t),
                    .rows = count,
                    .columns = std::min(Width(), part.columns.end - column),
                    .accumulate = t != 0,
                    .next_c = nullptr,
                    .next_b = next_b.next(),
                    .next_a = next_a.next(),
                    .lines = DivideUp(next_b.rows, tiles * kRows)};
      for (std::size_t j = 0; j < kRows; ++j) {
        task.a[j] = BlockOfA(t, r) + (row + std::min(j, count - 1)) * GemmFp32Stride(blocks);
      }
      task.next_c = tile + 1 < tiles ? task.c + kRows * n : c + rows.begin * n + column + Width();
      Tile(task);
      next_b.Advance(tile + 1, tiles);
      next_a.Advance(i * tiles + tile + 1, blocks.panels * tiles);
    }
  }
};

void GemmFp32(const Arguments& arguments, const Worker& worker) {
  const std::size_t m = arguments.scalars[0], n = arguments.scalars[1], k = arguments.scalars[2];
  const Limits limits = GemmFp32Limits(Width());
  const Part part = PartOf(m, n, limits, worker.index, worker.count);
  const Blocks blocks(part.rows.end - part.rows.begin, part.columns.end - part.columns.begin, k, limits);
  float* work = static_cast<float*>(arguments.buffers[3]) +
                worker.index * GemmFp32WorkerFloats(m, n, k, worker.count, Width());
  const Product product{.a = static_cast<const float*>(arguments.buffers[0]),
                        .b = static_cast<const float*>(arguments.buffers[1]),
                        .c = static_cast<float*>(arguments.buffers[2]),
                        .n = n,
                        .k = k,
                        .part = part,
                        .blocks = blocks,
                        .packed_a = work,
                        .packed_b = work + 2 * blocks.rows * GemmFp32Stride(blocks)};
  RunProduct(product, blocks);
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
