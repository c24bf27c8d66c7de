// SPDX-License-Identifier: MIT
// Starting and following processes with what every system of the kind has: posix_spawn, and looking again.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "probe/system/limits.h"
#include "probe/system/place.h"
#include "probe/system/process.h"
#include "probe/system/scratch.h"

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

// The last that the new process is told: whether the place named last was made.
constexpr char kMade = '+', kNotMade = '-';
// What is said of all places fits into an empty pipe: macOS' has 16 KiB.
constexpr std::size_t kMostSaid = 4096;

// Its path and the variables that the plan's environment has otherwise or not, each with a zero behind it,
// then another zero.
std::string Announcement(const SpawnPlan& plan, const SpawnPlace& place) {
  std::string out = place.path + '\0';
  for (const std::string& variable : place.environment) {
    const bool is_its =
        std::find(plan.environment.begin(), plan.environment.end(), variable) == plan.environment.end();
    if (is_its) out += variable + '\0';
  }
  return out + '\0';
}

bool Say(const Descriptor& pipe, std::string_view text) {
  return write(pipe.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Makes the first place that can be made, and tells the new process. Both ends of the pipe are open here:
// that one may be gone.
Place TakePlace(const SpawnPlan& plan, const Pipe& told) {
  fcntl(told.write_end.get(), F_SETFL, O_NONBLOCK);
  Place out;
  for (std::size_t i = 0; i < plan.places.size() && !out.index; ++i) {
    const std::string said = Announcement(plan, plan.places[i]);
    if (said.size() > kMostSaid) {
      out.error = ENAMETOOLONG;
    } else if (Say(told.write_end, said) && mkdir(plan.places[i].path.c_str(), S_IRWXU) == 0) {
      out.index = i;
    } else {
      out.error = errno;
    }
  }
  Say(told.write_end, {out.index ? &kMade : &kNotMade, 1});
  return out;
}

std::string ReadToEnd(const Descriptor& from) {
  std::string out;
  std::array<char, kMostSaid> buffer;
  for (;;) {
    const ssize_t got = read(from.get(), buffer.data(), buffer.size());
    if (got > 0) out.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return out;
  }
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

// 0, or the errno of what failed. `told`: not ok() where there are no places.
int Start(const SpawnPlan& plan, const std::string& path, const Descriptor& told, pid_t& pid) {
  Actions actions;
  if (plan.working_directory >= 0) actions.Enter(plan.working_directory);
  int number = 0;
  for (const int descriptor : plan.descriptors) actions.Place(descriptor, number++);
  if (told.ok()) actions.Place(told.get(), number);
  if (actions.error() != 0) return actions.error();
  posix_spawnattr_t attributes;
  if (const int error = posix_spawnattr_init(&attributes)) return error;
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const auto arguments = Pointers(plan.arguments);
  const auto environment = Pointers(plan.environment);
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
  Result<Pipe> told = plan.places.empty() ? Pipe{} : MakePipe();
  if (!told) return told.error();
  Spawned out;
  if (const int number = Start(plan, *path, told->read_end, out.pid))
    return ErrnoError("posix_spawn", number, WhyNoProcess(number));
  if (plan.places.empty()) return out;
  const Place place = TakePlace(plan, *told);
  out.place = place.index;
  if (!place.index) out.no_place = ErrnoError("mkdir", place.error);
  return out;
}

std::optional<ToldPlace> ComeToPlace(const Descriptor& told) {
  const std::string text = ReadToEnd(told);
  ToldPlace place;
  std::string_view rest = text;
  for (bool is_path = true; rest.find('\0') != std::string_view::npos;) {
    const auto word = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(word.size() + 1);
    if (is_path) {
      place = {std::string(word), {}};
    } else if (!word.empty()) {
      place.variables.emplace_back(word);
    }
    is_path = word.empty();
  }
  if (rest == std::string_view(&kNotMade, 1)) return ToldPlace{};
  const bool is_made = rest == std::string_view(&kMade, 1);
  if (is_made && chdir(place.path.c_str()) == 0) return place;
  ScratchDirectory::Remove(place.path);
  return is_made ? std::optional<ToldPlace>(ToldPlace{}) : std::nullopt;
}

Descriptor OpenPidDescriptor(pid_t) { return {}; }

void BecomeSubreaper() { KeepEndedChildren(); }

}  // namespace probe::system
