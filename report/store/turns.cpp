// SPDX-License-Identifier: MIT
#include "report/store/turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "probe/core/hash.h"
#include "probe/system/cache_dir.h"
#include "probe/system/clock.h"
#include "probe/system/own_file.h"

namespace report {

Turns::Turns(const probe::system::Environment& environment, const probe::system::FileSystem& files,
             probe::isolate::Interrupt interrupt, double longest_s)
    : interrupt_(interrupt), longest_s_(longest_s), left_s_(longest_s) {
  auto directory = probe::system::CacheDirectory(environment, files);
  if (directory) directory_ = *std::move(directory);
}

Turn Turns::Take(const std::string& file, const std::string& doing, const std::function<void()>& waits) {
  if (directory_.empty()) return {};
  const auto is_interrupted = [&] { return interrupt_.signal != nullptr && interrupt_.signal->load() != 0; };
  bool told = false;
  const auto start = probe::system::Now();
  auto taken = probe::system::TakeLock(directory_ + "/" + file + ".lock", left_s_, [&] {
    if (!std::exchange(told, true)) waits();
    return is_interrupted();
  });
  if (told) left_s_ = std::max(0.0, left_s_ - probe::system::SecondsSince(start));
  if (!taken.holder || is_interrupted()) return {std::move(taken.held), false, ""};
  const probe::system::LockHolder& holder = *taken.holder;
  Turn turn{nullptr, !holder.stopped, ""};
  if (std::find(told_.begin(), told_.end(), holder.pid) != told_.end()) return turn;
  told_.push_back(holder.pid);
  const auto who =
      holder.pid == 0 ? "another whichgpu" : fmt::format("another whichgpu (process {})", holder.pid);
  turn.warning = holder.stopped
                     ? fmt::format("{} is stopped while {}: not waited for, measured beside it", who, doing)
                     : fmt::format("{} is still {} after {:.0f} s of waiting in all: measured beside it", who,
                                   doing, longest_s_);
  return turn;
}

Turn Turns::ToAnswer() {
  return Take("turn", "measuring", [] {});
}

Turn Turns::ToMeasure(const std::string& device_id, const std::string& name,
                      const std::function<void()>& waits) {
  return Take("device-" + probe::HashName(device_id), "measuring " + name, waits);
}

}  // namespace report
