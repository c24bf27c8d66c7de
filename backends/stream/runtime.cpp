// SPDX-License-Identifier: MIT
#include "backends/stream/runtime.h"

#include "probe/system/clock.h"

namespace backends::stream {

probe::Result<Timer> Timer::Create(Runtime& runtime) {
  const auto first = runtime.CreateEvent();
  if (!first) return first.error();
  const auto last = runtime.CreateEvent();
  if (!last) return last.error();
  return Timer(runtime, *first, *last);
}

probe::Result<Timing> Timer::Time(std::span<const Enqueue> launches, std::uint32_t repeats, bool clocked,
                                  const std::function<void()>& meanwhile) const {
  const auto start = probe::system::Now();
  bool recorded = clocked && runtime_->Record(first_);
  probe::Status status = probe::Ok();
  for (std::uint32_t repeat = 0; repeat < repeats && status; ++repeat) {
    for (const Enqueue& enqueue : launches) {
      if (status = enqueue(); !status) break;
    }
  }
  if (recorded) recorded = runtime_->Record(last_);
  if (meanwhile) meanwhile();
  // Also after an error: nothing may still run when the caller goes on.
  const auto finished = runtime_->Synchronize();
  Timing timing;
  timing.wall_s = probe::system::SecondsSince(start);
  // A launch after one that ended the context may say no more than that it failed.
  const bool ended = runtime_->Ended(finished) && !runtime_->Ended(status);
  if (!status && !ended) return status.error();
  if (!finished) return finished.error();
  if (recorded) timing.device_s = runtime_->SecondsBetween(first_, last_);
  return timing;
}

}  // namespace backends::stream
