// SPDX-License-Identifier: MIT
// The rate of fp32 multiply-adds without memory.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/chain.cpp"
#include "kernels/cpu/chain.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/targets.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Chains that hide the latency of every unit: 24, or 12 where there are only 16 registers.
constexpr bool kMany = HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64;
constexpr std::size_t kChains = kMany ? 24 : 12;

HWY_INLINE void Step(V minus, V sum, V& x0, V& x1, V& x2, V& x3) {
  x0 = hn::MulAdd(x0, minus, sum);
  x1 = hn::MulAdd(x1, minus, sum);
  x2 = hn::MulAdd(x2, minus, sum);
  x3 = hn::MulAdd(x3, minus, sum);
}

// x = 1.5 - x in every lane, by a product with -1 that the compiler cannot know. Chains differ, so that it
// cannot join them, and have names because scalable vectors (SVE) cannot be array elements.
void ChainFp32(const Arguments& arguments, const Worker& worker) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  alignas(64) float x[24 * HWY_MAX_BYTES / sizeof(float)];
  for (std::uint32_t i = 0; i < 24 * lanes; ++i) x[i] = ChainStart(i);
  const volatile float opaque = -1.0F;
  const V minus = hn::Set(d, opaque), sum = hn::Set(d, 1.5F);
  V x0 = hn::LoadU(d, x + 0 * lanes), x1 = hn::LoadU(d, x + 1 * lanes), x2 = hn::LoadU(d, x + 2 * lanes),
    x3 = hn::LoadU(d, x + 3 * lanes);
  V x4 = hn::LoadU(d, x + 4 * lanes), x5 = hn::LoadU(d, x + 5 * lanes), x6 = hn::LoadU(d, x + 6 * lanes),
    x7 = hn::LoadU(d, x + 7 * lanes);
  V x8 = hn::LoadU(d, x + 8 * lanes), x9 = hn::LoadU(d, x + 9 * lanes), x10 = hn::LoadU(d, x + 10 * lanes),
    x11 = hn::LoadU(d, x + 11 * lanes);
  V x12 = hn::LoadU(d, x + 12 * lanes), x13 = hn::LoadU(d, x + 13 * lanes),
    x14 = hn::LoadU(d, x + 14 * lanes), x15 = hn::LoadU(d, x + 15 * lanes);
  V x16 = hn::LoadU(d, x + 16 * lanes), x17 = hn::LoadU(d, x + 17 * lanes),
    x18 = hn::LoadU(d, x + 18 * lanes), x19 = hn::LoadU(d, x + 19 * lanes);
  V x20 = hn::LoadU(d, x + 20 * lanes), x21 = hn::LoadU(d, x + 21 * lanes),
    x22 = hn::LoadU(d, x + 22 * lanes), x23 = hn::LoadU(d, x + 23 * lanes);
  const std::uint64_t rounds = ChainRounds(arguments.scalars[0], 2 * kChains * lanes, worker);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Step(minus, sum, x0, x1, x2, x3);
    Step(minus, sum, x4, x5, x6, x7);
    Step(minus, sum, x8, x9, x10, x11);
    if constexpr (kMany) {
      Step(minus, sum, x12, x13, x14, x15);
      Step(minus, sum, x16, x17, x18, x19);
      Step(minus, sum, x20, x21, x22, x23);
    }
  }
  hn::StoreU(x0, d, x + 0 * lanes);
  hn::StoreU(x1, d, x + 1 * lanes);
  hn::StoreU(x2, d, x + 2 * lanes);
  hn::StoreU(x3, d, x + 3 * lanes);
  hn::StoreU(x4, d, x + 4 * lanes);
  hn::StoreU(x5, d, x + 5 * lanes);
  hn::StoreU(x6, d, x + 6 * lanes);
  hn::StoreU(x7, d, x + 7 * lanes);
  hn::StoreU(x8, d, x + 8 * lanes);
  hn::StoreU(x9, d, x + 9 * lanes);
  hn::StoreU(x10, d, x + 10 * lanes);
  hn::StoreU(x11, d, x + 11 * lanes);
  hn::StoreU(x12, d, x + 12 * lanes);
  hn::StoreU(x13, d, x + 13 * lanes);
  hn::StoreU(x14, d, x + 14 * lanes);
  hn::StoreU(x15, d, x + 15 * lanes);
  hn::StoreU(x16, d, x + 16 * lanes);
  hn::StoreU(x17, d, x + 17 * lanes);
  hn::StoreU(x18, d, x + 18 * lanes);
  hn::StoreU(x19, d, x + 19 * lanes);
  hn::StoreU(x20, d, x + 20 * lanes);
  hn::StoreU(x21, d, x + 21 * lanes);
  hn::StoreU(x22, d, x + 22 * lanes);
  hn::StoreU(x23, d, x + 23 * lanes);
  // Every chain counts as used, though the first words alone are looked at.
  asm volatile("" : : "r"(x) : "memory");
  std::copy_n(x, kChainWords, static_cast<float*>(arguments.buffers[0]) + worker.index * kChainWords);
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {
struct ChainFp32Tag;
template <>
inline constexpr EntryPoint kEntryAt<ChainFp32Tag, HWY_TARGET> = HWY_NAMESPACE::ChainFp32;
}  // namespace kernels::cpu

#if HWY_ONCE
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> ChainImplementations() {
  static constexpr auto kAll = Rows<ChainFp32Tag>("chain_fp32");
  return kAll;
}

}  // namespace kernels::cpu
#endif
