// SPDX-License-Identifier: MIT
// The rate of x86-64's dot products without memory: AMX tiles, AVX512_BF16 and AVX512_VNNI. Accumulators get
// a product and its negative in turn, so that numbers stay small and exact.
#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/cpu/architecture_x86.h"
#include "kernels/cpu/chain.h"
#include "kernels/cpu/gemm_amx.h"

namespace kernels::cpu {
namespace {

constexpr std::uint32_t kColumns = 16;

template <typename T>
T Element(std::int32_t value) {
  return static_cast<T>(value);
}
template <>
std::uint16_t Element(std::int32_t value) {  // bf16
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U);
}

// As tiles: every row of A the same, the rows of B with the elements of a column together that one
// instruction multiplies together. Row 0 of each is what the instructions on vectors take.
template <typename T>
struct Factors {
  static constexpr std::uint32_t kDepth = kAmxRowBytes / sizeof(T), kGroup = 4 / sizeof(T);
  Factors() {
    for (std::uint32_t p = 0; p < kDepth; ++p) {
      for (std::uint32_t i = 0; i < kColumns; ++i) {
        a[i][p] = Element<T>(ChainA(p));
        b[p / kGroup][i * kGroup + p % kGroup] = Element<T>(ChainB(p, i));
        minus_b[p / kGroup][i * kGroup + p % kGroup] = Element<T>(-ChainB(p, i));
      }
    }
  }
  [[nodiscard]] int FirstOfA() const {
    int word = 0;
    std::memcpy(&word, a[0], sizeof(word));
    return word;
  }
  alignas(64) T a[kAmxRows][kDepth], b[kAmxRows][kDepth], minus_b[kAmxRows][kDepth];
};

}  // namespace
}  // namespace kernels::cpu

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512vl,avx512bf16,avx512vnni,amx-tile,amx-bf16,amx-int8")
namespace kernels::cpu {
namespace {

struct Bf16Vector {
  using Element = std::uint16_t;
  using Accumulator = __m512;
  static constexpr std::uint64_t kOperations = 2 * 2 * kColumns;
  static Accumulator Add(Accumulator sum, __m512i a, __m512i b) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
};

struct Int8Vector {
  using Element = std::int8_t;
  using Accumulator = __m512i;
  static constexpr std::uint64_t kOperations = 2 * 4 * kColumns;
  static Accumulator Add(Accumulator sum, __m512i a, __m512i b) { return _mm512_dpbusd_epi32(sum, a, b); }
};

template <typename Type>
void ChainVector(const Arguments& arguments, const Worker& worker) {
  constexpr std::size_t kChains = 16;  // twice what hides the latency of two units
  const Factors<typename Type::Element> factors;
  const __m512i a = _mm512_set1_epi32(factors.FirstOfA());
  const __m512i b = _mm512_load_si512(factors.b[0]), minus_b = _mm512_load_si512(factors.minus_b[0]);
  // Chains differ, so that the compiler cannot join them.
  alignas(64) std::int32_t start[kChains][kColumns] = {};
  typename Type::Accumulator sum[kChains];
  for (std::size_t i = 0; i < kChains; ++i) {
    std::fill_n(start[i], kColumns, static_cast<std::int32_t>(i));
    std::memcpy(&sum[i], start[i], sizeof(sum[i]));
  }
  const std::uint64_t rounds = ChainRounds(arguments.scalars[0], kChains * Type::kOperations, worker);
  for (auto& chain : sum) chain = Type::Add(chain, a, b);
  for (std::uint64_t round = 1; round < rounds; round += 2) {
    for (auto& chain : sum) chain = Type::Add(chain, a, minus_b);
    for (auto& chain : sum) chain = Type::Add(chain, a, b);
  }
  std::memcpy(start, sum, sizeof(start));
  asm volatile("" : : "r"(start) : "memory");  // every chain counts as used
  std::copy_n(start[0], kChainWords,
              static_cast<std::int32_t*>(arguments.buffers[0]) + worker.index * kChainWords);
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
  static void Add() {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  static void TakeAway() {
    _tile_dpbf16ps(0, 4, 7);
    _tile_dpbf16ps(1, 4, 6);
    _tile_dpbf16ps(2, 5, 7);
    _tile_dpbf16ps(3, 5, 6);
  }
};

struct Int8Tiles {
  using Element = std::int8_t;
  static void Add() {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  static void TakeAway() {
    _tile_dpbssd(0, 4, 7);
    _tile_dpbssd(1, 4, 6);
    _tile_dpbssd(2, 5, 7);
    _tile_dpbssd(3, 5, 6);
  }
};

template <typename Type>
void ChainTiles(const Arguments& arguments, const Worker& worker) {
  const Factors<typename Type::Element> factors;
  const AmxConfiguration configuration;
  _tile_loadconfig(&configuration);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, factors.a, kAmxRowBytes);
  _tile_loadd(5, factors.a, kAmxRowBytes);
  _tile_loadd(6, factors.b, kAmxRowBytes);
  _tile_loadd(7, factors.minus_b, kAmxRowBytes);
  constexpr std::uint64_t kOperations = 4 * 2 * kAmxRows * kColumns * factors.kDepth;
  const std::uint64_t rounds = ChainRounds(arguments.scalars[0], kOperations, worker);
  Type::Add();
  for (std::uint64_t round = 1; round < rounds; round += 2) {
    Type::TakeAway();
    Type::Add();
  }
  alignas(64) std::int32_t sum[kAmxRows][kColumns];
  _tile_stored(0, sum, kAmxRowBytes);
  _tile_release();
  std::copy_n(sum[0], kChainWords,
              static_cast<std::int32_t*>(arguments.buffers[0]) + worker.index * kChainWords);
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
