// SPDX-License-Identifier: MIT
// Starting and following processes with what every system of the kind has: posix_spawn, and looking again.
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "probe/system/limits.h"
#include "probe/system/process.h"

namespace probe::system {
namespace {

// The path of the binary, which is executed by it, if the file there is still the one that was opened.
Result<std::string> PathOfBinary(int binary) {
  std::string path = PathOf(binary);
  struct stat opened{};
  struct stat named{};
  const bool is_same = fstat(binary, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
                       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  if (!is_same) {
    return Error{"posix_spawn", std::nullopt, "",
                 "the program's own file was moved, replaced or removed while it ran: start it again"};
  }
  if (access(path.c_str(), X_OK) != 0) return ErrnoError("exec", errno);
  return path;
}

struct Place {
  std::optional<std::size_t> index;
  int error = 0;
};

// Makes the first place that can be made.
Place TakePlace(const std::vector<SpawnPlace>& places) {
  Place out;
  for (std::size_t i = 0; i < places.size() && !out.index; ++i) {
    if (mkdir(places[i].path.c_str(), S_IRWXU) == 0) {
      out.index = i;
    } else {
      out.error = errno;
    }
  }
  return out;
}

class Actions {
 public:
  Actions() { error_ = posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }

  void Enter(const std::string& directory) {
    if (error_ == 0) error_ = posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
  }
  void Enter(int directory) {
    if (error_ == 0) error_ = posix_spawn_file_actions_addfchdir_np(&actions_, directory);
  }
  void Place(int descriptor, int number) {
    if (error_ == 0) error_ = posix_spawn_file_actions_adddup2(&actions_, descriptor, number);
  }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
  int error_ = 0;
};

// 0, or the errno of what failed.
int Start(const SpawnPlan& plan, const std::string& path, const Place& place, pid_t& pid) {
  Actions actions;
  if (place.index) {
    actions.Enter(plan.places[*place.index].path);
  } else if (plan.working_directory >= 0) {
    actions.Enter(plan.working_directory);
  }
  for (std::size_t i = 0; i < plan.descriptors.size(); ++i)
    actions.Place(plan.descriptors[i], static_cast<int>(i));
  if (actions.error() != 0) return actions.error();
  posix_spawnattr_t attributes;
  if (const int error = posix_spawnattr_init(&attributes)) return error;
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const auto arguments = Pointers(plan.arguments);
  const auto environment = Pointers(place.index ? plan.places[*place.index].environment : plan.environment);
  const int error =
      posix_spawn(&pid, path.c_str(), actions.get(), &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

Result<Spawned> Spawn(const SpawnPlan& plan) {
  if (plan.descriptors.size() > kMaxSpawnDescriptors)
    return Error{"spawn", std::nullopt, "", "too many descriptors"};
  const auto path = PathOfBinary(plan.binary);
  if (!path) return path.error();
  const Place place = TakePlace(plan.places);
  Spawned out{-1, place.index, {}};
  if (const int number = Start(plan, *path, place, out.pid)) {
    if (place.index) rmdir(plan.places[*place.index].path.c_str());
    return ErrnoError("posix_spawn", number, WhyNoProcess(number));
  }
  if (!place.index && !plan.places.empty()) out.no_place = ErrnoError("mkdir", place.error);
  return out;
}

Descriptor OpenPidDescriptor(pid_t) { return {}; }

void BecomeSubreaper() { KeepEndedChildren(); }

}  // namespace probe::system
