// SPDX-License-Identifier: MIT
#include "kernels/cpu/spin.h"
#include "kernels/cpu/team.h"

namespace kernels::cpu {

// The order of `items_` and `visitors_` is sequentially consistent: a visitor counts itself before it looks
// for an item, the owner looks for visitors after the last item is gone; so one of them sees the other.

void StealQueue::Open(const Step& step, std::uint32_t first, std::uint32_t count) {
  step_ = step;
  items_.store(std::uint64_t{first} << 32U | count);
}

std::optional<std::uint32_t> StealQueue::TakeFirst() {
  std::uint64_t items = items_.load();
  while (!IsEmpty(items)) {
    if (items_.compare_exchange_weak(items, items + (std::uint64_t{1} << 32U))) {
      return static_cast<std::uint32_t>(items >> 32U);
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> StealQueue::TakeLast() {
  std::uint64_t items = items_.load();
  while (!IsEmpty(items)) {
    if (items_.compare_exchange_weak(items, items - 1)) return static_cast<std::uint32_t>(items) - 1;
  }
  return std::nullopt;
}

void StealQueue::Close() {
  Spin spin;
  while (visitors_.load() != 0) spin.Once();
}

std::uint32_t StealQueue::Finish() { return finished_.fetch_add(1, std::memory_order_acq_rel) + 1; }

bool StealQueue::HasFinished(std::uint32_t n) const {
  // Counts may wrap.
  return static_cast<std::int32_t>(finished_.load(std::memory_order_acquire) - n) >= 0;
}

}  // namespace kernels::cpu
