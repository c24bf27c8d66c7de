// SPDX-License-Identifier: MIT
// Operand generation, and the sum of generated operands that a read of them must find.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/operand.cpp"
#include "kernels/operand.h"

#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/share.h"
#include "kernels/cpu/targets.h"
#include "kernels/cpu/word_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using DU = hn::ScalableTag<std::uint32_t>;
using DI = hn::ScalableTag<std::int32_t>;
using DF = hn::ScalableTag<float>;
using DU16 = hn::Rebind<std::uint16_t, DU>;
using DI8 = hn::Rebind<std::int8_t, DI>;
using VU = hn::Vec<DU>;
using VF = hn::Vec<DF>;

template <class Vector>
HWY_INLINE Vector Mix(Vector x) {
  const hn::DFromV<Vector> d;
  x = hn::Xor(x, hn::ShiftRight<16>(x));
  x = hn::Mul(x, hn::Set(d, 0x7feb352dU));
  x = hn::Xor(x, hn::ShiftRight<15>(x));
  x = hn::Mul(x, hn::Set(d, 0x846ca68bU));
  return hn::Xor(x, hn::ShiftRight<16>(x));
}

// Shares begin at multiples of the widest vector, so that stores past the caches are aligned.
constexpr std::size_t kFillGrain = 1024;
// From here on an operand is larger than what a processor's own caches keep, and goes past them.
constexpr std::size_t kPastCachesBytes = std::size_t{4} << 20U;

struct Cached {
  template <class Vector, class D, class Element>
  static HWY_INLINE void Store(Vector vector, D d, Element* out) {
    hn::StoreU(vector, d, out);
  }
};
struct PastCaches {
  template <class Vector, class D, class Element>
  static HWY_INLINE void Store(Vector vector, D d, Element* out) {
    // Highway writes 16 bytes of a shorter vector.
    if constexpr (hn::MaxLanes(D()) * sizeof(Element) < 16) {
      hn::StoreU(vector, d, out);
    } else {
      hn::Stream(vector, d, out);
    }
  }
};

// A type's operands: as a vector of 32-bit lanes from the hash, stored, and one by one.
struct Bits {
  using Element = std::uint32_t;
  template <class Path>
  static HWY_INLINE void Store(VU bits, Element* out) {
    Path::Store(bits, DU(), out);
  }
  static Element One(std::uint32_t seed, std::uint32_t i) { return OperandBits(seed, i); }
};
struct Fp32 {
  using Element = float;
  static HWY_INLINE VF Value(VU bits) {
    return hn::Mul(hn::ConvertTo(DF(), hn::ShiftRight<8>(hn::BitCast(DI(), bits))), hn::Set(DF(), 0x1p-23F));
  }
  template <class Path>
  static HWY_INLINE void Store(VU bits, Element* out) {
    Path::Store(Value(bits), DF(), out);
  }
  static Element One(std::uint32_t seed, std::uint32_t i) { return OperandFp32(seed, i); }
};
struct Bf16 {
  using Element = std::uint16_t;
  template <class Path>
  static HWY_INLINE void Store(VU bits, Element* out) {
    const auto integer = hn::ShiftRight<24>(hn::BitCast(DI(), bits));
    const auto value = hn::BitCast(DU(), hn::Mul(hn::ConvertTo(DF(), integer), hn::Set(DF(), 0x1p-7F)));
    Path::Store(hn::TruncateTo(DU16(), hn::ShiftRight<16>(value)), DU16(), out);
  }
  static Element One(std::uint32_t seed, std::uint32_t i) { return OperandBf16Word(seed, i); }
};
// 0 or a normal number: the exponent's bias changes (127 to 15) and 13 zero bits of the mantissa go.
struct Fp16 {
  using Element = std::uint16_t;
  template <class Path>
  static HWY_INLINE void Store(VU bits, Element* out) {
    const DU d;
    const auto integer = hn::ShiftRight<21>(hn::BitCast(DI(), bits));
    const VU value = hn::BitCast(d, hn::Mul(hn::ConvertTo(DF(), integer), hn::Set(DF(), 0x1p-10F)));
    const VU magnitude = hn::And(value, hn::Set(d, 0x7fffffffU));
    const VU rebiased = hn::ShiftRight<13>(hn::Sub(magnitude, hn::Set(d, 112U << 23U)));
    const VU sign = hn::ShiftRight<16>(hn::And(value, hn::Set(d, 0x80000000U)));
    const VU half = hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(d)), hn::Or(sign, rebiased));
    Path::Store(hn::TruncateTo(DU16(), half), DU16(), out);
  }
  static Element One(std::uint32_t seed, std::uint32_t i) { return OperandFp16Word(seed, i); }
};
struct Int8 {
  using Element = std::int8_t;
  template <class Path>
  static HWY_INLINE void Store(VU bits, Element* out) {
    const auto integer = hn::ShiftRight<24>(hn::BitCast(DI(), bits));
    Path::Store(hn::DemoteTo(DI8(), integer), DI8(), out);
  }
  static Element One(std::uint32_t seed, std::uint32_t i) { return OperandInt8(seed, i); }
};

// Writes whole vectors of [range.begin, range.end); returns where they end.
template <typename Type, class Path>
std::size_t FillVectors(typename Type::Element* out, std::uint32_t seed, std::uint32_t first, Range range) {
  const DU d;
  const std::size_t lanes = hn::Lanes(d);
  const VU key = hn::Set(d, Mix32(seed));
  const VU step = hn::Set(d, static_cast<std::uint32_t>(lanes));
  std::size_t i = range.begin;
  VU index = hn::Iota(d, first + static_cast<std::uint32_t>(i));
  for (; i + lanes <= range.end; i += lanes) {
    Type::template Store<Path>(Mix(hn::Xor(index, key)), out + i);
    index = hn::Add(index, step);
  }
  return i;
}

template <typename Type>
void Fill(const Arguments& arguments, const Worker& worker) {
  auto* out = static_cast<typename Type::Element*>(arguments.buffers[0]);
  const std::uint32_t count = arguments.scalars[0], seed = arguments.scalars[1];
  const std::uint32_t first = arguments.scalars.size() > 2 ? arguments.scalars[2] : 0;
  const Range range = Share(count, kFillGrain, worker.index, worker.count);
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % kFillGrain == 0;
  std::size_t i = 0;
  if (aligned && count * sizeof(*out) >= kPastCachesBytes) {
    i = FillVectors<Type, PastCaches>(out, seed, first, range);
    hwy::FlushStream();
  } else {
    i = FillVectors<Type, Cached>(out, seed, first, range);
  }
  for (; i < range.end; ++i) out[i] = Type::One(seed, first + static_cast<std::uint32_t>(i));
}

// `count` weights: their words, then the scales of their blocks.
template <std::uint32_t kWords, std::uint16_t (*kScale)(std::uint32_t, std::uint32_t, std::uint32_t)>
void FillBlocks(const Arguments& arguments, const Worker& worker) {
  const std::uint32_t blocks = arguments.scalars[0] / kQ4Block, seed = arguments.scalars[1];
  const std::uint32_t words[] = {blocks * kWords, seed};
  Fill<Bits>({arguments.buffers, words}, worker);
  auto* scales =
      reinterpret_cast<std::uint16_t*>(static_cast<std::uint32_t*>(arguments.buffers[0]) + words[0]);
  const auto range = Share(blocks, 32, worker.index, worker.count);
  for (std::size_t i = range.begin; i < range.end; ++i)
    scales[i] = kScale(seed, blocks, static_cast<std::uint32_t>(i));
}

// Sums of operand integers times each of four rows of weights, all in registers.
void Weigh(const Arguments& arguments, const Worker&) {
  using DD = hn::ScalableTag<double>;
  using DDI = hn::Rebind<std::int32_t, DD>;
  const DD d;
  const hn::RebindToUnsigned<DDI> du;
  const auto* weights = static_cast<const double*>(arguments.buffers[0]);
  auto* sums = static_cast<double*>(arguments.buffers[1]);
  const std::size_t count = arguments.scalars[0], stride = arguments.scalars[4];
  const std::uint32_t seed = arguments.scalars[1], first = arguments.scalars[2];
  const int bits = static_cast<int>(arguments.scalars[3]);
  const std::size_t lanes = hn::Lanes(d);
  const auto key = hn::Set(du, Mix32(seed));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  const auto step = hn::Set(du, static_cast<std::uint32_t>(lanes));
  auto index = hn::Iota(du, first);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto hash = Mix(hn::Xor(index, key));
    index = hn::Add(index, step);
    const auto value = hn::PromoteTo(d, hn::ShiftRightSame(hn::BitCast(DDI(), hash), 32 - bits));
    const double* at = weights + i;
    s0 = hn::MulAdd(value, hn::LoadU(d, at), s0);
    s1 = hn::MulAdd(value, hn::LoadU(d, at + stride), s1);
    s2 = hn::MulAdd(value, hn::LoadU(d, at + 2 * stride), s2);
    s3 = hn::MulAdd(value, hn::LoadU(d, at + 3 * stride), s3);
  }
  sums[0] = hn::GetLane(hn::SumOfLanes(d, s0));
  sums[1] = hn::GetLane(hn::SumOfLanes(d, s1));
  sums[2] = hn::GetLane(hn::SumOfLanes(d, s2));
  sums[3] = hn::GetLane(hn::SumOfLanes(d, s3));
  for (; i < count; ++i) {
    const double value = OperandInteger(seed, first + static_cast<std::uint32_t>(i), bits);
    for (std::size_t row = 0; row < 4; ++row) sums[row] += value * weights[row * stride + i];
  }
}

// What weights of a number of bits are read with. The scale's unit: unit * (1024 + low ten bits) is the scale
// that OperandQ4 and OperandQ8 give for these bits.
struct Bits4 {
  static constexpr int kBits = 4, kLog2Words = 2;
  static constexpr std::uint32_t kFlip = 0;
  static constexpr double kScaleUnit = 0x1p-17;
};
// Signed: with their sign's bit flipped they are 128 too large.
struct Bits8 {
  static constexpr int kBits = 8, kLog2Words = 3;
  static constexpr std::uint32_t kFlip = 0x80808080U;
  static constexpr double kScaleUnit = 0x1p-21;
};

// The words that vectors left over.
template <class Format>
double WeighWord(std::uint32_t seed, std::uint32_t word, std::uint32_t all, const double* planes,
                 std::size_t words) {
  constexpr std::size_t kPlanes = 32 / Format::kBits;
  const std::uint32_t bits = OperandBits(seed, word) ^ Format::kFlip;
  double sum = -planes[kPlanes * words];
  for (std::size_t p = 0; p < kPlanes; ++p)
    sum += (bits >> (Format::kBits * p) & ((1U << Format::kBits) - 1)) * planes[p * words];
  return (1024 + (OperandBits(seed, all + (word >> Format::kLog2Words)) >> 22U)) * sum;
}

// A q4 or q8 operand's words times the planes of a vector (Q4Planes, Q8Planes).
template <class Format>
void WeighBlocks(const Arguments& arguments, const Worker&) {
  using DD = hn::ScalableTag<double>;
  using DDI = hn::Rebind<std::int32_t, DD>;
  constexpr std::size_t kPlanes = 32 / Format::kBits;
  const DD d;
  const DDI di;
  const hn::RebindToUnsigned<DDI> du;
  const auto* planes = static_cast<const double*>(arguments.buffers[0]);
  const std::size_t words = arguments.scalars[0];
  const std::uint32_t seed = arguments.scalars[1], first = arguments.scalars[2], all = arguments.scalars[3];
  const std::size_t lanes = hn::Lanes(d);
  const auto key = hn::Set(du, Mix32(seed));
  const auto step = hn::Set(du, static_cast<std::uint32_t>(lanes));
  const auto mask = hn::Set(du, (1U << Format::kBits) - 1);
  auto index = hn::Iota(du, first);
  auto total = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= words; i += lanes) {
    auto bits = hn::Xor(Mix(hn::Xor(index, key)), hn::Set(du, Format::kFlip));
    const auto block = hn::ShiftRight<Format::kLog2Words>(index);
    const auto scale = hn::ShiftRight<22>(Mix(hn::Xor(hn::Add(hn::Set(du, all), block), key)));
    index = hn::Add(index, step);
    auto sum = hn::Neg(hn::LoadU(d, planes + kPlanes * words + i));
    for (std::size_t p = 0; p < kPlanes; ++p, bits = hn::ShiftRight<Format::kBits>(bits)) {
      const auto weight = hn::PromoteTo(d, hn::BitCast(di, hn::And(bits, mask)));
      sum = hn::MulAdd(weight, hn::LoadU(d, planes + p * words + i), sum);
    }
    total = hn::MulAdd(hn::Add(hn::PromoteTo(d, hn::BitCast(di, scale)), hn::Set(d, 1024.0)), sum, total);
  }
  double result = hn::GetLane(hn::SumOfLanes(d, total));
  for (; i < words; ++i)
    result += WeighWord<Format>(seed, first + static_cast<std::uint32_t>(i), all, planes + i, words);
  *static_cast<double*>(arguments.buffers[1]) = Format::kScaleUnit * result;
}

void SumOperand(const Arguments& arguments, const Worker& worker) {
  const std::uint32_t seed = arguments.scalars[1];
  const DU d;
  const std::size_t lanes = hn::Lanes(d);
  const auto range = Share(arguments.scalars[0], 16, worker.index, worker.count);
  const VU key = hn::Set(d, Mix32(seed));
  const VU step = hn::Set(d, static_cast<std::uint32_t>(lanes));
  VU index = hn::Iota(d, static_cast<std::uint32_t>(range.begin));
  VU sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  std::size_t i = range.begin;
  for (; i + 4 * lanes <= range.end; i += 4 * lanes) {
    const VU index1 = hn::Add(index, step), index2 = hn::Add(index1, step), index3 = hn::Add(index2, step);
    sum0 = hn::Add(sum0, Mix(hn::Xor(index, key)));
    sum1 = hn::Add(sum1, Mix(hn::Xor(index1, key)));
    sum2 = hn::Add(sum2, Mix(hn::Xor(index2, key)));
    sum3 = hn::Add(sum3, Mix(hn::Xor(index3, key)));
    index = hn::Add(index3, step);
  }
  const VU sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  std::uint32_t total = WordSum(d, sum);
  for (; i < range.end; ++i) total += OperandBits(seed, static_cast<std::uint32_t>(i));
  static_cast<std::uint32_t*>(arguments.buffers[0])[worker.index] = total;
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {
struct FillBitsTag;
struct FillFp32Tag;
struct FillBf16Tag;
struct FillFp16Tag;
struct FillInt8Tag;
struct FillQ4Tag;
struct FillQ8Tag;
struct SumOperandTag;
struct WeighTag;
struct WeighQ4Tag;
struct WeighQ8Tag;
template <>
inline constexpr EntryPoint kEntryAt<FillBitsTag, HWY_TARGET> = HWY_NAMESPACE::Fill<HWY_NAMESPACE::Bits>;
template <>
inline constexpr EntryPoint kEntryAt<FillFp32Tag, HWY_TARGET> = HWY_NAMESPACE::Fill<HWY_NAMESPACE::Fp32>;
template <>
inline constexpr EntryPoint kEntryAt<FillBf16Tag, HWY_TARGET> = HWY_NAMESPACE::Fill<HWY_NAMESPACE::Bf16>;
template <>
inline constexpr EntryPoint kEntryAt<FillInt8Tag, HWY_TARGET> = HWY_NAMESPACE::Fill<HWY_NAMESPACE::Int8>;
template <>
inline constexpr EntryPoint kEntryAt<FillQ4Tag, HWY_TARGET> =
    HWY_NAMESPACE::FillBlocks<4, OperandQ4ScaleWord>;
template <>
inline constexpr EntryPoint kEntryAt<FillQ8Tag, HWY_TARGET> =
    HWY_NAMESPACE::FillBlocks<8, OperandQ8ScaleWord>;
template <>
inline constexpr EntryPoint kEntryAt<FillFp16Tag, HWY_TARGET> = HWY_NAMESPACE::Fill<HWY_NAMESPACE::Fp16>;
template <>
inline constexpr EntryPoint kEntryAt<SumOperandTag, HWY_TARGET> = HWY_NAMESPACE::SumOperand;
template <>
inline constexpr EntryPoint kEntryAt<WeighTag, HWY_TARGET> = HWY_NAMESPACE::Weigh;
template <>
inline constexpr EntryPoint kEntryAt<WeighQ4Tag, HWY_TARGET> =
    HWY_NAMESPACE::WeighBlocks<HWY_NAMESPACE::Bits4>;
template <>
inline constexpr EntryPoint kEntryAt<WeighQ8Tag, HWY_TARGET> =
    HWY_NAMESPACE::WeighBlocks<HWY_NAMESPACE::Bits8>;
}  // namespace kernels::cpu

#if HWY_ONCE
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> OperandImplementations() {
  static constexpr auto kAll = Concatenate(
      Rows<FillBitsTag>("fill_u32"), Rows<FillFp32Tag>("fill_fp32"), Rows<FillBf16Tag>("fill_bf16"),
      Rows<FillInt8Tag>("fill_int8"), Rows<FillQ4Tag>("fill_q4"), Rows<FillQ8Tag>("fill_q8"),
      Rows<FillFp16Tag>("fill_fp16"), Rows<SumOperandTag>("sum_operand_u32"), Rows<WeighTag>("weigh_operand"),
      Rows<WeighQ4Tag>("weigh_q4"), Rows<WeighQ8Tag>("weigh_q8"));
  return kAll;
}

}  // namespace kernels::cpu
#endif
