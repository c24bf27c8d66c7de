// SPDX-License-Identifier: MIT
// The sum of a vector's words modulo 2^32. Compiled once for each instruction set by the file that includes
// it.
#if defined(WHICHGPU_WORD_SUM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHICHGPU_WORD_SUM_INL
#undef WHICHGPU_WORD_SUM_INL
#else
#define WHICHGPU_WORD_SUM_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <numeric>

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

// By memory: GCC's reduction of AVX-512 vectors adds signed integers, which must not overflow.
template <class D>
std::uint32_t WordSum(D d, hwy::HWY_NAMESPACE::Vec<D> words) {
  HWY_ALIGN std::uint32_t lanes[hwy::HWY_NAMESPACE::MaxLanes(D())];
  hwy::HWY_NAMESPACE::Store(words, d, lanes);
  return std::accumulate(lanes, lanes + hwy::HWY_NAMESPACE::Lanes(d), 0U);
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
