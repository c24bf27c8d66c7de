// SPDX-License-Identifier: MIT
// The rate of x86-64's dot products without memory: AMX tiles, AVX512_BF16 and AVX512_VNNI.
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

// A factor of the dot products: nothing but ones, a row of a tile or a whole vector at a time.
template <typename T>
struct Ones {
  explicit Ones(T one) { std::fill_n(&rows[0][0], sizeof(rows) / sizeof(T), one); }
  alignas(64) T rows[kAmxRows][kAmxRowBytes / sizeof(T)];
};

}  // namespace
}  // namespace kernels::cpu

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512vl,avx512bf16,avx512vnni,amx-tile,amx-bf16,amx-int8")
namespace kernels::cpu {
namespace {

struct Bf16Vector {
  using Element = std::uint16_t;
  using Sum = float;
  using Accumulator = __m512;
  static constexpr Element kOne = 0x3f80;
  static constexpr std::uint32_t kDepth = 2;
  static Accumulator Add(Accumulator sum, __m512i a, __m512i b) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
};

struct Int8Vector {
  using Element = std::int8_t;
  using Sum = std::int32_t;
  using Accumulator = __m512i;
  static constexpr Element kOne = 1;
  static constexpr std::uint32_t kDepth = 4;
  static Accumulator Add(Accumulator sum, __m512i a, __m512i b) { return _mm512_dpbusd_epi32(sum, a, b); }
};

template <typename Type>
void ChainVector(const Arguments& arguments, const Worker& worker) {
  constexpr std::size_t kChains = 16;  // twice what hides the latency of two units
  const Ones<typename Type::Element> ones(Type::kOne);
  asm volatile("" : : "r"(&ones) : "memory");  // unknown to the compiler
  const __m512i one = _mm512_load_si512(ones.rows[0]);
  alignas(64) typename Type::Sum group[kChains * kColumns];
  RunChains(arguments, worker, kChains * kColumns, group, [&](typename Type::Sum* values) {
    typename Type::Accumulator sum[kChains];
    std::memcpy(sum, values, sizeof(sum));
    for (std::uint32_t i = 0; i < arguments.scalars[1] / Type::kDepth; ++i) {
      for (auto& chain : sum) chain = Type::Add(chain, one, one);
    }
    std::memcpy(values, sum, sizeof(sum));
  });
}

// As clock.cpp's, in the registers of the chains: while those are busy the clock is lower.
void ClockAdds(const Arguments& arguments, const Worker& worker) {
  __m512i sum = _mm512_setzero_si512(), addend = _mm512_set1_epi32(3);
  const std::uint64_t rounds = (std::uint64_t{arguments.scalars[0]} << 20U) / 16;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < 16; ++i) {
      sum = _mm512_add_epi32(sum, addend);
      asm volatile("" : "+v"(sum), "+v"(addend));
    }
  }
  alignas(64) std::int32_t lanes[kColumns];
  _mm512_store_si512(lanes, sum);
  static_cast<std::int32_t*>(arguments.buffers[0])[worker.index] = lanes[0];
}

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

std::span<const Implementation> ChainDotImplementations() {
  static constexpr std::array kAll{
      Implementation{"chain_bf16", "amx", HasAmxBf16, ChainTiles<Bf16Tiles>},
      Implementation{"chain_bf16", "avx512_bf16", HasAvx512Bf16, ChainVector<Bf16Vector>},
      Implementation{"clock_adds", "avx512", HasAvx512, ClockAdds},
      Implementation{"chain_int8", "amx", HasAmxInt8, ChainTiles<Int8Tiles>},
      Implementation{"chain_int8", "avx512_vnni", HasAvx512Vnni, ChainVector<Int8Vector>},
  };
  return kAll;
}

}  // namespace kernels::cpu
