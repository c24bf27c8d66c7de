// SPDX-License-Identifier: MIT
// Which problems a device is given: sizes from its speed, its caches and its limits. Pure functions; runs
// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/core/shape.h"

namespace backends {

inline constexpr double kLaunchTargetSeconds = 0.010;  // what a square product should take
// For watchdogs and batches: nothing longer is launched by choice.
inline constexpr double kMaxLaunchSeconds = 0.100;

// A launch begins and ends in 3 to 5 us: little of this, which one over arrays of a device's own memory
// should last.
inline constexpr double kLeastLaunchSeconds = 0.001;

// The bytes of the host's last-level cache that serve the threads which this process may use.
[[nodiscard]] std::optional<std::uint64_t> UsableCacheBytes(const probe::Processor& processor);

struct PlanFacts {
  const Limits& limits;
  const probe::RuntimeDevice& device;
  const std::optional<probe::Processor>& processor;
  // How long one execution may last, so that ten batches of it fit into its part of the budget.
  double target_s = kLaunchTargetSeconds;   // a product of any size: it is sized to last that long
  double max_pass_s = kMaxLaunchSeconds;    // a pass over the arrays of a kernel that memory bounds
  double prompt_s = kMaxLaunchSeconds;      // a product of the prompt's shape, whose rows are cut down to it
  double max_prompt_s = kMaxLaunchSeconds;  // the same with the fewest rows that it may have
  double most_pass_s = kMaxLaunchSeconds;   // a pass over arrays which, smaller, would lie in the caches
  double launch_s = kLeastLaunchSeconds;    // a launch over arrays, at least, where nothing is lost by it
};

// The first problem that a new kernel is given: a simulator may need seconds for more.
[[nodiscard]] kernels::Problem TinyProblem(const kernels::Variant& variant,
                                           const kernels::DeviceShape& device);
// The next larger one while the speed is being found out: of four to eight times the work; the same where a
// number of it would need more than 32 bits.
[[nodiscard]] kernels::Problem LargerProblem(const kernels::Variant& variant,
                                             const kernels::Problem& problem);

// n = clamp(roundup256(cbrt(F * target / 2)), 256, 8192) for a rate F in operations per second.
[[nodiscard]] std::uint32_t SquareGemmSize(double rate, double target_s = kLaunchTargetSeconds);
// 4 x the last-level cache and at least 1 GiB on a discrete GPU, where there is room for it: the arrays of
// one kernel together. Large ones are cut into arrays of one size, which the kernels of a device share
// (BufferPool). A quarter of the free memory at most; three where one would be in the caches.
[[nodiscard]] std::uint64_t StreamBytes(const PlanFacts& facts);
// The reason why a kernel at that shape would measure the caches and not the memory: all its arrays together
// are less than twice the last-level cache, which is taken for 64 MiB where its size is unknown and for no
// less on a discrete GPU. Empty where the arrays are larger, where the device has hardly more memory than
// that, and for kernels that memory does not bound.
[[nodiscard]] std::string CachedReason(const kernels::Variant& variant, const Shape& shape, double rate,
                                       const PlanFacts& facts);

// The shapes that the variants of a task (all of one kernel and type pair, not empty) are measured at, the
// headline first. `rate` is the fastest one's, in units of work a second, as found on small problems.
[[nodiscard]] std::vector<Shape> PlanShapes(std::span<const kernels::Variant* const> variants, double rate,
                                            const PlanFacts& facts);

}  // namespace backends
