// SPDX-License-Identifier: MIT
// y = W x with x in 8 bits by dot products of words: AVX512_VNNI, AVX_VNNI.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemv_q8_dot_x86.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/dot_x86-inl.h"
// Compiled for those sets too.
#include "kernels/cpu/gemv_q8-inl.h"

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

struct DotOfWords {
  // The instruction's first factor is unsigned: weights of 8 bits get 128 added.
  static constexpr std::int32_t kExcess = 128;

  static HWY_INLINE Words As(Bytes bytes) { return hn::BitCast(hn::ScalableTag<std::uint32_t>(), bytes); }
  static HWY_INLINE Words As(Signed bytes) { return hn::BitCast(hn::ScalableTag<std::uint32_t>(), bytes); }

  static HWY_INLINE Sums Nibbles(Bytes low, Signed x_low, Bytes high, Signed x_high) {
    return DotInt8(DotInt8(hn::Zero(DSum()), As(low), As(x_low)), As(high), As(x_high));
  }
  static HWY_INLINE Sums Int8(Bytes weights, Signed x) {
    return DotInt8(hn::Zero(DSum()), As(hn::Xor(weights, hn::Set(DBytes(), 128))), As(x));
  }
};

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

#if HWY_ONCE
#include <array>

#include "kernels/cpu/architecture_x86.h"

namespace kernels::cpu {

std::span<const Implementation> GemvDotImplementations() {
  static constexpr std::array kAll{
      Implementation{"gemv_q4_q8", "avx512_vnni", HasAvx512Vnni,
                     N_AVX3::GemvQ8<N_AVX3::Q4<N_AVX3::DotOfWords>>},
      Implementation{"gemv_q4_q8", "avx_vnni", HasAvxVnni, N_AVX2::GemvQ8<N_AVX2::Q4<N_AVX2::DotOfWords>>},
      Implementation{"gemv_q8_q8", "avx512_vnni", HasAvx512Vnni,
                     N_AVX3::GemvQ8<N_AVX3::Q8<N_AVX3::DotOfWords>>},
      Implementation{"gemv_q8_q8", "avx_vnni", HasAvxVnni, N_AVX2::GemvQ8<N_AVX2::Q8<N_AVX2::DotOfWords>>}};
  return kAll;
}

}  // namespace kernels::cpu
#endif
