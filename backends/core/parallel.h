// SPDX-License-Identifier: MIT
// Work of the host on as many threads as the process may use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace backends {

// Calls work(begin, end) for parts of [0, count), at once; borders are multiples of `grain`. Where the system
// refuses threads the caller does their parts.
template <class Work>
void InParallel(std::uint64_t count, std::uint64_t grain, Work&& work) {
  constexpr std::uint64_t kMaxThreads = 16;
  const std::uint64_t grains = (count + grain - 1) / grain;
  const std::uint64_t parts = std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1,
                                                        std::clamp<std::uint64_t>(grains, 1, kMaxThreads));
  const auto border = [&](std::uint64_t part) { return std::min(count, grains * part / parts * grain); };
  std::vector<std::thread> threads;
  std::uint64_t part = 1;
  try {
    for (; part < parts; ++part)
      threads.emplace_back([&work, from = border(part), to = border(part + 1)] { work(from, to); });
  } catch (const std::system_error&) {
    work(border(part), count);
  }
  work(std::uint64_t{0}, border(1));
  for (std::thread& thread : threads) thread.join();
}

// check(begin, end, verdict) for such parts, each with a verdict of its own, which is merged into `all`. The
// device is idle meanwhile.
template <class Verdict, class Check>
void CheckInParallel(std::uint64_t count, std::uint64_t grain, Verdict& all, Check&& check) {
  std::mutex mutex;
  InParallel(count, grain, [&](std::uint64_t begin, std::uint64_t end) {
    Verdict part;
    check(begin, end, part);
    const std::lock_guard lock(mutex);
    all.Merge(part);
  });
}

}  // namespace backends
