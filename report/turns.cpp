// SPDX-License-Identifier: MIT
#include "report/turns.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "probe/core/hash.h"
#include "probe/system/cache_dir.h"
#include "probe/system/clock.h"
#include "probe/system/descriptor.h"
#include "probe/system/process.h"

namespace report {

using probe::system::Descriptor;

namespace {

// What a holder writes of itself.
std::optional<pid_t> ReadPid(const Descriptor& file) {
  std::array<char, 16> text{};
  const ssize_t got = pread(file.get(), text.data(), text.size(), 0);
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + std::max<ssize_t>(got, 0), pid);
  if (error != std::errc() || pid <= 0) return std::nullopt;
  return pid;
}

std::shared_ptr<void> Hold(Descriptor file) {
  const auto text = std::to_string(getpid());
  // What can not be written (a full disk) leaves the holder unknown, and its waiters their patience.
  const bool named = ftruncate(file.get(), 0) == 0 &&
                     pwrite(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  return {new Descriptor(std::move(file)), [named](Descriptor* held) {
            // While it is locked: whoever has it next must not be taken for this one.
            if (named && ftruncate(held->get(), 0) != 0) errno = 0;
            delete held;
          }};
}

}  // namespace

TakenLock TakeLock(const std::string& path, double limit_s, const std::function<bool()>& stop) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat status{};
  if (!file.ok() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid()) {
    return {};
  }
  const auto start = probe::system::Now();
  while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return {};
    const pid_t pid = ReadPid(file).value_or(0);
    const Holder holder{pid, pid != 0 && probe::system::IsStopped(pid)};
    if (stop() || holder.stopped || probe::system::SecondsSince(start) > limit_s) return {nullptr, holder};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {Hold(std::move(file)), std::nullopt};
}

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
  auto taken = TakeLock(directory_ + "/" + file + ".lock", left_s_, [&] {
    if (!std::exchange(told, true)) waits();
    return is_interrupted();
  });
  if (told) left_s_ = std::max(0.0, left_s_ - probe::system::SecondsSince(start));
  if (!taken.holder || is_interrupted()) return {std::move(taken.held), false, ""};
  const Holder& holder = *taken.holder;
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
