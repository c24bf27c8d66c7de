// SPDX-License-Identifier: MIT
// How operands become AMX tiles: A as tiles of 16 rows x 64 bytes, B as tiles whose rows hold the 2 or 4
// elements of a column that one instruction multiplies together (Intel SDM volume 1, chapter 18). For
// gemm_amx.cpp alone, which includes it where the instructions are enabled.
#pragma once

#include <hwy/base.h>
#include <immintrin.h>

#include <cstddef>

#include "kernels/cpu/gemm_amx.h"
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

}  // namespace
}  // namespace kernels::cpu
HWY_POP_ATTRIBUTES
