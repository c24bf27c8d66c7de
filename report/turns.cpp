// SPDX-License-Identifier: MIT
#include "report/turns.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "probe/system/cache_dir.h"
#include "probe/system/clock.h"
#include "probe/system/descriptor.h"
#include "probe/system/hash.h"

namespace report {

using probe::system::Descriptor;

std::shared_ptr<void> TakeLock(const std::string& path, double limit_s, const std::function<bool()>& stop) {
  auto file = std::make_shared<Descriptor>(
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat status{};
  if (!file->ok() || fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid()) {
    return nullptr;
  }
  const auto start = probe::system::Now();
  while (flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || stop() || probe::system::SecondsSince(start) > limit_s) return nullptr;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return file;
}

Turns::Turns(const probe::system::Environment& environment, const probe::system::FileSystem& files,
             probe::isolate::Interrupt interrupt, double longest_s)
    : interrupt_(interrupt), longest_s_(longest_s) {
  auto directory = probe::system::CacheDirectory(environment, files);
  if (directory) directory_ = *std::move(directory);
}

std::shared_ptr<void> Turns::Take(const std::string& name, const std::function<void()>& waits) const {
  if (directory_.empty()) return nullptr;
  bool told = false;
  return TakeLock(directory_ + "/" + name + ".lock", longest_s_, [&] {
    if (!std::exchange(told, true)) waits();
    return interrupt_.signal != nullptr && interrupt_.signal->load() != 0;
  });
}

std::shared_ptr<void> Turns::ToAnswer() const {
  return Take("turn", [] {});
}

std::shared_ptr<void> Turns::ToMeasure(const std::string& device_id,
                                       const std::function<void()>& waits) const {
  return Take("device-" + probe::system::HashName(device_id), waits);
}

}  // namespace report
