// SPDX-License-Identifier: MIT
// What the chains share: where accumulators start, and how a worker goes through its own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/share.h"

namespace kernels::cpu {

// Accumulator i starts at i mod 8 and has `products` ones added (kernels/spec.h), so all numbers are whole.
inline constexpr std::uint32_t kChainStarts = 8;

// Calls run(values) for one group after another of a worker's share: `values` holds the starts of `group`
// accumulators and then their ends. A group is what the registers hold; the last may be stored in part.
template <typename T, typename Run>
void RunChains(const Arguments& arguments, const Worker& worker, std::size_t group, T* values, Run&& run) {
  const Range share = Share(arguments.scalars[0], group, worker.index, worker.count);
  for (std::size_t first = share.begin; first < share.end; first += group) {
    for (std::size_t i = 0; i < group; ++i) values[i] = static_cast<T>((first + i) % kChainStarts);
    // The compiler must not see that chains are equal, or it would join them.
    asm volatile("" : : "r"(values) : "memory");
    run(values);
    asm volatile("" : : "r"(values) : "memory");
    std::copy_n(values, std::min(group, share.end - first), static_cast<T*>(arguments.buffers[0]) + first);
  }
}

}  // namespace kernels::cpu
