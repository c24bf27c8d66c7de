// SPDX-License-Identifier: MIT
// Matrix products on AMX tiles, bf16 into fp32 and int8 into int32: A as tiles of 16 rows x 64 bytes, B as
// tiles whose rows hold the 2 or 4 elements of a column that one instruction multiplies together (Intel SDM
// volume 1, chapter 18).
#include "kernels/cpu/gemm_amx.h"

#include <hwy/base.h>
#include <immintrin.h>

#include <array>
#include <cstddef>

#include "kernels/cpu/architecture_x86.h"
#include "kernels/cpu/prefetch.h"

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512vl,avx512vbmi,amx-tile,amx-bf16,amx-int8")
namespace kernels::cpu {
namespace {

// Where the elements of a tile row come from: of each of 16 columns from `first` on, `group` rows of 32
// columns.
template <typename Lane>
struct Interleaving {
  constexpr Interleaving(std::size_t first, std::size_t group) : lane{} {
    for (std::size_t j = 0; j < std::size(lane); ++j)
      lane[j] = static_cast<Lane>(first + j / group + j % group * 32);
  }
  alignas(64) Lane lane[64 / sizeof(Lane)];
};

struct Bf16 {
  using Element = std::uint16_t;
  using Result = float;
  static constexpr std::size_t kGroup = 2;
  static constexpr Interleaving<std::uint16_t> kIndex[] = {{0, kGroup}, {16, kGroup}};
  // Two rows of 32 columns into two tile rows of 16 columns.
  static void Interleave(const std::byte* const (&row)[2], __mmask64 columns, std::byte* low,
                         std::byte* high) {
    const __m512i r0 = _mm512_maskz_loadu_epi8(columns, row[0]),
                  r1 = _mm512_maskz_loadu_epi8(columns, row[1]);
    _mm512_store_si512(low, _mm512_permutex2var_epi16(r0, _mm512_load_si512(kIndex[0].lane), r1));
    _mm512_store_si512(high, _mm512_permutex2var_epi16(r0, _mm512_load_si512(kIndex[1].lane), r1));
  }
  static void Multiply() {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
};

struct Int8 {
  using Element = std::int8_t;
  using Result = std::int32_t;
  static constexpr std::size_t kGroup = 4;
  static constexpr Interleaving<std::uint8_t> kIndex[] = {{0, kGroup}, {16, kGroup}};
  // By the masked form, because GCC 12 takes the plain one's internals for uninitialised (its bug 105593).
  static __m512i LowerHalves(__m512i a, __m512i b) { return _mm512_maskz_shuffle_i64x2(0xff, a, b, 0x44); }
  // Four rows of 32 columns into two tile rows of 16 columns.
  static void Interleave(const std::byte* const (&row)[4], __mmask64 columns, std::byte* low,
                         std::byte* high) {
    const __m512i r01 =
        LowerHalves(_mm512_maskz_loadu_epi8(columns, row[0]), _mm512_maskz_loadu_epi8(columns, row[1]));
    const __m512i r23 =
        LowerHalves(_mm512_maskz_loadu_epi8(columns, row[2]), _mm512_maskz_loadu_epi8(columns, row[3]));
    _mm512_store_si512(low, _mm512_permutex2var_epi8(r01, _mm512_load_si512(kIndex[0].lane), r23));
    _mm512_store_si512(high, _mm512_permutex2var_epi8(r01, _mm512_load_si512(kIndex[1].lane), r23));
  }
  static void Multiply() {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
};

__mmask64 FirstBytes(std::size_t bytes) { return bytes >= 64 ? ~__mmask64{0} : (__mmask64{1} << bytes) - 1; }

// A copy to be made tile by tile. Past the last row, column or depth the packed matrix is zero.
template <typename Type>
struct Packing {
  using Element = typename Type::Element;
  static constexpr std::size_t kStep = kAmxRowBytes / sizeof(Element);
  const Element* from;
  std::size_t stride = 0;  // elements
  std::byte* to = nullptr;
  std::size_t rows = 0, columns = 0;  // of `from`
  bool is_b = false;
  std::size_t steps = 0;  // of depth
  std::size_t tiles = 0;  // A: rows of tiles times steps; B: steps
  std::size_t done = 0;

  void Advance(std::size_t part, std::size_t parts) {
    for (const std::size_t end = tiles * part / parts; done < end; ++done) is_b ? PackB(done) : PackA(done);
  }

  void Finish() { Advance(1, 1); }

  // What Advance(part, parts) will read; of A the first tile only.
  [[nodiscard]] Lines Next(std::size_t part, std::size_t parts) const {
    const std::size_t next = tiles * part / parts - done;
    if (next == 0) return {};
    const std::size_t row = is_b ? done * kStep : done / steps * kAmxRows;
    const Element* source = from + row * stride + (is_b ? 0 : done % steps * kStep);
    return Lines(source, stride * sizeof(Element), kAmxRowBytes / Type::kGroup * (is_b ? 1 : Type::kGroup),
                 std::min(is_b ? next * kStep : kAmxRows, rows - std::min(row, rows)));
  }

  void PackA(std::size_t tile) const {
    const std::size_t row0 = tile / steps * kAmxRows, column = tile % steps * kStep;
    const __mmask64 mask = FirstBytes((columns - column) * sizeof(Element));
    for (std::size_t i = 0; i < kAmxRows; ++i) {
      const Element* source = from + (row0 + i) * stride + column;
      _mm_prefetch(source + 4 * kStep, _MM_HINT_T0);
      const __m512i bytes = row0 + i < rows ? _mm512_maskz_loadu_epi8(mask, source) : _mm512_setzero_si512();
      _mm512_store_si512(to + tile * kAmxTileBytes + i * kAmxRowBytes, bytes);
    }
  }

  void PackB(std::size_t step) const {
    static constexpr std::byte kZeros[64] = {};
    const __mmask64 mask = FirstBytes(columns * sizeof(Element));
    std::byte* tile = to + step * 2 * kAmxTileBytes;
    for (std::size_t i = 0; i < kAmxRows; ++i) {
      const std::byte* row[Type::kGroup];
      for (std::size_t g = 0; g < Type::kGroup; ++g) {
        const std::size_t p = step * kStep + i * Type::kGroup + g;
        _mm_prefetch(from + (p + kStep) * stride, _MM_HINT_T0);
        row[g] = p < rows ? reinterpret_cast<const std::byte*>(from + p * stride) : kZeros;
      }
      Type::Interleave(row, mask, tile + i * kAmxRowBytes, tile + kAmxTileBytes + i * kAmxRowBytes);
    }
  }
};

// Steps of one stretch of depth: its part of a panel of B, 32 KiB, stays in the first-level cache.
constexpr std::size_t kStretch = 16;

// 2 x 2 tiles of C, in memory.
struct Square {
  std::byte* at;
  std::size_t row_bytes;
  std::size_t down, across;  // bytes to the tiles below and beside
};

void LoadSquare(const Square& c) {
  _tile_loadd(0, c.at, static_cast<int>(c.row_bytes));
  _tile_loadd(1, c.at + c.across, static_cast<int>(c.row_bytes));
  _tile_loadd(2, c.at + c.down, static_cast<int>(c.row_bytes));
  _tile_loadd(3, c.at + c.down + c.across, static_cast<int>(c.row_bytes));
}

void StoreSquare(const Square& c) {
  _tile_stored(0, c.at, static_cast<int>(c.row_bytes));
  _tile_stored(1, c.at + c.across, static_cast<int>(c.row_bytes));
  _tile_stored(2, c.at + c.down, static_cast<int>(c.row_bytes));
  _tile_stored(3, c.at + c.down + c.across, static_cast<int>(c.row_bytes));
}

void ZeroSquare() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

template <typename Type>
struct Product {
  using Element = typename Type::Element;
  using Result = typename Type::Result;
  static constexpr std::size_t kStep = kAmxRowBytes / sizeof(Element);
  const Element* a;
  const Element* b;
  Result* c;
  std::size_t n, k;
  Part part;
  Blocks blocks;
  std::byte* packed_a;  // two blocks, in turn
  std::byte* packed_b;  // blocks.kept panels, in turn
  std::byte* packed_c;  // squares of one panel and block

  [[nodiscard]] std::size_t Depth(std::size_t t) const {
    return std::min(blocks.depth, k - t * blocks.depth);
  }
  [[nodiscard]] Range Rows(std::size_t r) const {
    const std::size_t begin = part.rows.begin + r * blocks.rows;
    return {begin, std::min(begin + blocks.rows, part.rows.end)};
  }
  [[nodiscard]] std::byte* BlockOfA(std::size_t t, std::size_t r) const {
    return packed_a + (t * blocks.down + r) % 2 * blocks.rows * blocks.depth * sizeof(Element);
  }
  [[nodiscard]] std::byte* PanelOfB(std::size_t t, std::size_t i) const {
    return packed_b + (t * blocks.panels + i) % blocks.kept * blocks.depth * kAmxSquare * sizeof(Element);
  }

  // Panels that are used once have places of their own alone.
  [[nodiscard]] Product Stealing(const Product& owner) const {
    Product stolen = owner;
    if (owner.blocks.down == 1) stolen.packed_b = packed_b;
    stolen.packed_c = packed_c;
    return stolen;
  }

  [[nodiscard]] Packing<Type> Nothing() const { return {.from = a}; }
  [[nodiscard]] Packing<Type> PackA(std::size_t t, std::size_t r) const {
    const Range rows = Rows(r);
    const std::size_t count = rows.end - rows.begin, steps = DivideUp(Depth(t), kStep);
    return {.from = a + rows.begin * k + t * blocks.depth,
            .stride = k,
            .to = BlockOfA(t, r),
            .rows = count,
            .columns = Depth(t),
            .is_b = false,
            .steps = steps,
            .tiles = DivideUp(count, kAmxSquare) * 2 * steps};
  }
  [[nodiscard]] Packing<Type> PackB(std::size_t t, std::size_t i) const {
    const std::size_t column = part.columns.begin + i * kAmxSquare, steps = DivideUp(Depth(t), kStep);
    return {.from = b + t * blocks.depth * n + column,
            .stride = n,
            .to = PanelOfB(t, i),
            .rows = Depth(t),
            .columns = std::min(kAmxSquare, part.columns.end - column),
            .is_b = true,
            .steps = steps,
            .tiles = steps};
  }

  // Where the valid elements of a square lie in c.
  struct Window {
    Result* c;
    std::size_t rows, columns;
  };
  [[nodiscard]] Window WindowOf(std::size_t r, std::size_t square, std::size_t i) const {
    const std::size_t row = Rows(r).begin + square * kAmxSquare, column = part.columns.begin + i * kAmxSquare;
    return {c + row * n + column, std::min(kAmxSquare, Rows(r).end - row),
            std::min(kAmxSquare, part.columns.end - column)};
  }

  // Between c and a packed square, for squares that reach over the border.
  void CopyIn(const Window& window, Result* square) const {
    for (std::size_t i = 0; i < window.rows; ++i) {
      std::copy_n(window.c + i * n, window.columns, square + i * kAmxSquare);
    }
  }
  void CopyOut(const Result* square, const Window& window) const {
    for (std::size_t i = 0; i < window.rows; ++i) {
      std::copy_n(square + i * kAmxSquare, window.columns, window.c + i * n);
    }
  }

  // One stretch of depth of one square: from where its sum is to where it goes.
  void MultiplySquare(std::size_t t, std::size_t r, std::size_t i, std::size_t square, Range steps,
                      Lines next_b, Lines next_a) const {
    const std::size_t all = DivideUp(Depth(t), kStep);
    const Window window = WindowOf(r, square, i);
    const bool whole = window.rows == kAmxSquare && window.columns == kAmxSquare;
    auto* packed = reinterpret_cast<Result*>(packed_c) + square * kAmxSquare * kAmxSquare;
    const Square in_packed{reinterpret_cast<std::byte*>(packed), 2 * kAmxRowBytes,
                           kAmxRows * 2 * kAmxRowBytes, kAmxRowBytes};
    const Square in_c{reinterpret_cast<std::byte*>(window.c), n * sizeof(Result),
                      kAmxRows * n * sizeof(Result), kAmxRowBytes};
    if (steps.begin == 0 && t == 0) {
      ZeroSquare();
    } else {
      if (steps.begin == 0 && !whole) CopyIn(window, packed);
      LoadSquare(steps.begin == 0 && whole ? in_c : in_packed);
    }
    const std::byte* tile_a = BlockOfA(t, r) + square * 2 * all * kAmxTileBytes;
    const std::byte* tile_b = PanelOfB(t, i);
    const bool last = steps.end == all;
    Lines next_c(window.c, n * sizeof(Result), kAmxSquare * sizeof(Result), last ? window.rows : 0);
    const std::size_t count = steps.end - steps.begin;
    const std::size_t each_c = DivideUp(next_c.left(), count), each_b = DivideUp(next_b.left(), count);
    const std::size_t each_a = DivideUp(next_a.left(), count);
    for (std::size_t s = steps.begin; s < steps.end; ++s) {
      _tile_loadd(4, tile_a + s * kAmxTileBytes, kAmxRowBytes);
      _tile_loadd(6, tile_b + s * 2 * kAmxTileBytes, kAmxRowBytes);
      _tile_loadd(7, tile_b + (s * 2 + 1) * kAmxTileBytes, kAmxRowBytes);
      _tile_loadd(5, tile_a + (all + s) * kAmxTileBytes, kAmxRowBytes);
      next_c.Prefetch(each_c);
      next_b.Prefetch(each_b);
      next_a.Prefetch(each_a);
      Type::Multiply();
    }
    StoreSquare(last && whole ? in_c : in_packed);
    if (last && !whole) CopyOut(packed, window);
  }

  void Multiply(std::size_t t, std::size_t r, std::size_t i, Packing<Type>& next_b,
                Packing<Type>& next_a) const {
    const std::size_t squares = DivideUp(Rows(r).end - Rows(r).begin, kAmxSquare);
    const std::size_t steps = DivideUp(Depth(t), kStep);
    const std::size_t stretches = DivideUp(steps, kStretch);
    for (std::size_t s = 0; s < stretches; ++s) {
      const Range stretch{s * kStretch, std::min((s + 1) * kStretch, steps)};
      for (std::size_t square = 0; square < squares; ++square) {
        const std::size_t done = s * squares + square + 1, all = squares * stretches;
        const std::size_t done_a = i * all + done, all_a = blocks.panels * all;
        MultiplySquare(t, r, i, square, stretch, next_b.Next(done, all), next_a.Next(done_a, all_a));
        next_b.Advance(done, all);
        next_a.Advance(done_a, all_a);
      }
    }
  }
};

template <typename Type>
void GemmAmx(const Arguments& arguments, const Worker& worker) {
  using Element = typename Type::Element;
  const std::size_t m = arguments.scalars[0], n = arguments.scalars[1], k = arguments.scalars[2];
  const Limits limits = AmxLimits(sizeof(Element));
  const Part part = PartOf(m, n, limits, worker.index, worker.count);
  const Blocks blocks(part.rows.end - part.rows.begin, part.columns.end - part.columns.begin, k, limits);
  std::byte* work = static_cast<std::byte*>(arguments.buffers[3]) +
                    worker.index * AmxWorkerBytes(m, n, k, worker.count, sizeof(Element));
  const std::size_t depth_bytes = blocks.depth * sizeof(Element);
  std::byte* packed_b = work + 2 * blocks.rows * depth_bytes;
  const Product<Type> product{.a = static_cast<const Element*>(arguments.buffers[0]),
                              .b = static_cast<const Element*>(arguments.buffers[1]),
                              .c = static_cast<typename Type::Result*>(arguments.buffers[2]),
                              .n = n,
                              .k = k,
                              .part = part,
                              .blocks = blocks,
                              .packed_a = work,
                              .packed_b = packed_b,
                              .packed_c = packed_b + blocks.kept * kAmxSquare * depth_bytes};
  _tile_loadconfig(&kAmxConfiguration);
  RunProduct(product, worker);
  _tile_release();
}

}  // namespace
}  // namespace kernels::cpu
HWY_POP_ATTRIBUTES

namespace kernels::cpu {

std::span<const Implementation> GemmAmxImplementations() {
  static constexpr std::array kAll{Implementation{"gemm_bf16", "amx", HasAmxBf16, GemmAmx<Bf16>},
                                   Implementation{"gemm_int8", "amx", HasAmxInt8, GemmAmx<Int8>}};
  return kAll;
}

}  // namespace kernels::cpu
