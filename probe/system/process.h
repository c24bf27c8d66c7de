// SPDX-License-Identifier: MIT
// Processes: how this program's own binary is opened and started again, how a child's end is seen, and how
// children are found. Policy (deadlines, who is killed when) is the caller's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/system/descriptor.h"

namespace probe::system {

using ProcessId = int;
[[nodiscard]] ProcessId OwnProcessId();

// The running binary, open for execution: /proc/self/exe, else the path that it was started by. Call it at
// start, before the working directory can have changed. A set-uid program does not believe the path.
[[nodiscard]] Result<Descriptor> OpenOwnBinary();

// A pipe, both ends closed on exec and above the standard streams and every number that Spawn assigns.
struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};
[[nodiscard]] Result<Pipe> MakePipe();
// The same descriptor at a number above those, too.
[[nodiscard]] Descriptor Raise(Descriptor descriptor);

// A directory that a new process may make for itself, and its environment where it did.
struct SpawnPlace {
  std::string path;
  std::vector<std::string> environment;
};

struct SpawnPlan {
  int binary = -1;                       // executed by descriptor: works without /proc
  std::vector<std::string> arguments;    // argv, the name first
  std::vector<std::string> environment;  // NAME=value
  // The new process makes the first of them that it can, for this user alone, and works there. Since it makes
  // the directory itself, it knows of it even when the parent dies at that moment.
  std::vector<SpawnPlace> places;
  int working_directory = -1;  // a directory's descriptor, where it can make none of them
  int death_signal = 0;        // to the new process when the calling thread ends; 0: SIGKILL
  std::vector<int>
      descriptors;  // become 0, 1, 2, ...; at most kMaxSpawnDescriptors, all from MakePipe or Raise
};
inline constexpr std::size_t kMaxSpawnDescriptors = 8;

struct Spawned {
  ProcessId pid = -1;
  std::optional<std::size_t> place;  // of the plan's
  Error no_place;                    // why none could be made
};

// Starts a program in a process group of its own, which the calling thread's end ends, with all signals
// blocked and no descriptor but those named. The memory of this process is never copied (vfork, not
// fork: forking would double what a strict overcommit limit must grant).
[[nodiscard]] Result<Spawned> Spawn(const SpawnPlan& plan);

// A descriptor that becomes readable when the process ends; not ok() where the kernel or a sandbox has none.
[[nodiscard]] Descriptor OpenPidDescriptor(ProcessId pid);

// How a child ended; it stays a zombie, so that its number still belongs to it. nullopt while it runs.
[[nodiscard]] std::optional<ProcessExit> PeekExit(ProcessId pid);
// Takes an ended child away; false when there was nothing to take.
bool Reap(ProcessId pid);

// Lets this user read, write and enter what this process and those that it starts make, whatever the umask
// says of the owner. What it says of the group and of others stays. Call it before a second thread runs,
// which would see the mask change.
void KeepOwnersPermissions();

// Orphaned descendants become children of this process from now on, and ended children wait to be reaped even
// if the caller of this program ignored SIGCHLD.
void BecomeSubreaper();

// The children of any process, from /proc; nullopt when it is gone or the kernel does not list them.
[[nodiscard]] std::optional<std::vector<ProcessId>> ChildrenOf(ProcessId pid);
// The children of this process, running or ended: from /proc, else by asking for each number from `first` on.
[[nodiscard]] std::vector<ProcessId> OwnChildren(ProcessId first);

// Whether a process is gone or only waits to be reaped; true as well where there is no /proc.
[[nodiscard]] bool HasEnded(ProcessId pid);

// What process lists call this process; the first 15 letters count.
void NameThisProcess(const char* name);

// Waits until one of the descriptors can be read or has been closed at its other end, or the time is over. A
// signal ends it early.
void AwaitAny(std::span<const int> descriptors, std::chrono::nanoseconds longest);

// Random bytes, without waiting for them; false where the system has none yet.
bool FillRandom(void* bytes, std::size_t count);

// The path of this process's working directory; empty where it has none.
[[nodiscard]] std::string WorkingDirectory();
// Closes every descriptor of this process, the standard streams too.
void CloseAllDescriptors();

// Tells the scheduler how long this thread wants to run at a stretch. A scheduler that takes the hint (Linux
// 6.12 and later) wakes a thread that asks for little sooner beside others that compute. 0 leaves the choice
// to the system. New processes inherit it.
void AskForSlice(std::uint64_t nanoseconds);

// When a process started, in clock ticks since boot (proc(5)); nullopt when it is gone or there is no /proc.
[[nodiscard]] std::optional<std::uint64_t> StartTicks(ProcessId pid);

// Whether a process is stopped (Ctrl-Z, SIGSTOP, a debugger): it goes on when somebody says so, or never.
[[nodiscard]] bool IsStopped(ProcessId pid);

}  // namespace probe::system
