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

// x * 1 + 1: a product by x can not be taken out of the loop where multiplying and adding are two
// instructions.
HWY_INLINE void Step(V one, V& x0, V& x1, V& x2, V& x3) {
  x0 = hn::MulAdd(x0, one, one);
  x1 = hn::MulAdd(x1, one, one);
  x2 = hn::MulAdd(x2, one, one);
  x3 = hn::MulAdd(x3, one, one);
}

// Chains have names because scalable vectors (SVE) cannot be array elements.
void AddProducts(float* x, std::uint32_t products) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const volatile float opaque = 1.0F;
  const V one = hn::Set(d, opaque);
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
  for (std::uint32_t i = 0; i < products; ++i) {
    Step(one, x0, x1, x2, x3);
    Step(one, x4, x5, x6, x7);
    Step(one, x8, x9, x10, x11);
    if constexpr (kMany) {
      Step(one, x12, x13, x14, x15);
      Step(one, x16, x17, x18, x19);
      Step(one, x20, x21, x22, x23);
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
}

void ChainFp32(const Arguments& arguments, const Worker& worker) {
  alignas(64) float x[std::size_t{24} * HWY_MAX_BYTES / sizeof(float)];
  RunChains(arguments, worker, kChains * hn::Lanes(D()), x,
            [&](float* values) { AddProducts(values, arguments.scalars[1]); });
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
