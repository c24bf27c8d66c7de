// SPDX-License-Identifier: MIT
#include "backends/core/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "backends/core/measurement.h"
#include "backends/core/operands.h"
#include "probe/core/text.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using kernels::Problem;
using kernels::Variant;

constexpr std::uint32_t kTinyEdge = 32;
constexpr std::uint32_t kTinyColumns = 512;
constexpr std::uint32_t kTinyCount = 16384;
constexpr std::uint32_t kSquareStep = 256;
// A virtual machine shows the whole cache of a processor of which it has a few cores. The most that a core of
// any processor on sale has to itself is 32 MiB (EPYC 9175F: 512 MiB for 16 cores).
constexpr std::uint64_t kMaxCachePerThread = 32 * kMiB;
// For runtimes that can not tell; caches of discrete GPUs go up to 256 MiB.
constexpr std::uint64_t kUnknownCacheBytes = 64 * kMiB;
constexpr std::uint64_t kDiscreteStreamBytes = 1024 * kMiB;
// Of the arrays of a kernel whose result is fetched and checked element by element, as buses of a few GB/s
// allow.
constexpr std::uint64_t kMostFetchedBytes = 3 * kDiscreteStreamBytes;
constexpr double kMaxCopies = 256;
// Arrays that exceed the cache so many times are read from memory but for a small part.
constexpr std::uint64_t kLeastCaches = 2;
constexpr std::uint32_t kGemvColumns = 14336;
// A layer's product that is done sooner is launched for several layers at once, until it lasts that long.
constexpr double kShortProductSeconds = 25e-6;
constexpr double kLongProductSeconds = 100e-6;
constexpr std::uint32_t kChainRounds = 16;
constexpr std::uint32_t kChainStep = 64;
constexpr double kMaxChainProducts = 0x1p23;  // ones add up exactly in fp32 below 2^24
// Counts are multiples of this, so that the fill kernels' tiles fit as well.
constexpr std::uint32_t kCountStep = 4096;

std::uint32_t RoundDown(std::uint32_t value, std::uint32_t multiple) {
  return std::max(value / multiple * multiple, multiple);
}

std::uint64_t FreeBytes(const PlanFacts& facts) {
  return std::min(facts.limits.memory_free_bytes.value_or(UINT64_MAX),
                  facts.device.memory_free_bytes.value_or(UINT64_MAX));
}

// What this process may use of the host's memory, where that is limited.
std::optional<std::uint64_t> LimitBytes(const PlanFacts& facts) {
  return OnHost(facts.device) && facts.processor ? facts.processor->memory_limit_bytes : std::nullopt;
}

std::uint64_t CacheBytes(const PlanFacts& facts) {
  std::optional<std::uint64_t> cache = facts.limits.cache_bytes;
  if (OnHost(facts.device) && facts.processor) cache = UsableCacheBytes(*facts.processor);
  return cache.value_or(kUnknownCacheBytes);
}

// What the arrays of a kernel must hold together for its rate to be the memory's. 0 where the device has
// hardly more memory than caches: then what they hold is what it has. A process that may not use its memory
// learns nothing of it.
std::uint64_t LeastStreamBytes(const PlanFacts& facts) {
  std::uint64_t cache = CacheBytes(facts);
  // Some runtimes tell of a discrete GPU the first of its caches, not the last.
  if (facts.device.kind == probe::DeviceKind::kDiscrete) cache = std::max(cache, kUnknownCacheBytes);
  const std::uint64_t total = facts.device.memory_total_bytes.value_or(UINT64_MAX);
  return total <= 2 * kLeastCaches * cache ? 0 : kLeastCaches * cache;
}

// Whether a pass that exceeds the caches is done in the time that it may take at most.
bool LeastInTime(double rate, const PlanFacts& facts) {
  return static_cast<double>(LeastStreamBytes(facts)) <= rate * facts.most_pass_s;
}

// What one pass may move.
double PassBytes(double rate, const PlanFacts& facts) {
  const double least = LeastInTime(rate, facts) ? static_cast<double>(LeastStreamBytes(facts)) : 0;
  return std::max(rate * facts.max_pass_s, least);
}

// StreamBytes, or what a launch moves that lasts long enough where that is more: a GiB, two, four ..., so
// that most runs on one device take the same, and a quarter of the free memory at most.
std::uint64_t LongBytes(double rate, const PlanFacts& facts) {
  constexpr double kRounding = 0.9;
  constexpr double kMostSteps = 64;
  if (OnHost(facts.device)) return StreamBytes(facts);
  const double steps =
      std::ceil(kRounding * rate * facts.launch_s / static_cast<double>(kDiscreteStreamBytes));
  if (steps <= 1) return StreamBytes(facts);
  std::uint64_t bytes = std::bit_ceil(static_cast<std::uint64_t>(std::min(steps, kMostSteps)));
  bytes *= kDiscreteStreamBytes;
  while (bytes > FreeBytes(facts) / 4) bytes /= 2;
  return std::max(bytes, StreamBytes(facts));
}

// Of operands that move `bytes` each, as many as make StreamBytes and a pass may take.
double CopiesInPass(double bytes, double rate, const PlanFacts& facts) {
  const double least =
      LeastInTime(rate, facts) ? std::ceil(static_cast<double>(LeastStreamBytes(facts)) / bytes) : 0;
  const double most = std::max(std::floor(rate * facts.max_pass_s / bytes), least);
  return std::min(std::ceil(static_cast<double>(StreamBytes(facts)) / bytes), most);
}

// Multiples that suit every variant.
struct Multiples {
  std::uint32_t m = 1;
  std::uint32_t n = 1;
  std::uint32_t k = 1;
  std::uint32_t count = 1;
};
Multiples Common(std::span<const Variant* const> variants) {
  Multiples common;
  for (const Variant* variant : variants) {
    common.m = std::lcm(common.m, variant->multiple_m);
    common.n = std::lcm(common.n, variant->multiple_n);
    common.k = std::lcm(common.k, variant->multiple_k);
    common.count = std::lcm(common.count, variant->multiple_count);
  }
  return common;
}

bool FitsAll(std::span<const Variant* const> variants, const Shape& shape, const Limits& limits) {
  return std::all_of(variants.begin(), variants.end(),
                     [&](const Variant* variant) { return Misfit(*variant, shape, limits).empty(); });
}

Shape SquareShape(std::span<const Variant* const> variants, double rate, const PlanFacts& facts) {
  const Multiples multiples = Common(variants);
  const auto square = [&](std::uint32_t n) {
    return Shape{{RoundDown(n, multiples.m), RoundDown(n, multiples.n), RoundDown(n, multiples.k), 0, 0},
                 1,
                 "",
                 false};
  };
  const auto good = [&](const Shape& shape) {
    return Work(*variants.front(), shape) <= rate * kMaxLaunchSeconds &&
           FitsAll(variants, shape, facts.limits);
  };
  std::uint32_t n = SquareGemmSize(rate, facts.target_s);
  while (n > kTinyEdge && !good(square(n))) n = n > kSquareStep ? n - kSquareStep : n / 2;
  return square(n);
}

// M = 512 rows of a prompt against a 4096 x 4096 weight, with fewer rows where that takes too long.
Shape PrefillShape(std::span<const Variant* const> variants, double rate, const PlanFacts& facts) {
  // Steps so wide that most runs on one device take the same: rates depend on the rows.
  constexpr std::array<std::uint32_t, 8> kRows = {512, 384, 256, 192, 128, 96, 64, 32};
  constexpr std::uint32_t kEdge = 4096;
  const Multiples multiples = Common(variants);
  const std::uint32_t n = RoundDown(kEdge, multiples.n);
  const std::uint32_t k = RoundDown(kEdge, multiples.k);
  Shape shape;
  for (const std::uint32_t rows : kRows) {
    shape.problem = {.m = RoundDown(rows, multiples.m), .n = n, .k = k};
    if (Work(*variants.front(), shape) <= rate * facts.prompt_s) break;
  }
  shape.too_long = Work(*variants.front(), shape) > rate * facts.max_prompt_s;
  return shape;
}

// Of one buffer that every variant can bind, at most.
std::uint64_t MaxBytes(std::span<const Variant* const> variants, const Limits& limits) {
  std::uint64_t bytes = limits.max_buffer_bytes;
  if (std::any_of(variants.begin(), variants.end(),
                  [](const Variant* variant) { return BindsTexels(*variant); }))
    bytes = std::min(bytes, limits.max_texel_elements * kTexelBytes);
  return bytes > kPaddingBytes ? bytes - kPaddingBytes : 0;
}
std::uint64_t MaxCount(std::span<const Variant* const> variants, const Limits& limits) {
  return std::min<std::uint64_t>(MaxBytes(variants, limits) * 8 / kernels::Row(variants.front()->in).bits,
                                 UINT32_MAX);
}

// Says so where the arrays are less than they should be.
Shape Noted(Shape shape, std::span<const Variant* const> variants, const PlanFacts& facts) {
  const double planned = Work(*variants.front(), shape);
  if (LeastStreamBytes(facts) == 0 && planned < static_cast<double>(kLeastCaches * CacheBytes(facts))) {
    shape.note = "the caches hold a good part of it: the device has hardly more memory than they";
    return shape;
  }
  if (planned >= 0.99 * static_cast<double>(StreamBytes(facts))) return shape;
  shape.note = "arrays of " + std::to_string(static_cast<std::uint64_t>(planned) / kMiB) + " MiB, " +
               std::to_string(StreamBytes(facts) / kMiB) +
               " MiB exceed what one pass or its buffers can hold";
  return shape;
}

// Bytes of each of the arrays that the memory kernels of a device share: a third of LongBytes, as far as
// results of them can be fetched, as whole rows of gemv's weight in fp32. Nullopt where that is too little to
// be worth it, or more than a buffer holds.
std::optional<std::uint64_t> SharedBytes(std::span<const Variant* const> variants, double rate,
                                         const PlanFacts& facts) {
  constexpr std::uint64_t kLeastBytes = 64 * kMiB;
  constexpr std::uint64_t kStepBytes = std::uint64_t{64} * kGemvColumns * sizeof(float);
  const std::uint64_t bytes =
      std::max(StreamBytes(facts), std::min(LongBytes(rate, facts), kMostFetchedBytes));
  const std::uint64_t most = MaxBytes(variants, facts.limits) / kStepBytes * kStepBytes;
  if (bytes < kLeastBytes || most == 0) return std::nullopt;
  const std::uint64_t arrays = facts.device.kind == probe::DeviceKind::kCpu ? 6 : 3;
  return std::min(RoundUp(bytes / arrays, kStepBytes), most);
}

// The same in elements, for kernels that take as many.
std::optional<std::uint32_t> SharedCount(std::span<const Variant* const> variants, double rate,
                                         const PlanFacts& facts) {
  const auto bytes = SharedBytes(variants, rate, facts);
  const std::uint64_t width = kernels::Row(variants.front()->in).bits / 8U;
  if (!bytes || width == 0 || *bytes / width > UINT32_MAX) return std::nullopt;
  if (*bytes / width % Common(variants).count != 0) return std::nullopt;
  return static_cast<std::uint32_t>(*bytes / width);
}

bool WritesArrays(const Variant& variant) {
  const auto& bindings = variant.steps.front().bindings;
  return std::any_of(bindings.begin(), bindings.end(),
                     [](const kernels::Binding& binding) { return binding.role == kernels::Role::kOut; });
}

// Buffers that together hold StreamBytes, or what one pass can do in its time where that is less. Where
// memory passes them too soon for a launch, a kernel that only reads, of which the sum of every word is
// checked, has one array of LongBytes.
Shape StreamShape(std::span<const Variant* const> variants, double rate, const PlanFacts& facts) {
  const Variant& first = *variants.front();
  const std::uint32_t multiple = std::lcm(Common(variants).count, kCountStep);
  const double bytes_an_element = kernels::Work(first.kernel, first.in, {.count = 1});
  const double in_time = PassBytes(rate, facts) / bytes_an_element;
  const bool is_long = !WritesArrays(first) && LongBytes(rate, facts) > StreamBytes(facts);
  // The arrays of one kernel together; of copy and triad there are two and three.
  const double wanted =
      static_cast<double>(is_long ? LongBytes(rate, facts) : StreamBytes(facts)) / bytes_an_element;
  const auto shared = is_long ? std::nullopt : SharedCount(variants, rate, facts);
  if (shared && *shared <= in_time) {
    Shape shape{.problem = {.count = *shared}};
    shape.copies = static_cast<std::uint32_t>(CopiesInPass(*shared * bytes_an_element, rate, facts));
    return Noted(std::move(shape), variants, facts);
  }
  const double total = std::max(std::min(wanted, in_time), static_cast<double>(kTinyCount));
  const double max_count =
      static_cast<double>(std::max(MaxCount(variants, facts.limits), std::uint64_t{multiple}));
  const double copies = std::min(std::ceil(total / max_count), kMaxCopies);
  Shape shape;
  shape.copies = static_cast<std::uint32_t>(copies);
  shape.problem.count = RoundDown(static_cast<std::uint32_t>(std::min(total / copies, max_count)), multiple);
  return Noted(std::move(shape), variants, facts);
}

// Rows of gemv's weight. On the host a weight fills one of the shared arrays, for memory that is touched
// first there can cost more than all that is measured in it; elsewhere it has those of the layer, or of as
// many layers as make a launch long enough.
std::uint32_t GemvRows(std::span<const Variant* const> variants, double rate, const PlanFacts& facts) {
  constexpr std::uint32_t kRows = 4096;
  const Variant& first = *variants.front();
  const std::uint32_t multiple = Common(variants).m;
  const std::uint64_t row_bytes = OperandBytes(first.in, kGemvColumns);
  const auto shared = SharedBytes(variants, rate, facts);
  const bool in_shared = shared && (OnHost(facts.device) || first.in == Dtype::kFp32);
  const auto most = static_cast<std::uint32_t>((in_shared ? *shared : StreamBytes(facts)) / row_bytes);
  if (OnHost(facts.device)) return RoundDown(in_shared ? most : kRows, multiple);
  std::uint32_t rows = in_shared ? std::min(most, kRows) : kRows;
  const auto lasts = [&] { return static_cast<double>(rows * row_bytes) / rate; };
  if (lasts() < kShortProductSeconds) {
    while (lasts() < kLongProductSeconds && 2 * rows <= most) rows *= 2;
  }
  return RoundDown(rows, multiple);
}

// As many weights of 4096 x 14336 (a feed-forward layer of an 8B model) as exceed StreamBytes together; fewer
// rows where one is too large or too slow, those of several where one is done too soon.
Shape GemvShape(std::span<const Variant* const> variants, double rate, const PlanFacts& facts) {
  const Variant& first = *variants.front();
  const Multiples multiples = Common(variants);
  const double bytes_in_time = PassBytes(rate, facts);
  Shape shape{.problem = {.m = GemvRows(variants, rate, facts), .k = RoundDown(kGemvColumns, multiples.k)}};
  const auto too_large = [&] {
    return Work(first, shape) > bytes_in_time || !FitsAll(variants, shape, facts.limits);
  };
  while (shape.problem.m > std::max(kTinyEdge, multiples.m) && too_large()) {
    shape.problem.m = RoundDown(shape.problem.m / 2, multiples.m);
  }
  const double weight = std::max(Work(first, shape), 1.0);
  const double copies = CopiesInPass(weight, rate, facts);
  shape.copies = static_cast<std::uint32_t>(std::clamp(copies, 1.0, kMaxCopies));
  while (shape.copies > 1 && !FitsAll(variants, shape, facts.limits)) --shape.copies;
  return Noted(std::move(shape), variants, facts);
}

// Enough accumulators to fill the device several times over, and steps for 10 ms.
Shape ChainShape(std::span<const Variant* const> variants, double rate, const PlanFacts& facts) {
  const Multiples multiples = Common(variants);
  const Problem least{.n = multiples.n, .k = kChainStep, .count = multiples.count};
  // Fewer on a device so slow that even the fewest steps would last too long.
  const double in_time = rate * kMaxLaunchSeconds / Work(*variants.front(), {.problem = least});
  const double rounds = std::min(static_cast<double>(facts.limits.shape.compute_units * kChainRounds),
                                 std::max(std::floor(in_time), 1.0));
  Shape shape{.problem = least};
  shape.problem.count = static_cast<std::uint32_t>(std::min(multiples.count * rounds, 0x1p28));
  const double steps = kChainStep * rate * facts.target_s / Work(*variants.front(), shape);
  const double most = kMaxChainProducts / multiples.n;
  shape.problem.k =
      RoundDown(static_cast<std::uint32_t>(std::clamp(steps, 1.0, most)), std::lcm(kChainStep, multiples.k));
  return shape;
}

}  // namespace

std::optional<std::uint64_t> UsableCacheBytes(const probe::Processor& processor) {
  const auto last =
      std::max_element(processor.caches.begin(), processor.caches.end(),
                       [](const probe::Cache& a, const probe::Cache& b) { return a.level < b.level; });
  if (last == processor.caches.end() || last->size_bytes == 0) return std::nullopt;
  const std::uint64_t threads = processor.usable_threads.value_or(processor.threads.value_or(1));
  const std::uint64_t sharing = std::max(last->shared_by, 1U);
  const std::uint64_t instances =
      std::clamp<std::uint64_t>((threads + sharing - 1) / sharing, 1, std::max(last->instances, 1U));
  return std::min(last->size_bytes * instances, kMaxCachePerThread * std::max<std::uint64_t>(threads, 1));
}

Problem TinyProblem(const Variant& variant, const kernels::DeviceShape& device) {
  const std::uint32_t m = RoundUp(kTinyEdge, variant.multiple_m);
  const std::uint32_t k = RoundUp(kTinyEdge, variant.multiple_k);
  switch (variant.kernel) {
    case Kernel::kGemm:
      return {.m = m, .n = RoundUp(kTinyEdge, variant.multiple_n), .k = k};
    case Kernel::kGemv:
      return {.m = m, .k = RoundUp(kTinyColumns, variant.multiple_k)};
    case Kernel::kChain:
      return {.n = variant.multiple_n, .k = k, .count = variant.multiple_count * device.compute_units};
    case Kernel::kRead:
    case Kernel::kCopy:
    case Kernel::kTriad:
    case Kernel::kHostToDevice:
    case Kernel::kDeviceToHost:
    case Kernel::kPeer:
    case Kernel::kLaunch:
    case Kernel::kFill:
      return {.count = RoundUp(kTinyCount, variant.multiple_count)};
  }
  return {};
}

Problem LargerProblem(const Variant& variant, const Problem& problem) {
  const auto times = [](std::uint32_t number, std::uint32_t factor) {
    return number <= UINT32_MAX / factor ? number * factor : number;
  };
  if (variant.kernel == Kernel::kChain) {
    const double products = 8.0 * problem.n * problem.k;
    return products < kMaxChainProducts
               ? Problem{.n = problem.n, .k = problem.k * 8, .count = problem.count}
               : Problem{.n = problem.n, .k = problem.k, .count = times(problem.count, 8)};
  }
  return {.m = times(problem.m, 2),
          .n = times(problem.n, 2),
          .k = times(problem.k, 2),
          .count = times(problem.count, 4)};
}

std::uint32_t SquareGemmSize(double rate, double target_s) {
  const double edge = std::cbrt(std::max(rate, 1.0) * target_s / 2.0);
  return static_cast<std::uint32_t>(std::clamp(std::ceil(edge / kSquareStep) * kSquareStep, 256.0, 8192.0));
}

std::uint64_t StreamBytes(const PlanFacts& facts) {
  std::uint64_t bytes = 4 * CacheBytes(facts);
  if (facts.device.kind == probe::DeviceKind::kDiscrete) bytes = std::max(bytes, kDiscreteStreamBytes);
  const std::uint64_t least = std::min(LeastStreamBytes(facts), FreeBytes(facts) / 4 * 3);
  return std::min(bytes, std::max(FreeBytes(facts) / 4, least));
}

std::string CachedReason(const Variant& variant, const Shape& shape, double rate, const PlanFacts& facts) {
  constexpr double kRounding = 0.95;  // arrays are whole tiles of the kernels
  constexpr double kRoom = 8;         // beside them the program, and a copy to check
  const auto least = static_cast<double>(LeastStreamBytes(facts));
  const bool of_memory = kernels::Row(variant.kernel).unit == kernels::Row(Kernel::kRead).unit;
  if (!of_memory || Work(variant, shape) >= kRounding * least) return "";
  const auto mib = [](double bytes) {
    return std::to_string(static_cast<std::uint64_t>(bytes) / kMiB) + " MiB";
  };
  std::string reason = "arrays of " + mib(Work(variant, shape)) + " " + std::string(kInTheCaches) + ": ";
  if (!LeastInTime(rate, facts)) {
    return reason + mib(least) + " take " + probe::SignificantText(least / rate, 2) + " s a pass, " +
           probe::SignificantText(facts.most_pass_s, 2) + " s are allowed";
  }
  const auto limit = LimitBytes(facts);
  if (limit && static_cast<double>(*limit) < kRoom * least) {
    return reason + "the limit on address space or on the control group's memory, " +
           mib(static_cast<double>(*limit)) + ", leaves no room for " + mib(least);
  }
  return reason + "its memory or its buffers do not hold " + mib(least);
}

std::vector<Shape> PlanShapes(std::span<const Variant* const> variants, double rate, const PlanFacts& facts) {
  const Kernel kernel = variants.front()->kernel;
  if (kernel == Kernel::kGemm) {
    return {SquareShape(variants, rate, facts), PrefillShape(variants, rate, facts)};
  }
  if (kernel == Kernel::kGemv) return {GemvShape(variants, rate, facts)};
  if (kernel == Kernel::kChain) return {ChainShape(variants, rate, facts)};
  return {StreamShape(variants, rate, facts)};
}

}  // namespace backends
