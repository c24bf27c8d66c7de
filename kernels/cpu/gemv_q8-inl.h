// SPDX-License-Identifier: MIT
// y = W x with x rounded to 8 bits, as engines for processors compute it: blocks of integers are multiplied
// and added as integers, and only their sums are scaled. Compiled once for each set of instructions by the
// files that include it; these say with what instructions (Dot).
#if defined(WHICHGPU_GEMV_Q8_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHICHGPU_GEMV_Q8_INL
#undef WHICHGPU_GEMV_Q8_INL
#else
#define WHICHGPU_GEMV_Q8_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/gemv_q8.h"
#include "kernels/cpu/prefetch.h"
#include "kernels/cpu/share.h"
#include "kernels/operand.h"

// Not for targets without vectors, which have a plain loop (gemv_q8.cpp).
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// Of four blocks at most. A vector of bytes has as many 32-bit sums as kQ8BlockGroup has blocks, or a whole
// part of it.
using DBytes = hn::CappedTag<std::uint8_t, 64>;
using DSigned = hn::RebindToSigned<DBytes>;
using DSum = hn::Repartition<std::int32_t, DBytes>;
using DScale = hn::Repartition<float, DBytes>;
using Bytes = hn::Vec<DBytes>;
using Signed = hn::Vec<DSigned>;
using Sums = hn::Vec<DSum>;
using Scales = hn::Vec<DScale>;

// One block: the largest magnitude becomes 127. The same operations of IEEE 754 on every processor, so that
// the host finds the same numbers (backends/core/stream_reference.cpp). Returns what they add up to.
HWY_INLINE std::int32_t QuantiseBlock(const float* x, std::int8_t* numbers, float* scale) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::int8_t, decltype(d)> di8;
  const std::size_t lanes = hn::Lanes(d);
  auto most = hn::Zero(d);
  for (std::size_t i = 0; i < kQ4Block; i += lanes) most = hn::Max(most, hn::Abs(hn::LoadU(d, x + i)));
  const float largest = hn::GetLane(hn::MaxOfLanes(d, most));
  const auto inverse = hn::Set(d, largest > 0 ? 127.0F / largest : 0.0F);
  auto sum = hn::Zero(di);
  for (std::size_t i = 0; i < kQ4Block; i += lanes) {
    const auto rounded = hn::NearestInt(hn::Mul(hn::LoadU(d, x + i), inverse));
    sum = hn::Add(sum, rounded);
    hn::StoreU(hn::DemoteTo(di8, rounded), di8, numbers + i);
  }
  *scale = largest / 127.0F;
  return hn::GetLane(hn::SumOfLanes(di, sum));
}

// For the weights' order in memory and what is too much in their bytes: Format.
template <class Format>
void Quantise(const float* x, std::size_t k, const Activations& to) {
  const std::size_t blocks = k / kQ4Block, padded = PaddedBlocks(k);
  // Before the others are placed among them.
  std::memset(to.numbers + (padded - kQ8BlockGroup) * kQ4Block, 0, kQ8BlockGroup * kQ4Block);
  HWY_ALIGN std::int8_t numbers[kQ4Block];
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::int32_t sum = QuantiseBlock(x + block * kQ4Block, numbers, to.scales + block);
    to.offsets[block] = static_cast<float>(-Format::kExcess * sum);
    Format::Place(numbers, block, to.numbers);
  }
  std::fill(to.scales + blocks, to.scales + padded, 0.0F);
  std::fill(to.offsets + blocks, to.offsets + padded, 0.0F);
}

// One of the scales, or consecutive ones for 2^kLog2 sums each.
template <int kLog2>
HWY_INLINE Scales Spread(Scales scales, std::size_t first) {
  const DScale d;
  if constexpr (hn::MaxLanes(DBytes()) == 16) {
    return hn::Set(d, hn::ExtractLane(scales, first));
  } else {
    const DSum di;
    const Sums lanes = hn::ShiftRight<kLog2>(hn::Iota(di, 0));
    const Sums indices = hn::Add(lanes, hn::Set(di, static_cast<std::int32_t>(first)));
    return hn::TableLookupLanes(scales, hn::IndicesFromVec(d, indices));
  }
}

// 4-bit weights (kernels/operand.h). A vector of their bytes holds whole blocks, the first halves of which
// are the low bits: the vector's numbers lie in two vectors, for low bits and for high ones.
template <class Dot>
struct Q4 {
  static constexpr std::size_t kBlockBytes = kQ4Block / 2;
  static constexpr std::int32_t kExcess = 8;

  static HWY_INLINE void Place(const std::int8_t* numbers, std::size_t block, std::int8_t* to) {
    const std::size_t bytes = hn::Lanes(DBytes()), blocks = bytes / kBlockBytes;
    std::int8_t* at = to + block / blocks * blocks * kQ4Block + block % blocks * kBlockBytes;
    std::memcpy(at, numbers, kBlockBytes);
    std::memcpy(at + bytes, numbers + kBlockBytes, kBlockBytes);
  }

  static HWY_INLINE Scales Add(const std::uint8_t* weights, const std::int8_t* x, Scales scales, Scales sum) {
    const std::size_t bytes = hn::Lanes(DBytes()), blocks = bytes / kBlockBytes;
    const DSigned d8;
    for (std::size_t i = 0; i < hn::Lanes(DScale()) / blocks; ++i) {
      const Bytes both = hn::LoadU(DBytes(), weights + i * bytes);
      const Bytes low = hn::And(both, hn::Set(DBytes(), 15)), high = hn::ShiftRight<4>(both);
      const std::int8_t* at = x + 2 * i * bytes;
      const Sums sums = Dot::Nibbles(low, hn::LoadU(d8, at), high, hn::LoadU(d8, at + bytes));
      sum = hn::MulAdd(Spread<2>(scales, i * blocks), hn::ConvertTo(DScale(), sums), sum);
    }
    return sum;
  }
};

// 8-bit weights. A vector of them holds whole blocks, or half of one.
template <class Dot>
struct Q8 {
  static constexpr std::size_t kBlockBytes = kQ4Block;
  static constexpr std::int32_t kExcess = Dot::kExcess;

  static HWY_INLINE void Place(const std::int8_t* numbers, std::size_t block, std::int8_t* to) {
    std::memcpy(to + block * kQ4Block, numbers, kQ4Block);
  }

  static HWY_INLINE Scales Add(const std::uint8_t* weights, const std::int8_t* x, Scales scales, Scales sum) {
    const std::size_t bytes = hn::Lanes(DBytes());
    const DSigned d8;
    const auto sums = [&](std::size_t at) HWY_ATTR {
      return Dot::Int8(hn::LoadU(DBytes(), weights + at), hn::LoadU(d8, x + at));
    };
    const std::size_t blocks = std::max<std::size_t>(bytes / kQ4Block, 1);
    for (std::size_t i = 0; i < hn::Lanes(DScale()); i += blocks) {
      const std::size_t at = i * kQ4Block;
      const Sums all = bytes < kQ4Block ? hn::Add(sums(at), sums(at + bytes)) : sums(at);
      sum = hn::MulAdd(Spread<3>(scales, i), hn::ConvertTo(DScale(), all), sum);
    }
    return sum;
  }
};

// Numbers of fp16 as fp32.
HWY_INLINE Scales LoadScales(const std::uint16_t* from) {
  const hn::Rebind<hwy::float16_t, DScale> d16;
  return hn::PromoteTo(DScale(), hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(from)));
}

struct Row {
  const std::uint8_t* weights;
  const std::uint16_t* scales;
};

// Adds as many blocks as a vector has sums.
template <class Format>
HWY_INLINE Scales AddBlocks(const Row& row, const Activations& x, std::size_t block, Scales sum) {
  const DScale d;
  const Scales scales = hn::Mul(LoadScales(row.scales), hn::LoadU(d, x.scales + block));
  sum = hn::MulAdd(scales, hn::LoadU(d, x.offsets + block), sum);
  return Format::Add(row.weights, x.numbers + block * kQ4Block, scales, sum);
}

// The same of a row that is gone through from its begin to its end.
template <class Format, bool kAhead>
HWY_INLINE Scales Advance(Row& row, const Activations& x, std::size_t block, Scales sum) {
  constexpr std::size_t kLine = 64 / sizeof(std::uint16_t);  // scales
  const std::size_t step = hn::Lanes(DScale());
  PrefetchAhead<kAhead>(row.weights, step * Format::kBlockBytes);
  if (block % kLine == 0) PrefetchAhead<kAhead>(row.scales, 64);
  sum = AddBlocks<Format>(row, x, block, sum);
  row.weights += step * Format::kBlockBytes;
  row.scales += step;
  return sum;
}

// The last blocks of a row, where they do not fill vectors, with zeros after them: what follows a row need
// not be numbers.
template <class Format>
HWY_INLINE Scales AddRest(const Row& row, const Activations& x, std::size_t block, std::size_t count,
                          Scales sum) {
  if (count == 0) return sum;
  std::uint8_t weights[kQ8BlockGroup * Format::kBlockBytes] = {};
  std::uint16_t scales[kQ8BlockGroup] = {};
  std::memcpy(weights, row.weights, count * Format::kBlockBytes);
  std::memcpy(scales, row.scales, count * sizeof(*scales));
  return AddBlocks<Format>({weights, scales}, x, block, sum);
}

HWY_INLINE float Total(Scales sum) { return hn::GetLane(hn::SumOfLanes(DScale(), sum)); }

template <class Format, bool kAhead>
void DotRow(Row row, const Activations& x, std::size_t blocks, float* y) {
  const std::size_t step = hn::Lanes(DScale());
  Scales sum = hn::Zero(DScale());
  std::size_t block = 0;
  for (; block + step <= blocks; block += step) sum = Advance<Format, kAhead>(row, x, block, sum);
  *y = Total(AddRest<Format>(row, x, block, blocks - block, sum));
}

// Rows that are `part` rows apart, as are their results: memory delivers several streams faster than one
// (Sapphire Rapids: four 1.15 times as fast as one, eight slower again), and they share what is loaded of x.
inline constexpr std::size_t kStreams = 4;
template <class Format, bool kAhead>
void DotRows(Row row, const Activations& x, std::size_t blocks, std::size_t part, float* y) {
  const std::size_t step = hn::Lanes(DScale());
  const auto after = [&](std::size_t i) {
    return Row{row.weights + i * part * blocks * Format::kBlockBytes, row.scales + i * part * blocks};
  };
  Row row1 = after(1), row2 = after(2), row3 = after(3);
  Scales sum = hn::Zero(DScale()), sum1 = sum, sum2 = sum, sum3 = sum;
  std::size_t block = 0;
  for (; block + step <= blocks; block += step) {
    sum = Advance<Format, kAhead>(row, x, block, sum);
    sum1 = Advance<Format, kAhead>(row1, x, block, sum1);
    sum2 = Advance<Format, kAhead>(row2, x, block, sum2);
    sum3 = Advance<Format, kAhead>(row3, x, block, sum3);
  }
  const std::size_t rest = blocks - block;
  y[0] = Total(AddRest<Format>(row, x, block, rest, sum));
  y[part] = Total(AddRest<Format>(row1, x, block, rest, sum1));
  y[2 * part] = Total(AddRest<Format>(row2, x, block, rest, sum2));
  y[3 * part] = Total(AddRest<Format>(row3, x, block, rest, sum3));
}

// The worker's rows, in kStreams equal parts side by side and then what is left over.
template <class Format, bool kAhead>
void MultiplyRows(const Arguments& arguments, const Activations& x, Range rows) {
  const auto* weights = static_cast<const std::uint8_t*>(arguments.buffers[0]);
  auto* y = static_cast<float*>(arguments.buffers[2]);
  const std::size_t m = arguments.scalars[0], blocks = arguments.scalars[1] / kQ4Block;
  const std::size_t row_bytes = blocks * Format::kBlockBytes;
  const auto* scales = reinterpret_cast<const std::uint16_t*>(weights + m * row_bytes);
  const auto at = [&](std::size_t row) { return Row{weights + row * row_bytes, scales + row * blocks}; };
  const std::size_t part = (rows.end - rows.begin) / kStreams;
  for (std::size_t row = rows.begin; row < rows.begin + part; ++row)
    DotRows<Format, kAhead>(at(row), x, blocks, part, y + row);
  for (std::size_t row = rows.begin + kStreams * part; row < rows.end; ++row)
    DotRow<Format, kAhead>(at(row), x, blocks, y + row);
}

// With no rows there is nothing to round x for.
template <class Format>
void GemvQ8(const Arguments& arguments, const Worker& worker) {
  const Range rows = Share(arguments.scalars[0], 16, worker.index, worker.count);
  if (rows.begin == rows.end) return;
  const std::size_t k = arguments.scalars[1];
  const Activations x = ActivationsAt(arguments.buffers[3], k, worker.index);
  Quantise<Format>(static_cast<const float*>(arguments.buffers[1]), k, x);
  GainsFromPrefetch() ? MultiplyRows<Format, true>(arguments, x, rows)
                      : MultiplyRows<Format, false>(arguments, x, rows);
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
