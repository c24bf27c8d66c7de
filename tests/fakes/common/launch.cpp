// SPDX-License-Identifier: MIT
#include "tests/fakes/common/launch.h"

#include <algorithm>
#include <thread>

namespace fakes {
namespace {

// Of each buffer: a wrong result needs no more, and a client may have gigabytes.
constexpr std::size_t kMaxOverwritten = std::size_t{4} << 20U;

std::byte Garbage(std::size_t i) { return static_cast<std::byte>((i * 2654435761U) >> 13U); }

void Overwrite(Results results, std::span<std::byte> output) {
  switch (results) {
    case Results::kNone:
      return;
    case Results::kGarbage:
      for (std::size_t i = 0; i < output.size(); ++i) output[i] = Garbage(i);
      return;
    case Results::kNan:
      std::fill(output.begin(), output.end(), std::byte{0xff});
      return;
    case Results::kZero:
      std::fill(output.begin(), output.end(), std::byte{0});
      return;
  }
}

}  // namespace

void Launch(const Device& device, std::span<const std::span<std::byte>> outputs) {
  std::this_thread::sleep_for(std::chrono::duration<double>(device.slow_kernel_s));
  for (const auto output : outputs) {
    Overwrite(device.results, output.first(std::min(output.size(), kMaxOverwritten)));
  }
}

std::uint64_t EventTime(const Device& device, std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - start;
  return 1'000'000'000U + static_cast<std::uint64_t>(passed.count() * device.event_time_scale);
}

}  // namespace fakes
