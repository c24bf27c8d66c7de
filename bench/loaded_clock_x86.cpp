// SPDX-License-Identifier: MIT
// Loops that keep the units nearly full and last exactly as long as a chain of integer instructions in them,
// which wait for each other and run on ports that the units do not need (Intel: imul 3 clocks, add 1).
#include <immintrin.h>

#include <array>
#include <cstdint>

#include "bench/loaded_clock.h"
#include "kernels/cpu/gemm_amx.h"

namespace bench {
namespace {

struct Chain {
  std::uint64_t value = 1, factor = 3;
  [[gnu::always_inline]] void Multiply() { asm volatile("imul %1, %0" : "+r"(value) : "r"(factor)); }
  [[gnu::always_inline]] void Add() { asm volatile("add %1, %0" : "+r"(value) : "r"(factor)); }
};

// 24 products on two units take 12 clocks, the chain 13.
[[gnu::target("avx512f")]] double Vectors(double clocks) {
  constexpr int kClocks = 13, kProducts = 24;
  const volatile float opaque = 1.0F;
  const __m512 one = _mm512_set1_ps(opaque);
  __m512 x[kProducts];
  for (int i = 0; i < kProducts; ++i) x[i] = _mm512_set1_ps(static_cast<float>(i));
  Chain chain;
  const auto rounds = static_cast<std::int64_t>(clocks / kClocks);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (int i = 0; i < kProducts; ++i) {
      x[i] = _mm512_fmadd_ps(x[i], one, one);
      if (i % 6 == 0) chain.Multiply();
    }
    chain.Add();
  }
  asm volatile("" : : "r"(x) : "memory");
  return static_cast<double>(rounds * kClocks);
}

// 12 products on two units take 6 clocks, the chain 7: of additions alone, since Intel's processors without
// AVX-512 multiply integers on one of those units.
[[gnu::target("avx2,fma")]] double NarrowVectors(double clocks) {
  constexpr int kClocks = 7, kProducts = 12;
  const volatile float opaque = 1.0F;
  const __m256 one = _mm256_set1_ps(opaque);
  __m256 x[kProducts];
  for (int i = 0; i < kProducts; ++i) x[i] = _mm256_set1_ps(static_cast<float>(i));
  Chain chain;
  const auto rounds = static_cast<std::int64_t>(clocks / kClocks);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kProducts; ++i) {
      x[i] = _mm256_fmadd_ps(x[i], one, one);
      if (i < kClocks) chain.Add();
    }
  }
  asm volatile("" : : "r"(x) : "memory");
  return static_cast<double>(rounds * kClocks);
}

// Four products of tiles take 64 clocks, the chain 66.
[[gnu::target("amx-tile,amx-bf16")]] double Tiles(double clocks) {
  constexpr int kClocks = 66;
  _tile_loadconfig(&kernels::cpu::kAmxConfiguration);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  Chain chain;
  const auto rounds = static_cast<std::int64_t>(clocks / kClocks);
  for (std::int64_t round = 0; round < rounds; ++round) {
    _tile_dpbf16ps(0, 4, 5);
    _tile_dpbf16ps(1, 4, 5);
    _tile_dpbf16ps(2, 4, 5);
    _tile_dpbf16ps(3, 4, 5);
#pragma GCC unroll 22
    for (int i = 0; i < kClocks / 3; ++i) chain.Multiply();
  }
  _tile_release();
  return static_cast<double>(rounds * kClocks);
}

struct Row {
  std::string_view isa;
  double (*run)(double clocks);
};
constexpr std::array kRows = {Row{"avx512", Vectors}, Row{"avx2", NarrowVectors}, Row{"amx", Tiles}};

}  // namespace

double LoadedClocks(std::string_view isa, double clocks) {
  for (const Row& row : kRows) {
    if (row.isa == isa) return row.run(clocks);
  }
  return 0;
}

}  // namespace bench
