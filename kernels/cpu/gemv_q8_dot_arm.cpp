// SPDX-License-Identifier: MIT
// y = W x with x in 8 bits by Arm's dot products of words (FEAT_DotProd), with Highway's NEON.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemv_q8_dot_arm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// What follows is compiled for those instructions as well, because only into such code can they be inlined.
// By itself Highway says so of clang's code for Arm in no place.
#if HWY_TARGET == HWY_NEON
#undef HWY_BEFORE_NAMESPACE
#undef HWY_AFTER_NAMESPACE
#define HWY_BEFORE_NAMESPACE() \
  HWY_PUSH_ATTRIBUTES("arch=armv8.2-a+crypto+dotprod") static_assert(true, "a semicolon follows")
#define HWY_AFTER_NAMESPACE() HWY_POP_ATTRIBUTES static_assert(true, "a semicolon follows")
#endif
#include "kernels/cpu/gemv_q8-inl.h"

#if HWY_TARGET == HWY_NEON
HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

struct DotOfWords {
  static constexpr std::int32_t kExcess = 0;

  static HWY_INLINE Sums Nibbles(Bytes low, Signed x_low, Bytes high, Signed x_high) {
    const int32x4_t sum = vdotq_s32(vdupq_n_s32(0), vreinterpretq_s8_u8(low.raw), x_low.raw);
    return Sums(vdotq_s32(sum, vreinterpretq_s8_u8(high.raw), x_high.raw));
  }
  static HWY_INLINE Sums Int8(Bytes weights, Signed x) {
    return Sums(vdotq_s32(vdupq_n_s32(0), vreinterpretq_s8_u8(weights.raw), x.raw));
  }
};

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

#if HWY_ONCE
#include <array>

#include "kernels/cpu/architecture_arm.h"

namespace kernels::cpu {

std::span<const Implementation> GemvDotImplementations() {
  static constexpr std::array kAll{Implementation{"gemv_q4_q8", "neon_dotprod", HasNeonDotprod,
                                                  N_NEON::GemvQ8<N_NEON::Q4<N_NEON::DotOfWords>>},
                                   Implementation{"gemv_q8_q8", "neon_dotprod", HasNeonDotprod,
                                                  N_NEON::GemvQ8<N_NEON::Q8<N_NEON::DotOfWords>>}};
  return kAll;
}

}  // namespace kernels::cpu
#endif
