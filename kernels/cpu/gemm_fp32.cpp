// SPDX-License-Identifier: MIT
// fp32 matrix product: every worker packs what it multiplies, the next block between the tiles of this one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemm_fp32.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/gemm_fp32_tile-inl.h"
#include "kernels/cpu/targets.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

// Copies a block of a matrix, some rows at a time, between tiles: so its cost hides behind the arithmetic.
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

// One worker's part of the product: blocks of A and panels of B are packed by the worker that uses them, so
// that workers never wait for each other. Indices: depth t, block of rows r, panel i, outermost first.
struct Part {
  const float* a;
  const float* b;
  float* c;
  std::size_t n, k;
  Range rows;     // of c
  Range columns;  // of c
  GemmFp32Blocks blocks;
  float* packed_a;  // two blocks, in turn
  float* packed_b;  // blocks.panels + 1 panels, in turn

  [[nodiscard]] static std::size_t Width() { return kVectors * hn::Lanes(D()); }
  [[nodiscard]] std::size_t Depth(std::size_t t) const {
    return std::min(blocks.depth, k - t * blocks.depth);
  }
  [[nodiscard]] Range Rows(std::size_t r) const {
    return {rows.begin + r * blocks.rows, std::min(rows.begin + (r + 1) * blocks.rows, rows.end)};
  }
  [[nodiscard]] float* BlockOfA(std::size_t t, std::size_t r) const {
    return packed_a + (t * blocks.down + r) % 2 * blocks.rows * blocks.stride;
  }
  [[nodiscard]] float* PanelOfB(std::size_t t, std::size_t i) const {
    return packed_b + (t * blocks.panels + i) % (blocks.panels + 1) * blocks.depth * Width();
  }

  [[nodiscard]] Packing PackA(std::size_t t, std::size_t r) const {
    const Range block = Rows(r);
    return {.from = a + block.begin * k + t * blocks.depth,
            .from_stride = k,
            .to = BlockOfA(t, r),
            .to_stride = blocks.stride,
            .rows = block.end - block.begin,
            .columns = Depth(t),
            .padded = 0};
  }
  [[nodiscard]] Packing PackB(std::size_t t, std::size_t i) const {
    const std::size_t column = columns.begin + i * Width();
    return {.from = b + t * blocks.depth * n + column,
            .from_stride = n,
            .to = PanelOfB(t, i),
            .to_stride = Width(),
            .rows = Depth(t),
            .columns = std::min(Width(), columns.end - column),
            .padded = Width()};
  }

  [[nodiscard]] Packing Nothing() const { return {.from = a}; }

  // One panel's width of a block's rows of c. Meanwhile packs `next_b` whole, and of `next_a` this panel's
  // share.
  void Multiply(std::size_t t, std::size_t r, std::size_t i, Packing& next_b, Packing& next_a) const {
    const Range block = Rows(r);
    const std::size_t tiles = DivideUp(block.end - block.begin, kRows);
    const std::size_t column = columns.begin + i * Width();
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const std::size_t row = tile * kRows;
      const std::size_t count = std::min(kRows, block.end - block.begin - row);
      TileTask task{.a = {},
                    .b = PanelOfB(t, i),
                    .c = c + (block.begin + row) * n + column,
                    .leading = n,
                    .depth = Depth(t),
                    .rows = count,
                    .columns = std::min(Width(), columns.end - column),
                    .accumulate = t != 0,
                    .next_c = nullptr,
                    .next_b = next_b.next(),
                    .next_a = next_a.next(),
                    .lines = DivideUp(next_b.rows, tiles * kRows)};
      for (std::size_t j = 0; j < kRows; ++j) {
        task.a[j] = BlockOfA(t, r) + (row + std::min(j, count - 1)) * blocks.stride;
      }
      task.next_c = tile + 1 < tiles ? task.c + kRows * n : c + block.begin * n + column + Width();
      Tile(task);
      next_b.Advance(tile + 1, tiles);
      next_a.Advance(i * tiles + tile + 1, blocks.panels * tiles);
    }
  }

  void Run() const {
    if (blocks.down == 0 || blocks.panels == 0) return;
    PackA(0, 0).Advance(1, 1);
    PackB(0, 0).Advance(1, 1);
    for (std::size_t t = 0; t < blocks.deep; ++t) {
      for (std::size_t r = 0; r < blocks.down; ++r) {
        const bool last_block = r + 1 == blocks.down;
        const bool last = last_block && t + 1 == blocks.deep;
        Packing next_a = last ? Nothing() : last_block ? PackA(t + 1, 0) : PackA(t, r + 1);
        for (std::size_t i = 0; i < blocks.panels; ++i) {
          const bool last_panel = i + 1 == blocks.panels;
          Packing next_b = !last_panel ? (r == 0 ? PackB(t, i + 1) : Nothing())
                                       : (last_block && !last ? PackB(t + 1, 0) : Nothing());
          Multiply(t, r, i, next_b, next_a);
        }
      }
    }
  }
};

void GemmFp32(const Arguments& arguments, const Worker& worker) {
  const std::size_t m = arguments.scalars[0], n = arguments.scalars[1], k = arguments.scalars[2];
  const Grid grid = GridOf(worker.count, m, kRows, n, Part::Width());
  const Range rows = Share(m, kRows, worker.index / grid.across, grid.down);
  const Range columns = Share(n, Part::Width(), worker.index % grid.across, grid.across);
  const GemmFp32Blocks blocks(rows, columns, k, Part::Width());
  float* work = static_cast<float*>(arguments.buffers[3]) +
                worker.index * GemmFp32WorkerFloats(m, n, k, worker.count, Part::Width());
  Part{.a = static_cast<const float*>(arguments.buffers[0]),
       .b = static_cast<const float*>(arguments.buffers[1]),
       .c = static_cast<float*>(arguments.buffers[2]),
       .n = n,
       .k = k,
       .rows = rows,
       .columns = columns,
       .blocks = blocks,
       .packed_a = work,
       .packed_b = work + 2 * blocks.rows * blocks.stride}
      .Run();
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
