// SPDX-License-Identifier: MIT
// Matrix products for every instruction set: in fp32 arithmetic fp32 itself, bf16, and int8 where nothing
// better is there; on x86 int8 by sums of two products of 16-bit numbers, twice as many an instruction.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemm_vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/gemm_tile-inl.h"
#include "kernels/cpu/targets.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;

HWY_INLINE hn::Vec<D> LoadAsFloat(const float* from) { return hn::LoadU(D(), from); }
// bf16 is the upper half of fp32.
HWY_INLINE hn::Vec<D> LoadAsFloat(const std::uint16_t* from) {
  const hn::RebindToUnsigned<D> words;
  const hn::Rebind<std::uint16_t, D> halves;
  return hn::BitCast(D(), hn::ShiftLeft<16>(hn::PromoteTo(words, hn::LoadU(halves, from))));
}
HWY_INLINE hn::Vec<D> LoadAsFloat(const std::int8_t* from) {
  const hn::RebindToSigned<D> words;
  const hn::Rebind<std::int8_t, D> bytes;
  return hn::ConvertTo(D(), hn::PromoteTo(words, hn::LoadU(bytes, from)));
}

// The first `count` elements at `from`, then zeros until `padded`.
template <typename Element>
HWY_INLINE void CopyRow(const Element* from, std::size_t count, float* to, std::size_t padded) {
  std::size_t j = 0;
  for (; j + Lanes() <= count; j += Lanes()) hn::StoreU(LoadAsFloat(from + j), D(), to + j);
  if (j < count) {
    Element rest[HWY_MAX_BYTES / sizeof(float)] = {};
    HWY_ALIGN float converted[HWY_MAX_BYTES / sizeof(float)];
    std::copy_n(from + j, count - j, rest);
    hn::StoreU(LoadAsFloat(rest), D(), converted);
    std::copy_n(converted, count - j, to + j);
  }
  if (count < padded) std::fill(to + count, to + padded, 0.0F);
}

HWY_INLINE hn::Vec<D> ConvertTo(float, hn::Vec<D> value) { return value; }
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> ConvertTo(std::int32_t, hn::Vec<D> value) {
  return hn::ConvertTo(hn::RebindToSigned<D>(), value);
}

// int8 products are exact: fp32 sums of one depth are below 2^24, and int32 adds those up.
template <typename ElementType, typename ResultType>
struct Fp32Op {
  using Element = ElementType;
  using Result = ResultType;
  using Word = float;
  using Accumulator = hn::Vec<D>;
  using Factor = hn::Vec<D>;
  static constexpr std::size_t kGroup = 1;

  static HWY_INLINE Accumulator Start(const float*) { return hn::Zero(D()); }
  static HWY_INLINE Factor Load(const float* words) { return hn::LoadU(D(), words); }
  static HWY_INLINE Factor Broadcast(float word) { return hn::Set(D(), word); }
  static HWY_INLINE Accumulator MulAdd(Accumulator sum, Factor a, Factor b) { return hn::MulAdd(a, b, sum); }
  static HWY_INLINE void Store(Accumulator sum, Result* c, bool add) {
    StoreVector(ConvertTo(Result(), sum), c, add);
  }

  static void PackA(const Element* from, std::size_t count, float* to) { CopyRow(from, count, to, count); }
  static void PackB(const Element* from, std::size_t, std::size_t, std::size_t columns, float* to,
                    std::size_t width) {
    CopyRow(from, columns, to, width);
  }
  static void FinishB(float*, std::size_t, std::size_t) {}
};

#if HWY_ARCH_X86 && HWY_TARGET != HWY_BASELINE_SCALAR
// Words of two 16-bit numbers, from A's row and from B's column, multiplied and added up by PMADDWD: 32-bit
// sums are exact to a depth of 2^17.
struct PairOp {
  using Element = std::int8_t;
  using Result = std::int32_t;
  using Word = std::uint32_t;
  using DI16 = hn::ScalableTag<std::int16_t>;
  using DI32 = hn::ScalableTag<std::int32_t>;
  using Accumulator = hn::Vec<DI32>;
  using Factor = hn::Vec<DI16>;
  static constexpr std::size_t kGroup = 2;

  static HWY_INLINE Accumulator Start(const Word*) { return hn::Zero(DI32()); }
  static HWY_INLINE Factor Load(const Word* words) {
    return hn::BitCast(DI16(), hn::LoadU(hn::ScalableTag<Word>(), words));
  }
  static HWY_INLINE Factor Broadcast(Word word) {
    return hn::BitCast(DI16(), hn::Set(hn::ScalableTag<Word>(), word));
  }
  static HWY_INLINE Accumulator MulAdd(Accumulator sum, Factor a, Factor b) {
    Accumulator none = hn::Zero(DI32());  // stays so: here pairs are added within their lane
    return hn::ReorderWidenMulAccumulate(DI32(), a, b, sum, none);
  }
  static HWY_INLINE void Store(Accumulator sum, Result* c, bool add) { StoreVector(sum, c, add); }

  static void PackA(const Element* from, std::size_t count, Word* to) {
    const hn::Rebind<Element, DI16> bytes;
    auto* numbers = reinterpret_cast<std::int16_t*>(to);
    std::size_t i = 0;
    for (; i + 2 * Lanes() <= count; i += 2 * Lanes())
      hn::StoreU(hn::PromoteTo(DI16(), hn::LoadU(bytes, from + i)), DI16(), numbers + i);
    for (; i < count; ++i) numbers[i] = from[i];
    if (count % kGroup != 0) numbers[count] = 0;
  }
  static void PackB(const Element* from, std::size_t stride, std::size_t rows, std::size_t columns, Word* to,
                    std::size_t width) {
    const hn::Rebind<Element, DI32> bytes;
    const auto low = hn::Set(DI32(), 0xffff);
    const Element* second = rows == kGroup ? from + stride : nullptr;
    auto* words = reinterpret_cast<std::int32_t*>(to);
    std::size_t j = 0;
    for (; j + Lanes() <= columns; j += Lanes()) {
      const auto first_row = hn::PromoteTo(DI32(), hn::LoadU(bytes, from + j));
      const auto second_row =
          second != nullptr ? hn::PromoteTo(DI32(), hn::LoadU(bytes, second + j)) : hn::Zero(DI32());
      hn::StoreU(hn::Or(hn::And(first_row, low), hn::ShiftLeft<16>(second_row)), DI32(), words + j);
    }
    for (; j < columns; ++j) {
      const std::int32_t above = second != nullptr ? second[j] : 0;
      words[j] = (from[j] & 0xffff) | above * 0x10000;
    }
    std::fill(to + columns, to + width, 0U);
  }
  static void FinishB(Word*, std::size_t, std::size_t) {}
};
using Int8Op = PairOp;
#else
using Int8Op = Fp32Op<std::int8_t, std::int32_t>;
#endif

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {
struct GemmFp32Tag;
struct GemmBf16Tag;
struct GemmInt8Tag;
template <>
inline constexpr EntryPoint kEntryAt<GemmFp32Tag, HWY_TARGET> =
    HWY_NAMESPACE::Gemm<HWY_NAMESPACE::Fp32Op<float, float>>;
template <>
inline constexpr EntryPoint kEntryAt<GemmBf16Tag, HWY_TARGET> =
    HWY_NAMESPACE::Gemm<HWY_NAMESPACE::Fp32Op<std::uint16_t, float>>;
template <>
inline constexpr EntryPoint kEntryAt<GemmInt8Tag, HWY_TARGET> = HWY_NAMESPACE::Gemm<HWY_NAMESPACE::Int8Op>;
}  // namespace kernels::cpu

#if HWY_ONCE
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> GemmVectorImplementations() {
  static constexpr auto kAll = Concatenate(Rows<GemmFp32Tag>("gemm_fp32"), Rows<GemmBf16Tag>("gemm_bf16"),
                                           Rows<GemmInt8Tag>("gemm_int8"));
  return kAll;
}

}  // namespace kernels::cpu
#endif
