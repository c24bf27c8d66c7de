// SPDX-License-Identifier: MIT
// Matrix products by AVX-512's dot products of words: two bf16 numbers (AVX512_BF16) or four int8
// (AVX512_VNNI).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemm_dot_x86.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/architecture_x86.h"

#if HWY_TARGET == HWY_AVX3
#include <array>
#include <bit>
#include <cstring>

// Of everything that follows, the tile's code too, because only into such code can the instructions be
// inlined.
#undef HWY_TARGET_STR
#define HWY_TARGET_STR HWY_TARGET_STR_AVX3 ",avx512bf16,avx512vnni"

#include "kernels/cpu/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

// What both operations do with words: rows of A as they are, and of B every column's next kGroup elements
// together.
template <typename ElementType, std::size_t kGroupSize>
struct DotOp {
  using Element = ElementType;
  using Word = std::uint32_t;
  using Factor = __m512i;
  static constexpr std::size_t kGroup = kGroupSize;

  static HWY_INLINE Factor Load(const Word* words) { return _mm512_loadu_si512(words); }
  static HWY_INLINE Factor Broadcast(Word word) { return _mm512_set1_epi32(std::bit_cast<int>(word)); }

  static void PackB(const Element* from, std::size_t stride, std::size_t rows, std::size_t columns, Word* to,
                    std::size_t width) {
    std::memset(to, 0, width * sizeof(Word));
    auto* elements = reinterpret_cast<Element*>(to);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t j = 0; j < columns; ++j) elements[j * kGroup + row] = from[row * stride + j];
    }
  }
};

struct Bf16Dot : DotOp<std::uint16_t, 2> {
  using Result = float;
  using Accumulator = __m512;
  static HWY_INLINE Accumulator Start(const Word*) { return _mm512_setzero_ps(); }
  static HWY_INLINE Accumulator MulAdd(Accumulator sum, Factor a, Factor b) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
  static HWY_INLINE void Store(Accumulator sum, float* c, bool add) {
    StoreVector(hn::Vec512<float>{sum}, c, add);
  }
  static void PackA(const Element* from, std::size_t count, Word* to) {
    if (count % kGroup != 0) to[count / kGroup] = 0;
    std::memcpy(to, from, count * sizeof(Element));
  }
  static void FinishB(Word*, std::size_t, std::size_t) {}
};

// The instruction's first factor is unsigned: A is stored with 128 added, and sums start from -128 times the
// column sums of B, which takes that away again.
struct Int8Dot : DotOp<std::int8_t, 4> {
  using Result = std::int32_t;
  using Accumulator = __m512i;
  static HWY_INLINE Accumulator Start(const Word* row) { return _mm512_loadu_si512(row); }
  static HWY_INLINE Accumulator MulAdd(Accumulator sum, Factor a, Factor b) {
    return _mm512_dpbusd_epi32(sum, a, b);
  }
  static HWY_INLINE void Store(Accumulator sum, std::int32_t* c, bool add) {
    StoreVector(hn::Vec512<std::int32_t>{sum}, c, add);
  }
  static void PackA(const Element* from, std::size_t count, Word* to) {
    if (count % kGroup != 0) to[count / kGroup] = 0;
    auto* bytes = reinterpret_cast<std::uint8_t*>(to);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(from[i] ^ -128);
  }
  static void FinishB(Word* panel, std::size_t depth, std::size_t width) {
    const __m512i all_128 = _mm512_set1_epi8(-128);
    for (std::size_t j = 0; j < width; j += Lanes()) {
      __m512i sum = _mm512_setzero_si512();
      for (std::size_t p = 0; p < depth; ++p)
        sum = _mm512_dpbusd_epi32(sum, all_128, Load(panel + p * width + j));
      _mm512_storeu_si512(panel + depth * width + j, _mm512_sub_epi32(_mm512_setzero_si512(), sum));
    }
  }
};

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {

std::span<const Implementation> GemmDotImplementations() {
  static constexpr std::array kAll{
      Implementation{"gemm_bf16", "avx512_bf16", HasAvx512Bf16, HWY_NAMESPACE::Gemm<HWY_NAMESPACE::Bf16Dot>},
      Implementation{"gemm_int8", "avx512_vnni", HasAvx512Vnni, HWY_NAMESPACE::Gemm<HWY_NAMESPACE::Int8Dot>}};
  return kAll;
}

}  // namespace kernels::cpu
#endif
