// SPDX-License-Identifier: MIT
// How every matrix product is divided among workers and cut down for their caches, and in which order its
// parts are packed and multiplied. Knows no data type and no instruction set.
#pragma once

#include <cstdint>

#include "kernels/cpu/cpu_kernel.h"
#include "kernels/cpu/share.h"
#include "kernels/cpu/spin.h"

namespace kernels::cpu {

// Workers as a grid over the result.
struct Grid {
  std::size_t down;
  std::size_t across;
};

// The division of m x n whose largest part is smallest; of equals the one whose part is nearest a square,
// because each worker packs its own rows of A and columns of B.
[[nodiscard]] constexpr Grid GridOf(std::size_t workers, std::size_t m, std::size_t tile_rows, std::size_t n,
                                    std::size_t tile_columns) {
  Grid best{workers, 1};
  std::size_t least_area = ~std::size_t{0}, least_border = ~std::size_t{0};
  for (std::size_t down = workers; down >= 1; --down) {
    if (workers % down != 0) continue;
    const std::size_t across = workers / down;
    const std::size_t rows = DivideUp(DivideUp(m, tile_rows), down) * tile_rows;
    const std::size_t columns = DivideUp(DivideUp(n, tile_columns), across) * tile_columns;
    const std::size_t area = rows * columns, border = rows + columns;
    if (area < least_area || (area == least_area && border <= least_border)) {
      best = {down, across};
      least_area = area;
      least_border = border;
    }
  }
  return best;
}

// How far one implementation cuts its part of the product down: k into equal depths, rows into blocks,
// columns into panels.
struct Limits {
  std::size_t tile_rows;
  std::size_t width;       // of a panel
  std::size_t depth_step;  // depths are multiples of it, padded with zeros
  std::size_t max_depth;
  std::size_t max_rows;  // a multiple of tile_rows
};

[[nodiscard]] constexpr std::size_t RoundUp(std::size_t value, std::size_t to) {
  return DivideUp(value, to) * to;
}

struct Blocks {
  constexpr Blocks(std::size_t part_rows, std::size_t part_columns, std::size_t k, const Limits& limits)
      : depth(RoundUp(DivideUp(k, DivideUp(k, limits.max_depth)), limits.depth_step)),
        deep(DivideUp(k, depth)),
        down(DivideUp(part_rows, limits.max_rows)),
        rows(down == 0 ? 0 : RoundUp(DivideUp(part_rows, down), limits.tile_rows)),
        panels(DivideUp(part_columns, limits.width)),
        kept(down <= 1 ? 2 : std::max<std::size_t>(panels + 1, 2)) {}

  std::size_t depth, deep;
  std::size_t down, rows;
  std::size_t panels;
  std::size_t kept;  // packed panels: all and the next, or that in use and the next where none is used twice
};

// One worker's rows and columns of the result.
struct Part {
  Range rows;
  Range columns;
};

[[nodiscard]] constexpr Part PartOf(std::size_t m, std::size_t n, const Limits& limits, std::size_t index,
                                    std::size_t workers) {
  const Grid grid = GridOf(workers, m, limits.tile_rows, n, limits.width);
  return {Share(m, limits.tile_rows, index / grid.across, grid.down),
          Share(n, limits.width, index % grid.across, grid.across)};
}

// Bounds of every worker's blocks, from which workspaces are sized.
[[nodiscard]] constexpr Blocks LargestBlocks(std::size_t m, std::size_t n, std::size_t k,
                                             const Limits& limits, std::size_t workers) {
  const Grid grid = GridOf(workers, m, limits.tile_rows, n, limits.width);
  const std::size_t rows = RoundUp(DivideUp(m, grid.down), limits.tile_rows);
  Blocks blocks(rows, RoundUp(DivideUp(n, grid.across), limits.width), k, limits);
  // A smaller part may be cut into fewer blocks.
  blocks.rows = std::min(rows, limits.max_rows);
  return blocks;
}

// One worker's part, whose panels others may take: the last first. The panel after that in hand is taken with
// it, because it is packed meanwhile.
template <typename Product>
void RunPart(const Product& product, StealQueue& queue) {
  const Blocks& blocks = product.blocks;
  if (blocks.down == 0 || blocks.panels == 0) return;
  product.PackA(0, 0).Finish();
  product.PackB(0, 0).Finish();
  for (std::size_t t = 0; t < blocks.deep; ++t) {
    for (std::size_t r = 0; r < blocks.down; ++r) {
      const bool last_block = r + 1 == blocks.down;
      const bool last = last_block && t + 1 == blocks.deep;
      auto next_a = last ? product.Nothing() : last_block ? product.PackA(t + 1, 0) : product.PackA(t, r + 1);
      bool is_next_packed = false;
      queue.Open({&product, t, r}, 1, static_cast<std::uint32_t>(blocks.panels));
      for (std::optional<std::uint32_t> i = 0, next; i; i = next) {
        next = queue.TakeFirst();
        // Only after the last panel its place is another than that of the next depth's first.
        const bool first_follows = last_block && !last && *i + 1 == blocks.panels;
        auto next_b = next            ? (r == 0 ? product.PackB(t, *next) : product.Nothing())
                      : first_follows ? product.PackB(t + 1, 0)
                                      : product.Nothing();
        product.Multiply(t, r, *i, next_b, next_a);
        is_next_packed = first_follows;
      }
      next_a.Finish();  // what stolen panels left
      queue.Close();
      if (last_block && !last && !is_next_packed) product.PackB(t + 1, 0).Finish();
    }
  }
}

// Returns when every worker has multiplied its part.
template <typename Product>
void StealPanels(const Product& product, const Worker& worker) {
  const std::span queues(worker.team->queues);
  const std::uint32_t round = queues[worker.index].Finish();
  const auto work = [&product](const StealQueue::Step& step, std::size_t panel) {
    const Product stolen = product.Stealing(*static_cast<const Product*>(step.product));
    if (step.block == 0) stolen.PackB(step.depth, panel).Finish();
    auto no_b = stolen.Nothing(), no_a = stolen.Nothing();
    stolen.Multiply(step.depth, step.block, panel, no_b, no_a);
  };
  Spin spin;
  for (unsigned i = 1; i < worker.count;) {
    StealQueue& queue = queues[(worker.index + i) % worker.count];
    if (queue.HasFinished(round)) {
      ++i;
    } else if (!queue.Steal(work)) {
      spin.Once();
    }
  }
}

// Multiplies one worker's part, then panels of the parts of workers that are not so far. Blocks of A and
// panels of B are packed by the worker that uses them first, so that workers seldom wait for each other, and
// while it multiplies the ones before, so that waiting for memory hides behind arithmetic. Indices: depth t,
// block of rows r, panel i, outermost first. `product` has the members
//   Blocks blocks
//   Packing PackA(t, r), PackB(t, i)   a copy to be made, whose rest Finish() makes
//   Packing Nothing()
//   Multiply(t, r, i, next_b, next_a)  with all of next_b, and of next_a the panel's share
//   Product Stealing(owner)            the owner's product with what a thief writes to from this one, whose
//                                      worker needs it no more
template <typename Product>
void RunProduct(const Product& product, const Worker& worker) {
  RunPart(product, worker.team->queues[worker.index]);
  StealPanels(product, worker);
}

}  // namespace kernels::cpu
