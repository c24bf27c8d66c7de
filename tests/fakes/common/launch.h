// SPDX-License-Identifier: MIT
// What a "kernel" of a fake does: takes its time and treats the first megabytes of its output buffers as the
// scenario says. It never computes anything.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tests/fakes/common/scenario.h"

namespace fakes {

// The time of the calling thread's processor: what others of the machine do is not in it.
[[nodiscard]] double ProcessorSeconds();

// What the caller did for a launch before: when it began, and its processor's seconds.
struct Work {
  std::chrono::steady_clock::time_point start;
  double processor_s = 0;
  bool is_product = false;
};
void Launch(const Device& device, std::span<const std::span<std::byte>> outputs,
            const std::optional<Work>& work = std::nullopt);

// Whether the scenario has this entry kill its context. Does not return from one that ends its process or
// hangs.
[[nodiscard]] bool Faults(const Device& device, std::string_view entry);

// The device's clock in nanoseconds: real time since `start`, scaled as the scenario says, plus one second.
// That of an unsteady device stands still while a launch with its work waits for a processor: what it shows
// is the scenario's.
[[nodiscard]] std::uint64_t EventTime(const Device& device, std::chrono::steady_clock::time_point start);

}  // namespace fakes
