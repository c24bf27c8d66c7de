// SPDX-License-Identifier: MIT
// The rate of AMX's tiles without memory.
#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/architecture_x86.h"
#include "kernels/cpu/chain.h"
#include "kernels/cpu/gemm_amx.h"

namespace kernels::cpu {
namespace {

constexpr std::uint32_t kColumns = 16;

// A factor of the products: a tile of nothing but ones.
template <typename T>
struct Ones {
  explicit Ones(T one) { std::fill_n(&rows[0][0], sizeof(rows) / sizeof(T), one); }
  alignas(64) T rows[kAmxRows][kAmxRowBytes / sizeof(T)];
};

}  // namespace
}  // namespace kernels::cpu

HWY_PUSH_ATTRIBUTES("amx-tile,amx-bf16,amx-int8")
namespace kernels::cpu {
namespace {

// The macros of some compilers take tile numbers as text, so that they cannot be parameters.
struct Bf16Tiles {
  using Element = std::uint16_t;
  using Sum = float;
  static constexpr Element kOne = 0x3f80;
  static void Add() {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
};

struct Int8Tiles {
  using Element = std::int8_t;
  using Sum = std::int32_t;
  static constexpr Element kOne = 1;
  static void Add() {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
};

template <typename Type>
void ChainTiles(const Arguments& arguments, const Worker& worker) {
  constexpr std::size_t kSums = kAmxRows * kColumns;  // of one tile
  constexpr std::uint32_t kDepth = kAmxRowBytes / sizeof(typename Type::Element);
  const Ones<typename Type::Element> ones(Type::kOne);
  _tile_loadconfig(&kAmxConfiguration);
  _tile_loadd(4, ones.rows, kAmxRowBytes);
  _tile_loadd(5, ones.rows, kAmxRowBytes);
  _tile_loadd(6, ones.rows, kAmxRowBytes);
  _tile_loadd(7, ones.rows, kAmxRowBytes);
  alignas(64) typename Type::Sum group[4 * kSums];
  RunChains(arguments, worker, 4 * kSums, group, [&](typename Type::Sum* values) {
    _tile_loadd(0, values, kAmxRowBytes);
    _tile_loadd(1, values + kSums, kAmxRowBytes);
    _tile_loadd(2, values + 2 * kSums, kAmxRowBytes);
    _tile_loadd(3, values + 3 * kSums, kAmxRowBytes);
    for (std::uint32_t i = 0; i < arguments.scalars[1] / kDepth; ++i) Type::Add();
    _tile_stored(0, values, kAmxRowBytes);
    _tile_stored(1, values + kSums, kAmxRowBytes);
    _tile_stored(2, values + 2 * kSums, kAmxRowBytes);
    _tile_stored(3, values + 3 * kSums, kAmxRowBytes);
  });
  _tile_release();
}

}  // namespace
}  // namespace kernels::cpu
HWY_POP_ATTRIBUTES

namespace kernels::cpu {

std::span<const Implementation> ChainAmxImplementations() {
  static constexpr std::array kAll{
      Implementation{"chain_bf16", "amx", HasAmxBf16, ChainTiles<Bf16Tiles>},
      Implementation{"chain_int8", "amx", HasAmxInt8, ChainTiles<Int8Tiles>},
  };
  return kAll;
}

}  // namespace kernels::cpu
