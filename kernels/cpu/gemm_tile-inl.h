// SPDX-License-Identifier: MIT
// The products on vector registers: a tile of 6 rows by some vectors, and the packing of its operands.
// Compiled once for each instruction set by the file that includes it. What a word holds and how two are
// multiplied is the operation's (Op):
//   Element, Result, Word (32 bits), Accumulator, Factor   types; the last two are vectors
//   kGroup                                                 elements in a word
//   Start(row), Load(words), Broadcast(word), MulAdd(accumulator, a, b), Store(accumulator, c, add)
//   PackA(from, count, to, words)                          one row of A
//   PackB(from, stride, rows, columns, to, width)          the rows of B that make one row of words
//   FinishB(panel, depth, width)                           the row after a panel, from which accumulators
//   start
#if defined(WHICHGPU_GEMM_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHICHGPU_GEMM_TILE_INL
#undef WHICHGPU_GEMM_TILE_INL
#else
#define WHICHGPU_GEMM_TILE_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <type_traits>

#include "kernels/cpu/gemm_tile.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// 6 x 4 accumulators, 4 vectors of B and one of A fill 32 registers, 6 x 2 fill 16.
constexpr std::size_t kVectors = (HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64) ? 4 : 2;

HWY_INLINE std::size_t Lanes() { return hn::Lanes(hn::ScalableTag<float>()); }
HWY_INLINE std::size_t Width() { return kVectors * Lanes(); }

template <typename Op>
struct TileTask {
  const typename Op::Word* a;  // depth x kHalfRows, and the lower half behind it; past the last row: the last
  std::size_t lower;           // words from one half to the other
  const typename Op::Word* b;  // depth x Width(), and the row to start from
  typename Op::Result* c;
  std::size_t leading;  // of c
  std::size_t depth, rows, columns;
  bool accumulate;
  // Brought into the cache meanwhile, beside the tile's own part of c: rows of B's next panel (packed, or as
  // it is to be packed), so many for each of kSegments, and a part of a row of A that is to be packed.
  const void* next_b;
  std::size_t stride_b, rows_b, line_b;  // bytes between rows, rows for a segment, bytes of a row
  const void* next_a;
  std::size_t step_a;  // bytes from one segment to the next
};

// The product along a tile's depth is cut into so many parts, between which prefetches are spread: at once
// they would occupy every line fill buffer and stop the loads of b.
constexpr std::size_t kSegments = kTileRows * kVectors;
constexpr std::size_t kLineBytes = 64;

// Products along the depth before the loop's end is asked for (Zen 3: 0.5 % faster than with one).
constexpr int kSteps = kVectors == 4 ? 1 : 2;

HWY_INLINE const char* Forward(const void* at, std::size_t bytes) {
  return static_cast<const char*>(at) + bytes;
}

template <typename V, typename T>
HWY_INLINE void StoreVector(V sums, T* c, bool add) {
  const hn::ScalableTag<T> d;
  hn::StoreU(add ? hn::Add(sums, hn::LoadU(d, c)) : sums, d, c);
}

template <typename Op, typename V>
HWY_INLINE void StoreRow(typename Op::Result* c, bool add, V v0, V v1, V v2, V v3) {
  Op::Store(v0, c, add);
  Op::Store(v1, c + Lanes(), add);
  if constexpr (kVectors == 4) {
    Op::Store(v2, c + 2 * Lanes(), add);
    Op::Store(v3, c + 3 * Lanes(), add);
  }
}

template <typename Op, typename F, typename V>
HWY_INLINE void MultiplyRow(F a, F b0, F b1, F b2, F b3, V& c0, V& c1, V& c2, V& c3) {
  c0 = Op::MulAdd(c0, a, b0);
  c1 = Op::MulAdd(c1, a, b1);
  if constexpr (kVectors == 4) {
    c2 = Op::MulAdd(c2, a, b2);
    c3 = Op::MulAdd(c3, a, b3);
  }
}

// What of a tile at the border of c lies in c.
template <typename Op>
HWY_NOINLINE void StoreBorder(const TileTask<Op>& task, const typename Op::Result* tile) {
  for (std::size_t row = 0; row < task.rows; ++row, tile += Width()) {
    auto* c = task.c + row * task.leading;
    for (std::size_t j = 0; j < task.columns; ++j) c[j] = task.accumulate ? c[j] + tile[j] : tile[j];
  }
}

// Accumulators have names and not indices because scalable vectors (SVE) cannot be array elements.
template <typename Op>
HWY_NOINLINE void Tile(const TileTask<Op>& task) {
  using V = typename Op::Accumulator;
  using F = typename Op::Factor;
  constexpr std::size_t kSecond = kVectors == 4 ? 2 : 0, kThird = kVectors == 4 ? 3 : 1;
  const auto* start = task.b + task.depth * Width();
  const V s0 = Op::Start(start), s1 = Op::Start(start + Lanes());
  const V s2 = Op::Start(start + kSecond * Lanes()), s3 = Op::Start(start + kThird * Lanes());
  V c00 = s0, c01 = s1, c02 = s2, c03 = s3, c10 = s0, c11 = s1, c12 = s2, c13 = s3;
  V c20 = s0, c21 = s1, c22 = s2, c23 = s3, c30 = s0, c31 = s1, c32 = s2, c33 = s3;
  V c40 = s0, c41 = s1, c42 = s2, c43 = s3, c50 = s0, c51 = s1, c52 = s2, c53 = s3;
  const auto *a = task.a, *b = task.b;
  const auto* const end = a + task.depth * kHalfRows;
  const std::size_t lower = task.lower;
  // Of panels that exceed the first-level cache.
  constexpr std::size_t kAhead = kVectors == 4 ? 16 : 0, kLineWords = kLineBytes / sizeof(*b);
  const std::size_t part = DivideUp(task.depth, kSegments) * kHalfRows;
  const char *next_b = Forward(task.next_b, 0), *next_a = Forward(task.next_a, 0);
  for (std::size_t segment = 0; segment < kSegments; ++segment) {
    // Late enough to be there still when they are stored to.
    if (segment >= kSegments / 4 && segment < kSegments * 3 / 4) {
      const std::size_t vector = 2 * (segment - kSegments / 4);
      const auto* c = task.c + vector / kVectors * task.leading + vector % kVectors * Lanes();
      hwy::Prefetch(c);
      hwy::Prefetch(c + Lanes());
    }
    hwy::Prefetch(next_a);
    next_a += task.step_a;
    for (std::size_t i = 0; i < task.rows_b; ++i, next_b += task.stride_b) {
      for (std::size_t line = 0; line < task.line_b; line += kLineBytes) hwy::Prefetch(next_b + line);
    }
#pragma GCC unroll kSteps
    for (const auto* const stop = std::min(a + part, end); a != stop; a += kHalfRows, b += Width()) {
      if constexpr (kAhead != 0) {
        for (std::size_t j = 0; j < Width(); j += kLineWords) hwy::Prefetch(b + kAhead * Width() + j);
      }
      const F b0 = Op::Load(b), b1 = Op::Load(b + Lanes());
      const F b2 = Op::Load(b + kSecond * Lanes()), b3 = Op::Load(b + kThird * Lanes());
      MultiplyRow<Op>(Op::Broadcast(a[0]), b0, b1, b2, b3, c00, c01, c02, c03);
      MultiplyRow<Op>(Op::Broadcast(a[1]), b0, b1, b2, b3, c10, c11, c12, c13);
      MultiplyRow<Op>(Op::Broadcast(a[2]), b0, b1, b2, b3, c20, c21, c22, c23);
      MultiplyRow<Op>(Op::Broadcast(a[lower + 0]), b0, b1, b2, b3, c30, c31, c32, c33);
      MultiplyRow<Op>(Op::Broadcast(a[lower + 1]), b0, b1, b2, b3, c40, c41, c42, c43);
      MultiplyRow<Op>(Op::Broadcast(a[lower + 2]), b0, b1, b2, b3, c50, c51, c52, c53);
    }
  }
  using Result = typename Op::Result;
  HWY_ALIGN Result border[kTileRows * kVectors * HWY_MAX_BYTES / sizeof(Result)];
  const bool whole = task.rows == kTileRows && task.columns == Width();
  Result* const c = whole ? task.c : border;
  const std::size_t leading = whole ? task.leading : Width();
  const bool add = whole && task.accumulate;
  StoreRow<Op>(c, add, c00, c01, c02, c03);
  StoreRow<Op>(c + leading, add, c10, c11, c12, c13);
  StoreRow<Op>(c + 2 * leading, add, c20, c21, c22, c23);
  StoreRow<Op>(c + 3 * leading, add, c30, c31, c32, c33);
  StoreRow<Op>(c + 4 * leading, add, c40, c41, c42, c43);
  StoreRow<Op>(c + 5 * leading, add, c50, c51, c52, c53);
  if (!whole) StoreBorder(task, border);
}

// Rows side by side: to[p * kHalfRows + i] = rows[i][p].
template <typename Word>
HWY_INLINE void Interleave(const Word* const* rows, std::size_t count, Word* HWY_RESTRICT to) {
  static_assert(kHalfRows == 3 && sizeof(Word) == sizeof(std::uint32_t));
  const Word *row0 = rows[0], *row1 = rows[1], *row2 = rows[2];
  const hn::ScalableTag<Word> d;
  std::size_t p = 0;
  for (; p + hn::Lanes(d) <= count; p += hn::Lanes(d)) {
    hn::StoreInterleaved3(hn::LoadU(d, row0 + p), hn::LoadU(d, row1 + p), hn::LoadU(d, row2 + p), d,
                          to + p * kHalfRows);
  }
  for (; p < count; ++p) {
    to[p * kHalfRows] = row0[p];
    to[p * kHalfRows + 1] = row1[p];
    to[p * kHalfRows + 2] = row2[p];
  }
}

// A block of A, a tile's rows at a time, or a panel of B, a row of words at a time, on its way into words.
template <typename Op>
struct Packing {
  using Element = typename Op::Element;
  using Word = typename Op::Word;
  const Element* from = nullptr;
  std::size_t stride = 0;   // elements between rows of `from`
  std::size_t rows = 0;     // of `from`
  std::size_t columns = 0;  // of `from`
  Word* to = nullptr;
  std::size_t to_stride = 0;  // words between rows of `to`
  Word* one_tile = nullptr;   // of A: room for a tile's rows before they are interleaved
  std::size_t parts = 0;      // tiles of A or rows of words of B
  std::size_t done = 0;

  // Until `end` parts are done, or all.
  void Advance(std::size_t end) {
    if (done == parts) return;
    for (end = std::min(end, parts); done < end; ++done) is_b() ? PackB() : PackA();
    if (is_b() && done == parts) Op::FinishB(to, parts, to_stride);
  }
  void Finish() { Advance(parts); }

  void PackA() const {
    const Word* words[kTileRows];
    for (std::size_t i = 0; i < kTileRows; ++i) {
      if constexpr (std::is_same_v<Element, Word>) {
        words[i] = RowOfA(i);
      } else {
        words[i] = one_tile + i * to_stride;
        Op::PackA(RowOfA(i), columns, one_tile + i * to_stride);
      }
    }
    const std::size_t count = DivideUp(columns, Op::kGroup);
    for (std::size_t row = 0; row < kTileRows; row += kHalfRows) {
      Interleave(words + row, count, to + (done * kTileRows + row) * to_stride);
    }
  }

  void PackB() const {
    const std::size_t row = done * Op::kGroup;
    Op::PackB(from + row * stride, stride, std::min(Op::kGroup, rows - row), columns, to + done * to_stride,
              to_stride);
  }

  [[nodiscard]] bool is_b() const { return one_tile == nullptr; }
  // What Advance reads next: rows of B, or the rows of a tile.
  [[nodiscard]] const Element* NextOfB() const { return from + done * Op::kGroup * stride; }
  [[nodiscard]] const Element* RowOfA(std::size_t i) const {
    return from + std::min(done * kTileRows + i, rows - 1) * stride;
  }
};

template <typename Op>
struct Product {
  using Element = typename Op::Element;
  using Word = typename Op::Word;
  const Element* a;
  const Element* b;
  typename Op::Result* c;
  std::size_t n, k;
  Part part;
  Blocks blocks;   // depth in words
  Word* packed_a;  // two blocks, in turn
  Word* packed_b;  // blocks.kept panels, in turn
  Word* one_tile;  // of A, before its rows are interleaved

  [[nodiscard]] std::size_t Depth(std::size_t t) const {  // in elements
    return std::min(blocks.depth * Op::kGroup, k - t * blocks.depth * Op::kGroup);
  }
  [[nodiscard]] Range Rows(std::size_t r) const {
    const std::size_t begin = part.rows.begin + r * blocks.rows;
    return {begin, std::min(begin + blocks.rows, part.rows.end)};
  }
  [[nodiscard]] Word* BlockOfA(std::size_t t, std::size_t r) const {
    return packed_a + (t * blocks.down + r) % 2 * blocks.rows * StrideOfA(blocks);
  }
  [[nodiscard]] Word* PanelOfB(std::size_t t, std::size_t i) const {
    return packed_b + (t * blocks.panels + i) % blocks.kept * PanelWords(blocks, Width());
  }

  // Panels that are used once have places of their own alone.
  [[nodiscard]] Product Stealing(const Product& owner) const {
    Product stolen = owner;
    if (owner.blocks.down == 1) stolen.packed_b = packed_b;
    return stolen;
  }

  [[nodiscard]] Packing<Op> Nothing() const { return {.from = a}; }
  [[nodiscard]] Packing<Op> PackA(std::size_t t, std::size_t r) const {
    const Range rows = Rows(r);
    const std::size_t count = rows.end - rows.begin;
    return {.from = a + rows.begin * k + t * blocks.depth * Op::kGroup,
            .stride = k,
            .rows = count,
            .columns = Depth(t),
            .to = BlockOfA(t, r),
            .to_stride = StrideOfA(blocks),
            .one_tile = one_tile,
            .parts = DivideUp(count, kTileRows)};
  }
  [[nodiscard]] Packing<Op> PackB(std::size_t t, std::size_t i) const {
    const std::size_t column = part.columns.begin + i * Width();
    return {.from = b + t * blocks.depth * Op::kGroup * n + column,
            .stride = n,
            .rows = Depth(t),
            .columns = std::min(Width(), part.columns.end - column),
            .to = PanelOfB(t, i),
            .to_stride = Width(),
            .one_tile = nullptr,
            .parts = DivideUp(Depth(t), Op::kGroup)};
  }

  void Multiply(std::size_t t, std::size_t r, std::size_t i, Packing<Op>& next_b, Packing<Op>& next_a) const {
    const Range rows = Rows(r);
    const std::size_t tiles = DivideUp(rows.end - rows.begin, kTileRows);
    const std::size_t column = part.columns.begin + i * Width();
    const std::size_t depth = DivideUp(Depth(t), Op::kGroup);
    const bool is_packing = next_b.parts != 0;
    const std::size_t parts_b = DivideUp(next_b.parts, tiles);
    // Where there is nothing to pack, the next panel is: but all together exceed the second-level cache.
    const bool is_followed = !is_packing && i + 1 < blocks.panels;
    const std::size_t ahead = is_packing ? parts_b * Op::kGroup : is_followed ? DivideUp(depth, tiles) : 0;
    TileTask<Op> task{.a = BlockOfA(t, r),
                      .lower = kHalfRows * StrideOfA(blocks),
                      .b = PanelOfB(t, i),
                      .c = c + rows.begin * n + column,
                      .leading = n,
                      .depth = depth,
                      .rows = kTileRows,
                      .columns = std::min(Width(), part.columns.end - column),
                      .accumulate = t != 0,
                      .next_b = is_followed ? PanelOfB(t, i + 1) : nullptr,
                      .stride_b = is_packing ? n * sizeof(Element) : Width() * sizeof(Word),
                      .rows_b = DivideUp(ahead, kSegments),
                      .line_b = Width() * (is_packing ? sizeof(Element) : sizeof(Word)),
                      .next_a = next_a.from,
                      .step_a = 0};
    // Of A the tile's rows that are packed after this panel, each while some tiles are multiplied.
    const std::size_t end_a = (i + 1) * next_a.parts / blocks.panels;
    const std::size_t tiles_a = DivideUp(tiles, kTileRows);
    const std::size_t bytes_a = next_a.columns * sizeof(Element) / tiles_a;
    if (end_a > next_a.done) task.step_a = DivideUp(bytes_a, kSegments);
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      if (tile + 1 == tiles) task.rows = rows.end - rows.begin - tile * kTileRows;
      if (is_packing) task.next_b = next_b.NextOfB();
      if (task.step_a != 0) task.next_a = Forward(next_a.RowOfA(tile / tiles_a), tile % tiles_a * bytes_a);
      Tile(task);
      next_b.Advance((tile + 1) * parts_b);
      task.a += kTileRows * StrideOfA(blocks);
      task.c += kTileRows * n;
      if (is_followed) task.next_b = Forward(task.next_b, kSegments * task.rows_b * task.stride_b);
    }
    next_a.Advance(end_a);
  }
};

template <typename Op>
void Gemm(const Arguments& arguments, const Worker& worker) {
  const std::size_t m = arguments.scalars[0], n = arguments.scalars[1], k = arguments.scalars[2];
  const std::size_t words_k = DivideUp(k, Op::kGroup);
  const Limits limits = TileLimits(Width());
  const Part part = PartOf(m, n, limits, worker.index, worker.count);
  const Blocks blocks(part.rows.end - part.rows.begin, part.columns.end - part.columns.begin, words_k,
                      limits);
  auto* work = static_cast<typename Op::Word*>(arguments.buffers[3]) +
               worker.index * TileWorkerWords(m, n, words_k, worker.count, Width());
  const Product<Op> product{.a = static_cast<const typename Op::Element*>(arguments.buffers[0]),
                            .b = static_cast<const typename Op::Element*>(arguments.buffers[1]),
                            .c = static_cast<typename Op::Result*>(arguments.buffers[2]),
                            .n = n,
                            .k = k,
                            .part = part,
                            .blocks = blocks,
                            .packed_a = work + kTileRows * StrideOfA(blocks),
                            .packed_b = work + (kTileRows + 2 * blocks.rows) * StrideOfA(blocks),
                            .one_tile = work};
  RunProduct(product, worker);
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
