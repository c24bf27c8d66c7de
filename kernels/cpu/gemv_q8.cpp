// SPDX-License-Identifier: MIT
// y = W x with x in 8 bits, with what every processor of a Highway target has.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemv_q8.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>
#include <cmath>

#include "kernels/cpu/gemv_q8-inl.h"
#include "kernels/cpu/targets.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
// Pairs of products add up in 16 bits: four of 15 * 127, or two of 128 * 127.
struct PlainDot {
  static constexpr std::int32_t kExcess = 0;
  using Pairs = hn::Vec<hn::Repartition<std::int16_t, DBytes>>;

  static HWY_INLINE Pairs Products(Bytes w, Signed x) {
#if HWY_TARGET == HWY_AVX3
    return Pairs{_mm512_maddubs_epi16(w.raw, x.raw)};
#elif HWY_TARGET == HWY_AVX2
    return Pairs{_mm256_maddubs_epi16(w.raw, x.raw)};
#else
    return Pairs{_mm_maddubs_epi16(w.raw, x.raw)};
#endif
  }
  static HWY_INLINE Sums AddPairs(Pairs pairs) {
#if HWY_TARGET == HWY_AVX3
    return Sums{_mm512_madd_epi16(pairs.raw, _mm512_set1_epi16(1))};
#elif HWY_TARGET == HWY_AVX2
    return Sums{_mm256_madd_epi16(pairs.raw, _mm256_set1_epi16(1))};
#else
    return Sums{_mm_madd_epi16(pairs.raw, _mm_set1_epi16(1))};
#endif
  }

  static HWY_INLINE Sums Nibbles(Bytes low, Signed x_low, Bytes high, Signed x_high) {
    return AddPairs(hn::Add(Products(low, x_low), Products(high, x_high)));
  }
  // The first factor is unsigned: x takes the weights' signs.
  static HWY_INLINE Sums Int8(Bytes bytes, Signed x) {
    const Signed weights = hn::BitCast(DSigned(), bytes);
    const Signed with_sign = hn::IfThenElse(hn::Lt(weights, hn::Zero(DSigned())), hn::Neg(x), x);
    return AddPairs(Products(hn::BitCast(DBytes(), hn::Abs(weights)), with_sign));
  }
};
#elif HWY_TARGET == HWY_SVE
struct PlainDot {
  static constexpr std::int32_t kExcess = 0;
  static HWY_INLINE Sums Nibbles(Bytes low, Signed x_low, Bytes high, Signed x_high) {
    const Sums sum = svdot_s32(hn::Zero(DSum()), hn::BitCast(DSigned(), low), x_low);
    return svdot_s32(sum, hn::BitCast(DSigned(), high), x_high);
  }
  static HWY_INLINE Sums Int8(Bytes weights, Signed x) {
    return svdot_s32(hn::Zero(DSum()), hn::BitCast(DSigned(), weights), x);
  }
};
#elif HWY_TARGET == HWY_NEON
// A vector holds no more than one block, so that it does not matter which of its sums a product is added to.
struct PlainDot {
  static constexpr std::int32_t kExcess = 0;

  // In 16 bits: four products of 15 * 127, or two of 128 * 127.
  static HWY_INLINE int16x8_t Add(int16x8_t sum, Signed w, Signed x) {
    return vmlal_high_s8(vmlal_s8(sum, vget_low_s8(w.raw), vget_low_s8(x.raw)), w.raw, x.raw);
  }

  static HWY_INLINE Sums Nibbles(Bytes low, Signed x_low, Bytes high, Signed x_high) {
    const DSigned d;
    const int16x8_t pairs =
        Add(Add(vdupq_n_s16(0), hn::BitCast(d, low), x_low), hn::BitCast(d, high), x_high);
    return Sums(vpaddlq_s16(pairs));
  }
  static HWY_INLINE Sums Int8(Bytes weights, Signed x) {
    return Sums(vpaddlq_s16(Add(vdupq_n_s16(0), hn::BitCast(DSigned(), weights), x)));
  }
};
#elif HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// Without vectors.
struct PlainDot {};

// Rounds x as QuantiseBlock does for vectors.
float QuantisePlainly(const float* x, std::int8_t* numbers) {
  float largest = 0;
  for (std::size_t i = 0; i < kQ4Block; ++i) largest = std::max(largest, std::abs(x[i]));
  const float inverse = largest > 0 ? 127.0F / largest : 0.0F;
  for (std::size_t i = 0; i < kQ4Block; ++i)
    numbers[i] = static_cast<std::int8_t>(std::lrint(x[i] * inverse));
  return largest / 127.0F;
}

template <class>
struct Q4 {
  static constexpr std::size_t kBlockBytes = kQ4Block / 2;
  static std::int32_t Dot(const std::uint8_t* weights, const std::int8_t* x) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i)
      sum += (weights[i] % 16 - 8) * x[i] + (weights[i] / 16 - 8) * x[kBlockBytes + i];
    return sum;
  }
};

template <class>
struct Q8 {
  static constexpr std::size_t kBlockBytes = kQ4Block;
  static std::int32_t Dot(const std::uint8_t* weights, const std::int8_t* x) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i) sum += static_cast<std::int8_t>(weights[i]) * x[i];
    return sum;
  }
};

// fp16 numbers that are normal or 0.
float ScaleOf(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffU, sign = half & 0x8000U;
  return std::bit_cast<float>(
      sign << 16U | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13U) * 0x1p112F));
}

template <class Format>
void GemvQ8(const Arguments& arguments, const Worker& worker) {
  const auto* weights = static_cast<const std::uint8_t*>(arguments.buffers[0]);
  const auto* in = static_cast<const float*>(arguments.buffers[1]);
  auto* y = static_cast<float*>(arguments.buffers[2]);
  const std::size_t m = arguments.scalars[0], k = arguments.scalars[1], blocks = k / kQ4Block;
  const auto* scales = reinterpret_cast<const std::uint16_t*>(weights + m * blocks * Format::kBlockBytes);
  const Activations x = ActivationsAt(arguments.buffers[3], k, worker.index);
  for (std::size_t i = 0; i < blocks; ++i)
    x.scales[i] = QuantisePlainly(in + i * kQ4Block, x.numbers + i * kQ4Block);
  const Range rows = Share(m, 16, worker.index, worker.count);
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    y[row] = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t block = row * blocks + i;
      const std::int32_t sum = Format::Dot(weights + block * Format::kBlockBytes, x.numbers + i * kQ4Block);
      y[row] += ScaleOf(scales[block]) * x.scales[i] * static_cast<float>(sum);
    }
  }
}
#endif

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {
struct GemvQ4Q8Tag;
template <>
inline constexpr EntryPoint kEntryAt<GemvQ4Q8Tag, HWY_TARGET> =
    HWY_NAMESPACE::GemvQ8<HWY_NAMESPACE::Q4<HWY_NAMESPACE::PlainDot>>;
struct GemvQ8Q8Tag;
template <>
inline constexpr EntryPoint kEntryAt<GemvQ8Q8Tag, HWY_TARGET> =
    HWY_NAMESPACE::GemvQ8<HWY_NAMESPACE::Q8<HWY_NAMESPACE::PlainDot>>;
}  // namespace kernels::cpu

#if HWY_ONCE
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> GemvQ8Implementations() {
  static constexpr auto kAll = Concatenate(Rows<GemvQ4Q8Tag>("gemv_q4_q8"), Rows<GemvQ8Q8Tag>("gemv_q8_q8"));
  return kAll;
}

}  // namespace kernels::cpu
#endif
