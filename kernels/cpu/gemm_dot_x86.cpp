// SPDX-License-Identifier: MIT
// Matrix products by dot products of words: two bf16 numbers (AVX512_BF16) or four int8 (AVX512_VNNI,
// AVX_VNNI).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemm_dot_x86.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

#include "kernels/cpu/dot_x86-inl.h"
// Compiled for those sets too.
#include "kernels/cpu/gemm_tile-inl.h"

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

// What both operations do with words: rows of A as they are, and of B every column's next kGroup elements
// together.
template <typename ElementType, std::size_t kGroupSize>
struct DotOp {
  using Element = ElementType;
  using Word = std::uint32_t;
  using Factor = Words;
  static constexpr std::size_t kGroup = kGroupSize;

  static HWY_INLINE Factor Load(const Word* words) { return hn::LoadU(hn::ScalableTag<Word>(), words); }
  static HWY_INLINE Factor Broadcast(Word word) { return hn::Set(hn::ScalableTag<Word>(), word); }

  static void PackB(const Element* from, std::size_t stride, std::size_t rows, std::size_t columns, Word* to,
                    std::size_t width) {
    using Unsigned = std::make_unsigned_t<Element>;
    constexpr unsigned kBits = 8 * sizeof(Element);
    const hn::ScalableTag<Word> d;
    const hn::Rebind<Unsigned, decltype(d)> of_row;
    const auto* numbers = reinterpret_cast<const Unsigned*>(from);
    std::size_t j = 0;
    for (; j + Lanes() <= columns; j += Lanes()) {
      Factor words = hn::PromoteTo(d, hn::LoadU(of_row, numbers + j));
      for (std::size_t row = 1; row < rows; ++row) {
        const Factor above = hn::PromoteTo(d, hn::LoadU(of_row, numbers + row * stride + j));
        words = hn::Or(words, hn::ShiftLeftSame(above, static_cast<int>(row * kBits)));
      }
      hn::StoreU(words, d, to + j);
    }
    for (; j < width; ++j) {
      to[j] = 0;
      for (std::size_t row = 0; row < rows && j < columns; ++row)
        to[j] |= Word{numbers[row * stride + j]} << (row * kBits);
    }
  }
};

#if HWY_TARGET == HWY_AVX3
struct Bf16Dot : DotOp<std::uint16_t, 2> {
  using Result = float;
  using Accumulator = Floats;
  static HWY_INLINE Accumulator Start(const Word*) { return hn::Zero(hn::ScalableTag<float>()); }
  static HWY_INLINE Accumulator MulAdd(Accumulator sum, Factor a, Factor b) { return DotBf16(sum, a, b); }
  static HWY_INLINE void Store(Accumulator sum, float* c, bool add) { StoreVector(sum, c, add); }
  static void PackA(const Element* from, std::size_t count, Word* to) {
    if (count % kGroup != 0) to[count / kGroup] = 0;
    std::memcpy(to, from, count * sizeof(Element));
  }
  static void FinishB(Word*, std::size_t, std::size_t) {}
};
#endif

// The instruction's first factor is unsigned: A is stored with 128 added, and sums start from -128 times the
// column sums of B, which takes that away again.
struct Int8Dot : DotOp<std::int8_t, 4> {
  using Result = std::int32_t;
  using Accumulator = Ints;
  static HWY_INLINE Accumulator Start(const Word* row) {
    return hn::BitCast(hn::ScalableTag<std::int32_t>(), Load(row));
  }
  static HWY_INLINE Accumulator MulAdd(Accumulator sum, Factor a, Factor b) { return DotInt8(sum, a, b); }
  static HWY_INLINE void Store(Accumulator sum, std::int32_t* c, bool add) { StoreVector(sum, c, add); }
  static void PackA(const Element* from, std::size_t count, Word* to) {
    if (count % kGroup != 0) to[count / kGroup] = 0;
    auto* bytes = reinterpret_cast<std::uint8_t*>(to);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(from[i] ^ -128);
  }
  static void FinishB(Word* panel, std::size_t depth, std::size_t width) {
    const Factor all_128 = Broadcast(0x80808080);
    const hn::ScalableTag<std::int32_t> d;
    for (std::size_t j = 0; j < width; j += Lanes()) {
      Accumulator sum = hn::Zero(d);
      for (std::size_t p = 0; p < depth; ++p) sum = DotInt8(sum, all_128, Load(panel + p * width + j));
      hn::StoreU(hn::BitCast(hn::ScalableTag<Word>(), hn::Neg(sum)), hn::ScalableTag<Word>(),
                 panel + depth * width + j);
    }
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

std::span<const Implementation> GemmDotImplementations() {
  static constexpr std::array kAll{
      Implementation{"gemm_bf16", "avx512_bf16", HasAvx512Bf16, N_AVX3::Gemm<N_AVX3::Bf16Dot>},
      Implementation{"gemm_int8", "avx512_vnni", HasAvx512Vnni, N_AVX3::Gemm<N_AVX3::Int8Dot>},
      Implementation{"gemm_int8", "avx_vnni", HasAvxVnni, N_AVX2::Gemm<N_AVX2::Int8Dot>}};
  return kAll;
}

}  // namespace kernels::cpu
#endif
