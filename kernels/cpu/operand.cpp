// SPDX-License-Identifier: MIT
// Operand generation, and the sum of generated operands that a read of them must find.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/operand.cpp"
#include "kernels/operand.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/share.h"
#include "kernels/cpu/targets.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using DU = hn::ScalableTag<std::uint32_t>;
using DI = hn::ScalableTag<std::int32_t>;
using DF = hn::ScalableTag<float>;
using VU = hn::Vec<DU>;

HWY_INLINE VU Mix(VU x) {
  const DU d;
  x = hn::Xor(x, hn::ShiftRight<16>(x));
  x = hn::Mul(x, hn::Set(d, 0x7feb352dU));
  x = hn::Xor(x, hn::ShiftRight<15>(x));
  x = hn::Mul(x, hn::Set(d, 0x846ca68bU));
  return hn::Xor(x, hn::ShiftRight<16>(x));
}

HWY_INLINE void StoreBits(VU bits, std::uint32_t* out) { hn::StoreU(bits, DU(), out); }

HWY_INLINE void StoreBits(VU bits, float* out) {
  const auto integer = hn::ShiftRight<8>(hn::BitCast(DI(), bits));
  hn::StoreU(hn::Mul(hn::ConvertTo(DF(), integer), hn::Set(DF(), 0x1p-23F)), DF(), out);
}

HWY_INLINE void StoreOne(std::uint32_t seed, std::uint32_t i, std::uint32_t* out) {
  *out = OperandBits(seed, i);
}
HWY_INLINE void StoreOne(std::uint32_t seed, std::uint32_t i, float* out) { *out = OperandFp32(seed, i); }

template <typename T>
void Fill(const Arguments& arguments, const Worker& worker) {
  T* out = static_cast<T*>(arguments.buffers[0]);
  const std::uint32_t seed = arguments.scalars[1];
  const DU d;
  const std::size_t lanes = hn::Lanes(d);
  const auto range = Share(arguments.scalars[0], 16, worker.index, worker.count);
  const VU key = hn::Set(d, Mix32(seed));
  std::size_t i = range.begin;
  for (; i + lanes <= range.end; i += lanes) {
    StoreBits(Mix(hn::Xor(hn::Iota(d, static_cast<std::uint32_t>(i)), key)), out + i);
  }
  for (; i < range.end; ++i) StoreOne(seed, static_cast<std::uint32_t>(i), out + i);
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
  std::uint32_t total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < range.end; ++i) total += OperandBits(seed, static_cast<std::uint32_t>(i));
  static_cast<std::uint32_t*>(arguments.buffers[0])[worker.index] = total;
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {
struct FillBitsTag;
struct FillFp32Tag;
struct SumOperandTag;
template <>
inline constexpr EntryPoint kEntryAt<FillBitsTag, HWY_TARGET> = HWY_NAMESPACE::Fill<std::uint32_t>;
template <>
inline constexpr EntryPoint kEntryAt<FillFp32Tag, HWY_TARGET> = HWY_NAMESPACE::Fill<float>;
template <>
inline constexpr EntryPoint kEntryAt<SumOperandTag, HWY_TARGET> = HWY_NAMESPACE::SumOperand;
}  // namespace kernels::cpu

#if HWY_ONCE
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> OperandImplementations() {
  static constexpr auto kAll = Concatenate(Rows<FillBitsTag>("fill_u32"), Rows<FillFp32Tag>("fill_fp32"),
                                           Rows<SumOperandTag>("sum_operand_u32"));
  return kAll;
}

}  // namespace kernels::cpu
#endif
