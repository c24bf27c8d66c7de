// SPDX-License-Identifier: MIT
// x86-64's dot products of words, into each 32-bit sum those of two bf16 numbers (AVX512_BF16) or of four
// int8 (AVX512_VNNI, AVX_VNNI), for Highway's targets AVX3 and AVX2 alone: what follows the include is
// compiled for those sets as well. To be included before everything else that is compiled for a target,
// because only into code for the same sets can the instructions be inlined.
#if defined(WHICHGPU_DOT_X86_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHICHGPU_DOT_X86_INL
#undef WHICHGPU_DOT_X86_INL
#else
#define WHICHGPU_DOT_X86_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
#undef HWY_TARGET_STR
#if HWY_TARGET == HWY_AVX3
#define HWY_TARGET_STR HWY_TARGET_STR_AVX3 ",avx512bf16,avx512vnni"
#else
#define HWY_TARGET_STR HWY_TARGET_STR_AVX2 ",avxvnni"
#endif

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::Vec<hn::ScalableTag<std::uint32_t>>;
using Ints = hn::Vec<hn::ScalableTag<std::int32_t>>;
using Floats = hn::Vec<hn::ScalableTag<float>>;

// The first factor's numbers are unsigned.
HWY_INLINE Ints DotInt8(Ints sum, Words a, Words b) {
#if HWY_TARGET == HWY_AVX3
  return Ints{_mm512_dpbusd_epi32(sum.raw, a.raw, b.raw)};
#else
  return Ints{_mm256_dpbusd_avx_epi32(sum.raw, a.raw, b.raw)};
#endif
}

#if HWY_TARGET == HWY_AVX3
HWY_INLINE Floats DotBf16(Floats sum, Words a, Words b) {
#if defined(__clang__) && __clang_major__ == 16
  asm("" : "+v"(a.raw), "+v"(b.raw));  // it crashes where it knows that all words are the same
#endif
  return Floats{
      _mm512_dpbf16_ps(sum.raw, reinterpret_cast<__m512bh>(a.raw), reinterpret_cast<__m512bh>(b.raw))};
}
#endif

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
