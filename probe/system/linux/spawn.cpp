// SPDX-License-Identifier: MIT
// What this kernel alone does for a supervisor; posix/spawn.cpp has the same without.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "probe/system/limits.h"
#include "probe/system/process.h"

namespace probe::system {
namespace {

// Everything that the new process needs before exec, prepared by the parent: until then it shares the
// parent's memory and may only make system calls.
struct Launch {
  const SpawnPlan* plan = nullptr;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::vector<std::vector<char*>> place_environments;
  pid_t parent = -1;
  int error = 0;  // errno of the call that failed
  std::optional<std::size_t> place;
  int place_error = 0;
};

bool PlaceDescriptors(const SpawnPlan& plan) {
  const int count = static_cast<int>(plan.descriptors.size());
  for (int number = 0; number < count; ++number) {
    if (dup2(plan.descriptors[static_cast<std::size_t>(number)], number) < 0) return false;
  }
  if (dup3(plan.binary, count, O_CLOEXEC) < 0) return false;
  // Where the kernel is too old (before 5.9) only what somebody left open without close-on-exec gets through.
  syscall(SYS_close_range, static_cast<unsigned int>(count) + 1, ~0U, 0U);
  return true;
}

// Makes the first place that can be made and goes there.
void TakePlace(Launch& launch) {
  const auto& places = launch.plan->places;
  for (std::size_t i = 0; i < places.size() && !launch.place; ++i) {
    const char* path = places[i].path.c_str();
    if (mkdir(path, S_IRWXU) != 0) {
      launch.place_error = errno;
    } else if (chdir(path) != 0) {
      launch.place_error = errno;
      rmdir(path);
    } else {
      launch.place = i;
    }
  }
}

// Runs in the new process, on a stack of its own, while the parent waits.
int Execute(void* argument) {
  auto& launch = *static_cast<Launch*>(argument);
  const SpawnPlan& plan = *launch.plan;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, plan.death_signal != 0 ? plan.death_signal : SIGKILL, 0, 0, 0);
  if (getppid() != launch.parent) _exit(127);  // the parent ended before the line above
  TakePlace(launch);
  const bool is_there = launch.place || plan.working_directory < 0 || fchdir(plan.working_directory) == 0;
  if (is_there && PlaceDescriptors(plan)) {
    char* const* environment =
        launch.place ? launch.place_environments[*launch.place].data() : launch.environment.data();
    fexecve(static_cast<int>(plan.descriptors.size()), launch.arguments.data(), environment);
  }
  launch.error = errno;
  if (launch.place) rmdir(plan.places[*launch.place].path.c_str());
  _exit(127);
}

}  // namespace

Result<Spawned> Spawn(const SpawnPlan& plan) {
  if (plan.descriptors.size() > kMaxSpawnDescriptors)
    return Error{"spawn", std::nullopt, "", "too many descriptors"};
  constexpr std::size_t kStackBytes = 64U << 10U;
  const auto stack = std::make_unique_for_overwrite<std::array<std::byte, kStackBytes>>();
  Launch launch;
  launch.plan = &plan;
  launch.arguments = Pointers(plan.arguments);
  launch.environment = Pointers(plan.environment);
  for (const SpawnPlace& place : plan.places)
    launch.place_environments.push_back(Pointers(place.environment));
  launch.parent = getpid();
  // No handler of this process may run in the new one, which shares its memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  void* top = stack->data() + kStackBytes;  // x86-64 and Arm: stacks grow down; a multiple of 16
  const pid_t pid = clone(Execute, top, CLONE_VM | CLONE_VFORK | SIGCHLD, &launch);
  const int number = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return ErrnoError("clone", number, WhyNoProcess(number));
  if (launch.error != 0) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return ErrnoError("exec", launch.error);
  }
  Spawned out{pid, launch.place, {}};
  if (!launch.place && !plan.places.empty()) out.no_place = ErrnoError("mkdir", launch.place_error);
  return out;
}

Descriptor OpenPidDescriptor(pid_t pid) {
  return Raise(Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));
}

void BecomeSubreaper() {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  KeepEndedChildren();
}

}  // namespace probe::system
