// SPDX-License-Identifier: MIT
// Memory bandwidth: what one pass over buffers larger than every cache takes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/stream.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#include "kernels/cpu/share.h"
#include "kernels/cpu/targets.h"
#include "kernels/cpu/word_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernels::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<std::uint32_t>;
using V = hn::Vec<D>;

// Prefetched ahead of the loads. The hardware's prefetchers stop at page borders.
constexpr std::size_t kAheadBytes = 4096;

// Shares begin at multiples of the widest vector, so that stores past the caches are aligned.
constexpr std::size_t kGrain = 1024;

// The sum of words [begin, end).
std::uint32_t Sum(const std::uint32_t* in, std::size_t begin, std::size_t end) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t i = begin;
  for (; i + 4 * lanes <= end; i += 4 * lanes) {
    const std::uint32_t* at = in + i;
    for (std::size_t j = 0; j < 4 * lanes; j += 16) hwy::Prefetch(at + kAheadBytes / sizeof(*in) + j);
    s0 = hn::Add(s0, hn::LoadU(d, at));
    s1 = hn::Add(s1, hn::LoadU(d, at + lanes));
    s2 = hn::Add(s2, hn::LoadU(d, at + 2 * lanes));
    s3 = hn::Add(s3, hn::LoadU(d, at + 3 * lanes));
  }
  std::uint32_t sum = WordSum(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
  for (; i < end; ++i) sum += in[i];
  return sum;
}

void Read(const Arguments& arguments, const Worker& worker) {
  const Range range = Share(arguments.scalars[0], kGrain, worker.index, worker.count);
  static_cast<std::uint32_t*>(arguments.buffers[1])[worker.index] =
      Sum(static_cast<const std::uint32_t*>(arguments.buffers[0]), range.begin, range.end);
}

void Copy(const Arguments& arguments, const Worker& worker) {
  const auto* in = static_cast<const std::uint32_t*>(arguments.buffers[0]);
  auto* out = static_cast<std::uint32_t*>(arguments.buffers[1]);
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const Range range = Share(arguments.scalars[0], kGrain, worker.index, worker.count);
  std::size_t i = range.begin;
  for (; i + 4 * lanes <= range.end; i += 4 * lanes) {
    for (std::size_t j = 0; j < 4 * lanes; j += 16) hwy::Prefetch(in + i + kAheadBytes / sizeof(*in) + j);
    for (std::size_t j = 0; j < 4 * lanes; j += lanes) hn::Stream(hn::LoadU(d, in + i + j), d, out + i + j);
  }
  hwy::FlushStream();
  for (; i < range.end; ++i) out[i] = in[i];
}

// out = a + factor * b.
void Triad(const Arguments& arguments, const Worker& worker) {
  const auto* a = static_cast<const float*>(arguments.buffers[0]);
  const auto* b = static_cast<const float*>(arguments.buffers[1]);
  auto* out = static_cast<float*>(arguments.buffers[2]);
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const float factor = std::bit_cast<float>(arguments.scalars[1]);
  const auto factors = hn::Set(d, factor);
  const Range range = Share(arguments.scalars[0], kGrain, worker.index, worker.count);
  std::size_t i = range.begin;
  for (; i + 4 * lanes <= range.end; i += 4 * lanes) {
    for (std::size_t j = 0; j < 4 * lanes; j += 16) {
      hwy::Prefetch(a + i + kAheadBytes / sizeof(*a) + j);
      hwy::Prefetch(b + i + kAheadBytes / sizeof(*b) + j);
    }
    for (std::size_t j = 0; j < 4 * lanes; j += lanes) {
      hn::Stream(hn::MulAdd(factors, hn::LoadU(d, b + i + j), hn::LoadU(d, a + i + j)), d, out + i + j);
    }
  }
  hwy::FlushStream();
  for (; i < range.end; ++i) out[i] = a[i] + factor * b[i];
}

}  // namespace
}  // namespace kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace kernels::cpu {
struct ReadTag;
struct CopyTag;
struct TriadTag;
template <>
inline constexpr EntryPoint kEntryAt<ReadTag, HWY_TARGET> = HWY_NAMESPACE::Read;
template <>
inline constexpr EntryPoint kEntryAt<CopyTag, HWY_TARGET> = HWY_NAMESPACE::Copy;
template <>
inline constexpr EntryPoint kEntryAt<TriadTag, HWY_TARGET> = HWY_NAMESPACE::Triad;
}  // namespace kernels::cpu

#if HWY_ONCE
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> StreamImplementations() {
  static constexpr auto kAll =
      Concatenate(Rows<ReadTag>("read_u32"), Rows<CopyTag>("copy_u32"), Rows<TriadTag>("triad_fp32"));
  return kAll;
}

}  // namespace kernels::cpu
#endif
