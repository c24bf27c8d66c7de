// SPDX-License-Identifier: MIT
// What the workers of one kernel share. Lives as long as the threads: kernels allocate nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kernels::cpu {

// Work that one worker divides into items and that the others may take from it once they have none of their
// own: equal shares take unequal times where cores differ, or where a neighbour uses one of them.
//
// A cache line of its own.
class alignas(64) StealQueue {
 public:
  // What an item belongs to; items are numbered from 0.
  struct Step {
    const void* product = nullptr;  // the owner's, alive until Close
    std::size_t depth = 0;
    std::size_t block = 0;
  };

  // --- the owner ---
  // Offers items [first, count) of a step. The queue is closed.
  void Open(const Step& step, std::uint32_t first, std::uint32_t count);
  // The first item that nobody has taken.
  [[nodiscard]] std::optional<std::uint32_t> TakeFirst();
  // Returns once nobody works on an item of the step any more. Every item has been taken.
  void Close();
  // Says that the owner has no work left of its nth kernel, and returns n.
  std::uint32_t Finish();

  // --- the others ---
  // Whether the owner has finished its nth kernel.
  [[nodiscard]] bool HasFinished(std::uint32_t n) const;
  // Takes the last item that nobody has, and calls work(step, item) on it. False: there is none.
  template <typename Work>
  bool Steal(const Work& work) {
    if (IsEmpty(items_.load(std::memory_order_relaxed))) return false;
    const Visit visit(visitors_);
    const auto item = TakeLast();
    if (item) work(step_, *item);
    return item.has_value();
  }

 private:
  // While one lives the owner does not open the next step.
  class Visit {
   public:
    explicit Visit(std::atomic<std::uint32_t>& visitors) : visitors_(visitors) { visitors_.fetch_add(1); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() { visitors_.fetch_sub(1); }

   private:
    std::atomic<std::uint32_t>& visitors_;
  };

  static bool IsEmpty(std::uint64_t items) { return (items >> 32U) >= (items & 0xffffffffU); }
  [[nodiscard]] std::optional<std::uint32_t> TakeLast();

  std::atomic<std::uint64_t> items_{0};  // the first in the upper half, one past the last in the lower
  std::atomic<std::uint32_t> visitors_{0};
  std::atomic<std::uint32_t> finished_{0};
  Step step_;
};

// The barrier between the workers of one kernel.
//
// Sense-reversing: reusable at once, without a reset between rounds. A cache line for each counter.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
class SpinBarrier {
 public:
  explicit SpinBarrier(unsigned count) : count_(count), missing_(count) {}
  SpinBarrier(const SpinBarrier&) = delete;
  SpinBarrier& operator=(const SpinBarrier&) = delete;

  // Returns once `count` workers have called it. Everything they wrote before is visible to all after.
  void Wait();

 private:
  const unsigned count_;
  alignas(64) std::atomic<unsigned> missing_;
  alignas(64) std::atomic<unsigned> round_{0};
};

struct Team {
  explicit Team(unsigned count) : barrier(count), queues(count) {}

  SpinBarrier barrier;
  std::vector<StealQueue> queues;  // one for each worker
};

}  // namespace kernels::cpu
