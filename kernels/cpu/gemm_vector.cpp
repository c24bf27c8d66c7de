// SPDX-License-Identifier: MIT
// Matrix products in fp32 arithmetic, for every instruction set: fp32 itself, and bf16 and int8 where nothing
// better is there. int8 products are exact: fp32 sums of one depth are below 2^24, and int32 adds those up.
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
  static HWY_INLINE void Store(Accumulator sum, Result* c, std::size_t columns, bool add) {
    const hn::ScalableTag<Result> d;
    const auto value = ConvertTo(Result(), sum);
    if (columns >= Lanes()) {
      hn::StoreU(add ? hn::Add(value, hn::LoadU(d, c)) : value, d, c);
      return;
    }
    HWY_ALIGN Result tail[HWY_MAX_BYTES / sizeof(Result)];
    hn::Store(value, d, tail);
    for (std::size_t i = 0; i < columns; ++i) c[i] = add ? c[i] + tail[i] : tail[i];
  }

  static void PackA(const Element* from, std::size_t count, float* to) { CopyRow(from, count, to, count); }
  static void PackB(const Element* from, std::size_t, std::size_t, std::size_t columns, float* to,
                    std::size_t width) {
    CopyRow(from, columns, to, width);
  }
  static void FinishB(float*, std::size_t, std::size_t) {}
};

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
inline constexpr EntryPoint kEntryAt<GemmInt8Tag, HWY_TARGET> =
    HWY_NAMESPACE::Gemm<HWY_NAMESPACE::Fp32Op<std::int8_t, std::int32_t>>;
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
