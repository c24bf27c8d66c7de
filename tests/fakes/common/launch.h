// SPDX-License-Identifier: MIT
// What a "kernel" of a fake does: takes its time and treats the first megabytes of its output buffers as the
// scenario says. It never computes anything.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/fakes/common/scenario.h"

namespace fakes {

// `product_s`: what the caller took to compute a product.
void Launch(const Device& device, std::span<const std::span<std::byte>> outputs, double product_s = 0);

// The device's clock in nanoseconds: real time since `start`, scaled as the scenario says, plus one second.
[[nodiscard]] std::uint64_t EventTime(const Device& device, std::chrono::steady_clock::time_point start);

}  // namespace fakes
