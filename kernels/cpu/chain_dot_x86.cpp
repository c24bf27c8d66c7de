// SPDX-License-Identifier: MIT
// The rate of x86-64's dot products in vectors without memory: AVX512_BF16, AVX512_VNNI and AVX_VNNI.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/chain_dot_x86.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "kernels/cpu/chain.h"
#include "kernels/cpu/dot_x86-inl.h"

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3
struct Bf16Chain {
  using Accumulator = Floats;
  static constexpr std::uint32_t kOnes = 0x3f803f80;
  static constexpr std::uint32_t kDepth = 2;
  static HWY_INLINE Accumulator Add(Accumulator sum, Words a, Words b) { return DotBf16(sum, a, b); }
};
#endif

struct Int8Chain {
  using Accumulator = Ints;
  static constexpr std::uint32_t kOnes = 0x01010101;
  static constexpr std::uint32_t kDepth = 4;
  static HWY_INLINE Accumulator Add(Accumulator sum, Words a, Words b) { return DotInt8(sum, a, b); }
};

template <typename Type>
void ChainDot(const Arguments& arguments, const Worker& worker) {
  using Sum = hn::TFromV<typename Type::Accumulator>;
  // More than hide the latency of two units, as many as fit in the registers.
  constexpr std::size_t kChains = HWY_TARGET == HWY_AVX3 ? 16 : 12;
  Words one = hn::Set(hn::ScalableTag<std::uint32_t>(), Type::kOnes);
  // Unknown to the compiler, of which clang 16 crashes where it knows that all bf16 numbers are one.
  asm("" : "+v"(one.raw));
  constexpr std::size_t kGroup = kChains * hn::MaxLanes(hn::ScalableTag<Sum>());
  alignas(64) Sum group[kGroup];
  RunChains(arguments, worker, kGroup, group, [&](Sum* values) {
    typename Type::Accumulator sum[kChains];
    std::memcpy(sum, values, sizeof(sum));
    for (std::uint32_t i = 0; i < arguments.scalars[1] / Type::kDepth; ++i) {
      for (auto& chain : sum) chain = Type::Add(chain, one, one);
    }
    std::memcpy(values, sum, sizeof(sum));
  });
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
#include <array>

#include "kernels/cpu/architecture_x86.h"

namespace kernels::cpu {

std::span<const Implementation> ChainDotImplementations() {
  static constexpr std::array kAll{
      Implementation{"chain_bf16", "avx512_bf16", HasAvx512Bf16, N_AVX3::ChainDot<N_AVX3::Bf16Chain>},
      Implementation{"chain_int8", "avx512_vnni", HasAvx512Vnni, N_AVX3::ChainDot<N_AVX3::Int8Chain>},
      Implementation{"chain_int8", "avx_vnni", HasAvxVnni, N_AVX2::ChainDot<N_AVX2::Int8Chain>}};
  return kAll;
}

}  // namespace kernels::cpu
#endif
