// SPDX-License-Identifier: MIT
// y = W x: what decoding a token does. Bound by reading W once; rows are divided among the workers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemv.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "kernels/cpu/prefetch.h"
#include "kernels/cpu/share.h"
#include "kernels/cpu/targets.h"
#include "kernels/operand.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
// Of half a block at most: longer vectors would reach into the next.
using DHalf = hn::CappedTag<float, kQ4Block / 2>;
using VHalf = hn::Vec<DHalf>;
using DU = hn::RebindToUnsigned<DHalf>;
using VU = hn::Vec<DU>;

constexpr std::size_t kBlockBytes = kQ4Block / 2;

// Weights of a type as vectors of fp32.
struct Fp32 {
  using Element = float;
  static HWY_INLINE V Load(const Element* w) { return hn::LoadU(D(), w); }
};
struct Fp16 {
  using Element = hwy::float16_t;
  static HWY_INLINE V Load(const Element* w) {
    return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<Element, D>(), w));
  }
};
// The upper halves of fp32.
struct Bf16 {
  using Element = std::uint16_t;
  static HWY_INLINE V Load(const Element* w) {
    const hn::RebindToUnsigned<D> d;
    const auto words = hn::PromoteTo(d, hn::LoadU(hn::Rebind<Element, D>(), w));
    return hn::BitCast(D(), hn::ShiftLeft<16>(words));
  }
};

// The last numbers of a row, fewer than a vector has, with zeros after them.
template <class Type>
HWY_INLINE V DotRest(const typename Type::Element* w, const float* x, std::size_t count) {
  const D d;
  HWY_ALIGN typename Type::Element weights[hn::MaxLanes(d)];
  HWY_ALIGN float numbers[hn::MaxLanes(d)];
  std::memset(static_cast<void*>(weights), 0, sizeof(weights));
  std::memset(numbers, 0, sizeof(numbers));
  std::memcpy(static_cast<void*>(weights), w, count * sizeof(*w));
  std::memcpy(numbers, x, count * sizeof(*x));
  return hn::Mul(Type::Load(weights), hn::Load(d, numbers));
}

// Two vectors of a row.
template <class Type, bool kAhead>
HWY_INLINE void AddTwo(const typename Type::Element* w, const float* x, std::size_t p, V& s0, V& s1) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kLine = 64 / sizeof(*w);
  if (p % kLine == 0) PrefetchAhead<kAhead>(w + p, std::max(2 * lanes, kLine) * sizeof(*w));
  s0 = hn::MulAdd(Type::Load(w + p), hn::LoadU(d, x + p), s0);
  s1 = hn::MulAdd(Type::Load(w + p + lanes), hn::LoadU(d, x + p + lanes), s1);
}

// What is left of a row, and the sum of it all.
template <class Type>
HWY_INLINE float Total(const typename Type::Element* w, const float* x, std::size_t p, std::size_t k, V sum) {
  const std::size_t lanes = hn::Lanes(D());
  for (; p < k; p += lanes) sum = hn::Add(sum, DotRest<Type>(w + p, x + p, std::min(lanes, k - p)));
  return hn::GetLane(hn::SumOfLanes(D(), sum));
}

template <class Type, bool kAhead>
float Dot(const typename Type::Element* w, const float* x, std::size_t k) {
  const std::size_t step = 2 * hn::Lanes(D());
  V s0 = hn::Zero(D()), s1 = s0;
  std::size_t p = 0;
  for (; p + step <= k; p += step) AddTwo<Type, kAhead>(w, x, p, s0, s1);
  return Total<Type>(w, x, p, k, hn::Add(s0, s1));
}

// Rows that are `part` rows apart, as are their results: memory delivers several streams faster than one
// (gemv_q8-inl.h).
constexpr std::size_t kStreams = 4;
template <class Type, bool kAhead>
void DotRows(const typename Type::Element* w, const float* x, std::size_t k, std::size_t part, float* y) {
  const std::size_t step = 2 * hn::Lanes(D());
  const auto *w1 = w + part * k, *w2 = w1 + part * k, *w3 = w2 + part * k;
  V s0 = hn::Zero(D()), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  std::size_t p = 0;
  for (; p + step <= k; p += step) {
    AddTwo<Type, kAhead>(w, x, p, s0, t0);
    AddTwo<Type, kAhead>(w1, x, p, s1, t1);
    AddTwo<Type, kAhead>(w2, x, p, s2, t2);
    AddTwo<Type, kAhead>(w3, x, p, s3, t3);
  }
  y[0] = Total<Type>(w, x, p, k, hn::Add(s0, t0));
  y[part] = Total<Type>(w1, x, p, k, hn::Add(s1, t1));
  y[2 * part] = Total<Type>(w2, x, p, k, hn::Add(s2, t2));
  y[3 * part] = Total<Type>(w3, x, p, k, hn::Add(s3, t3));
}

template <class Type, bool kAhead>
void MultiplyRows(const Arguments& arguments, const Range& rows) {
  const auto* w = static_cast<const typename Type::Element*>(arguments.buffers[0]);
  const auto* x = static_cast<const float*>(arguments.buffers[1]);
  auto* y = static_cast<float*>(arguments.buffers[2]);
  const std::size_t k = arguments.scalars[1], part = (rows.end - rows.begin) / kStreams;
  for (std::size_t row = rows.begin; row < rows.begin + part; ++row)
    DotRows<Type, kAhead>(w + row * k, x, k, part, y + row);
  for (std::size_t row = rows.begin + kStreams * part; row < rows.end; ++row)
    y[row] = Dot<Type, kAhead>(w + row * k, x, k);
}

template <class Type>
void Gemv(const Arguments& arguments, const Worker& worker) {
  const Range rows = Share(arguments.scalars[0], 16, worker.index, worker.count);
  GainsFromPrefetch() ? MultiplyRows<Type, true>(arguments, rows)
                      : MultiplyRows<Type, false>(arguments, rows);
}

// fp16 numbers that are normal or 0: the mantissa moves to its place in fp32, the product mends the exponent.
HWY_INLINE VHalf LoadScales(const std::uint16_t* from) {
  const auto half = hn::PromoteTo(DU(), hn::LoadU(hn::Rebind<std::uint16_t, DU>(), from));
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(DU(), 0x8000U)));
  const auto magnitude = hn::BitCast(DHalf(), hn::ShiftLeft<13>(hn::And(half, hn::Set(DU(), 0x7fffU))));
  return hn::Or(hn::Mul(magnitude, hn::Set(DHalf(), 0x1p112F)), hn::BitCast(DHalf(), sign));
}

// Value of the lowest four bits of every lane, less 8.
HWY_INLINE VHalf Values(VU lanes) {
#if HWY_TARGET == HWY_AVX3
  // One permutation, which looks at those bits only.
  const VHalf table = hn::Sub(hn::Iota(DHalf(), 0), hn::Set(DHalf(), 8));
  return VHalf{_mm512_permutexvar_ps(lanes.raw, table.raw)};
#else
  const hn::RebindToSigned<DHalf> d;
  const auto low = hn::BitCast(d, hn::And(lanes, hn::Set(DU(), 15)));
  return hn::ConvertTo(DHalf(), hn::Sub(low, hn::Set(d, 8)));
#endif
}

// The dot product of one block, lane by lane, without its scale.
HWY_INLINE VHalf DotBlock(const std::uint8_t* weights, const float* x) {
  const DHalf d;
  VHalf sum = hn::Zero(d);
  for (std::size_t j = 0; j < kQ4Block / 2; j += hn::Lanes(d)) {
    const VU pair = hn::PromoteTo(DU(), hn::LoadU(hn::Rebind<std::uint8_t, DHalf>(), weights + j));
    sum = hn::MulAdd(Values(pair), hn::LoadU(d, x + j), sum);
    sum = hn::MulAdd(Values(hn::ShiftRight<4>(pair)), hn::LoadU(d, x + kQ4Block / 2 + j), sum);
  }
  return sum;
}

template <bool kAhead>
float DotQ4(const std::uint8_t* weights, const std::uint16_t* scales, const float* x, std::size_t blocks) {
  constexpr std::size_t kBatch = 64;  // blocks whose scales are converted together
  const DHalf d;
  HWY_ALIGN float scale[kBatch];
  std::uint16_t rest[kBatch] = {};
  VHalf s0 = hn::Zero(d), s1 = s0;
  for (std::size_t first = 0; first < blocks; first += kBatch) {
    const std::size_t count = std::min(kBatch, blocks - first);
    const std::uint16_t* from = scales + first;
    if (count < kBatch) from = std::copy_n(from, count, rest) - count;
    for (std::size_t i = 0; i < kBatch; i += hn::Lanes(d)) hn::Store(LoadScales(from + i), d, scale + i);
    const std::uint8_t* block = weights + first * kBlockBytes;
    const float* x_block = x + first * kQ4Block;
    for (std::size_t i = 0; i + 1 < count;
         i += 2, block += 2 * kBlockBytes, x_block += std::size_t{2} * kQ4Block) {
      PrefetchAhead<kAhead>(block, 2 * kBlockBytes);
      s0 = hn::MulAdd(hn::Set(d, scale[i]), DotBlock(block, x_block), s0);
      s1 = hn::MulAdd(hn::Set(d, scale[i + 1]), DotBlock(block + kBlockBytes, x_block + kQ4Block), s1);
    }
    if (count % 2 != 0) s0 = hn::MulAdd(hn::Set(d, scale[count - 1]), DotBlock(block, x_block), s0);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
}

void GemvQ4(const Arguments& arguments, const Worker& worker) {
  const auto* weights = static_cast<const std::uint8_t*>(arguments.buffers[0]);
  const auto* x = static_cast<const float*>(arguments.buffers[1]);
  auto* y = static_cast<float*>(arguments.buffers[2]);
  const std::size_t m = arguments.scalars[0], blocks = arguments.scalars[1] / kQ4Block;
  const auto* scales = reinterpret_cast<const std::uint16_t*>(weights + m * blocks * kBlockBytes);
  const Range rows = Share(m, 16, worker.index, worker.count);
  const auto dot = GainsFromPrefetch() ? DotQ4<true> : DotQ4<false>;
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    y[row] = dot(weights + row * blocks * kBlockBytes, scales + row * blocks, x, blocks);
  }
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {
struct GemvFp32Tag;
struct GemvFp16Tag;
struct GemvBf16Tag;
struct GemvQ4Tag;
template <>
inline constexpr EntryPoint kEntryAt<GemvFp32Tag, HWY_TARGET> = HWY_NAMESPACE::Gemv<HWY_NAMESPACE::Fp32>;
template <>
inline constexpr EntryPoint kEntryAt<GemvFp16Tag, HWY_TARGET> = HWY_NAMESPACE::Gemv<HWY_NAMESPACE::Fp16>;
template <>
inline constexpr EntryPoint kEntryAt<GemvBf16Tag, HWY_TARGET> = HWY_NAMESPACE::Gemv<HWY_NAMESPACE::Bf16>;
template <>
inline constexpr EntryPoint kEntryAt<GemvQ4Tag, HWY_TARGET> = HWY_NAMESPACE::GemvQ4;
}  // namespace kernels::cpu

#if HWY_ONCE
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> GemvImplementations() {
  static constexpr auto kAll = Concatenate(Rows<GemvFp32Tag>("gemv_fp32"), Rows<GemvFp16Tag>("gemv_fp16"),
                                           Rows<GemvBf16Tag>("gemv_bf16"), Rows<GemvQ4Tag>("gemv_q4"));
  return kAll;
}

}  // namespace kernels::cpu
#endif
