// SPDX-License-Identifier: MIT
// What a contest does on a device of which others leave a part of the memory.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "backends/core/contest.h"
#include "backends/core/sharing.h"

namespace backends {
namespace {

using kernels::Kernel;
using kernels::Variant;

// Of what may be used, for the square product where that is enough for one: beside it there is room for the
// prompt's, whose arrays are of other sizes, and for what is sent to the device.
constexpr std::uint64_t kMostOfProduct = 2;
constexpr std::uint32_t kSquareStep = 256;   // and the smallest of the plan
constexpr std::uint32_t kCountStep = 4096;   // as the plan has it, for the tiles of the kernels that fill
constexpr std::uint32_t kSmallerByPart = 8;  // of arrays, from one size to the next smaller one
constexpr const char* kNote = "smaller than planned: no more of its memory is used beside others";

// A prompt's product is one of few rows by the whole of a layer's weight.
bool IsSquare(const Variant& variant, const Shape& shape) {
  constexpr std::uint32_t kWide = 4;
  return variant.kernel == Kernel::kGemm && shape.problem.n < kWide * shape.problem.m;
}

bool ShrinkBy(std::uint32_t step, std::uint32_t least, std::uint32_t& value) {
  if (value < std::uint64_t{step} + least) return false;
  value -= step;
  return true;
}

// By an eighth, in whole multiples.
bool ShrinkPart(std::uint32_t multiple, std::uint32_t& value) {
  const std::uint32_t step = std::max(value / kSmallerByPart / multiple * multiple, multiple);
  return ShrinkBy(step, multiple, value);
}

}  // namespace

bool Contest::HasRoom(const Candidate& candidate, const Shape& shape) const {
  const Limits& limits = context_.session.limits();
  if (limits.shared_with.empty()) return true;
  return NeededBytes(candidate.variant(), shape, limits.shape) <= limits.memory_free_bytes.value_or(0);
}

void Contest::LeaveToOthers(const Variant& variant, const Shape& shape) const {
  const Limits& limits = context_.session.limits();
  const std::uint64_t bytes = NeededBytes(variant, shape, limits.shape);
  context_.reporter.LeaveToOthers(variant, Reported(shape), true, bytes, WhyLeftToOthers(limits, bytes));
}

void Contest::Refuse(const Variant& variant, const Shape& shape, std::string misfit) const {
  const Limits& limits = context_.session.limits();
  const probe::RuntimeDevice& device = context_.request.device;
  const std::uint64_t bytes = NeededBytes(variant, shape, limits.shape);
  const std::uint64_t free_bytes = limits.memory_free_bytes.value_or(UINT64_MAX);
  const std::uint64_t all_bytes = device.memory_total_bytes.value_or(0);
  // An integrated GPU's is the host's, which every program fills.
  const bool is_its_own = !OnHost(device) && device.kind != probe::DeviceKind::kIntegrated;
  if (is_its_own && bytes > free_bytes && bytes <= all_bytes && ShapeMisfit(variant, shape, limits).empty())
    return context_.reporter.LeaveToOthers(variant, Reported(shape), false, bytes,
                                           WhyFull(free_bytes, all_bytes, bytes));
  context_.reporter.Fail(variant, Reported(shape), MeasurementStatus::kUnsupported, probe::Stage::kLaunch,
                         std::move(misfit));
}

bool Contest::Allocates(const Candidate& candidate, const Shape& shape) {
  for (const bool trimmed : {false, true}) {
    if (trimmed) context_.pool.Trim();
    const auto workload =
        Workload::Create(context_.session, context_.writer, candidate.loaded, shape, &context_.pool);
    if (workload || !workload.error().Is(probe::OwnError::kLeftToOthers)) return true;
  }
  return false;
}

void Contest::DropWithoutRoom() {
  const Limits& limits = context_.session.limits();
  if (limits.shared_with.empty()) return;
  const auto tiny = [&](const Variant& variant) {
    return Shape{.problem = TinyProblem(variant, limits.shape), .rough = true};
  };
  std::vector<const Variant*> without;
  for (const Candidate& candidate : candidates_) {
    const Shape shape = tiny(candidate.variant());
    if (!HasRoom(candidate, shape) || !Allocates(candidate, shape)) without.push_back(&candidate.variant());
  }
  const bool is_any_left = without.size() < candidates_.size();
  std::erase_if(candidates_, [&](const Candidate& candidate) {
    return std::find(without.begin(), without.end(), &candidate.variant()) != without.end();
  });
  // Of a figure that none can give one row is enough.
  if (!is_any_left && !without.empty()) without.resize(1);
  for (const Variant* variant : without) LeaveToOthers(*variant, tiny(*variant));
}

bool Contest::Shrink(Shape& shape) const {
  std::uint32_t edge = kSquareStep, count = kCountStep, rows = 1;
  for (const Candidate& candidate : candidates_) {
    const Variant& variant = candidate.variant();
    for (const std::uint32_t multiple : {variant.multiple_m, variant.multiple_n, variant.multiple_k})
      edge = std::lcm(edge, multiple);
    count = std::lcm(count, variant.multiple_count);
    rows = std::lcm(rows, variant.multiple_m);
  }
  kernels::Problem& problem = shape.problem;
  const Variant& first = candidates_.front().variant();
  if (first.kernel == Kernel::kGemm) {
    return IsSquare(first, shape) && std::min({problem.m, problem.n, problem.k}) >= edge + kSquareStep &&
           ShrinkBy(edge, 0, problem.m) && ShrinkBy(edge, 0, problem.n) && ShrinkBy(edge, 0, problem.k);
  }
  if (shape.copies > 1) return --shape.copies > 0;
  return first.kernel == Kernel::kGemv ? ShrinkPart(rows, problem.m) : ShrinkPart(count, problem.count);
}

std::optional<Shape> Contest::Fitted(const Shape& planned) {
  const Limits& limits = context_.session.limits();
  if (limits.shared_with.empty()) return planned;
  const Candidate& first = candidates_.front();
  const std::uint64_t room = limits.memory_free_bytes.value_or(0);
  const bool is_square = IsSquare(first.variant(), planned);
  for (const std::uint64_t most : {is_square ? room / kMostOfProduct : room, room}) {
    Shape shape = planned;
    do {
      if (NeededBytes(first.variant(), shape, limits.shape) > most || !Allocates(first, shape)) continue;
      if (Work(first.variant(), shape) < Work(first.variant(), planned)) shape.note = kNote;
      return shape;
    } while (Shrink(shape));
  }
  return std::nullopt;
}

Limits Contest::LimitsWithoutOthers() const {
  Limits alone = context_.session.limits();
  if (alone.shared_with.empty()) return alone;
  if (alone.max_buffer_bytes >= alone.memory_free_bytes.value_or(0))
    alone.max_buffer_bytes = alone.free_beside_others_bytes;
  alone.memory_free_bytes = alone.free_beside_others_bytes;
  return alone;
}

std::optional<std::uint64_t> Contest::BytesWithoutOthers(double rate) const {
  const Limits alone = LimitsWithoutOthers();
  if (alone.shared_with.empty()) return std::nullopt;
  const PlanFacts facts = FactsWithin(alone);
  const Shape planned = PlanShapes(Variants(), rate, facts).front();
  const Variant& first = candidates_.front().variant();
  if (!CachedReason(first, planned, rate, facts).empty()) return std::nullopt;
  return NeededBytes(first, planned, alone.shape);
}

std::optional<Series> Contest::DecideWithin(const Shape& planned, const Variant* winner_before) {
  if (const auto shape = Fitted(planned)) return DecideShape(*shape, winner_before);
  LeaveToOthers(candidates_.front().variant(), planned);
  return std::nullopt;
}

}  // namespace backends
