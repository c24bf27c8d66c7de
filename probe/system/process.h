// SPDX-License-Identifier: MIT
// Processes: how this program's own binary is opened and started again, how a child's end is seen, and how
// children are found. Policy (deadlines, who is killed when) is the caller's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/system/descriptor.h"

namespace probe::system {

using ProcessId = int;
[[nodiscard]] ProcessId OwnProcessId();

// The running binary, open for execution: as the system names it (/proc/self/exe), else the path that it was
// started by. Call it at start, before the working directory can have changed. On Linux a set-uid program
// does not believe the path; macOS has nothing else to go by.
[[nodiscard]] Result<Descriptor> OpenOwnBinary();

// A pipe, both ends closed on exec and above the standard streams and every number that Spawn assigns.
struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};
[[nodiscard]] Result<Pipe> MakePipe();
// The same descriptor at a number above those, too.
[[nodiscard]] Descriptor Raise(Descriptor descriptor);
// The path of an open file as it is called now; empty where the system does not tell. Another file may be
// there since.
[[nodiscard]] std::string PathOf(int descriptor);

// A directory that a new process may make for itself, and its environment where it did.
struct SpawnPlace {
  std::string path;
  std::vector<std::string> environment;
};

struct SpawnPlan {
  // Executed by descriptor where the system can (Linux, without /proc, too), else by the path that it has
  // now: an error where another file is there meanwhile.
  int binary = -1;
  std::vector<std::string> arguments;    // argv, the name first
  std::vector<std::string> environment;  // NAME=value
  // The first of them that can be made is, for this user alone, and the new process works there. It knows of
  // it even when the parent dies at that moment: on Linux it makes it itself, elsewhere place.h says how.
  std::vector<SpawnPlace> places;
  int working_directory = -1;  // a directory's descriptor, where it can make none of them
  // To the new process when the calling thread ends, 0: SIGKILL. On Linux alone: elsewhere it has to look who
  // its parent is.
  int death_signal = 0;
  std::vector<int>
      descriptors;  // become 0, 1, 2, ...; at most kMaxSpawnDescriptors, all from MakePipe or Raise
};
inline constexpr std::size_t kMaxSpawnDescriptors = 8;
inline constexpr int kFirstRaised = static_cast<int>(kMaxSpawnDescriptors) + 1;  // the binary's is next

struct Spawned {
  ProcessId pid = -1;
  std::optional<std::size_t> place;  // of the plan's
  Error no_place;                    // why none could be made
};

// Starts a program in a process group of its own, with all signals blocked and no descriptor but those named;
// where the system closes no others, those that somebody left open without close-on-exec go along. The memory
// of this process is never copied (vfork or posix_spawn, not fork: forking would double what a strict
// overcommit limit must grant, and on macOS breaks what Apple's libraries do in the new process).
[[nodiscard]] Result<Spawned> Spawn(const SpawnPlan& plan);

// The null-terminated array that exec takes, of texts that live as long.
[[nodiscard]] std::vector<char*> Pointers(const std::vector<std::string>& texts);

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

// Ended children wait to be reaped even if the caller of this program ignored SIGCHLD.
void KeepEndedChildren();
// The same, and where the system can (Linux) orphaned descendants become children of this process from now
// on.
void BecomeSubreaper();

// The children of any process, where the system lists them (/proc); nullopt when it is gone or they are not
// listed.
[[nodiscard]] std::optional<std::vector<ProcessId>> ChildrenOf(ProcessId pid);
// The children of this process, running or ended: as listed, else by asking for each number from `first` on.
[[nodiscard]] std::vector<ProcessId> OwnChildren(ProcessId first);

struct ProcessEntry {
  ProcessId pid = 0;
  ProcessId parent = 0;  // 0 where it has none, or was gone before it was looked at
  bool ended = false;    // it is gone, or only waits to be reaped
};
// All processes that the system shows this one, the latest first: these are the first to be gone again.
[[nodiscard]] std::vector<ProcessEntry> ProcessTable();

// The variables that a process was started with, "NAME=value", each with a zero behind it; whatever it has
// set since is not among them. nullopt where that is not shown, of other users' processes; nullopt or empty
// of what macOS itself brings, where its kernel may show the arguments alone.
[[nodiscard]] std::optional<std::string> EnvironmentOf(ProcessId pid);
// That part of what macOS tells of a process (sysctl's KERN_PROCARGS2): a number of arguments as an int, the
// path, zeros, so many arguments and then the variables, each with a zero behind it. Empty for what is cut
// short. Where the first arguments are empty so many of the variables are taken for arguments, never one of
// these for a variable.
[[nodiscard]] std::string_view VariablesIn(std::string_view process_arguments);

// Whether a process is gone or only waits to be reaped; true as well where the system does not tell.
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
// Closes every descriptor of this process from that number on, the standard streams' being 0 to 2.
void CloseDescriptorsFrom(int first);

// Tells the scheduler how long this thread wants to run at a stretch. A scheduler that takes the hint (Linux
// 6.12 and later) wakes a thread that asks for little sooner beside others that compute. 0 leaves the choice
// to the system. New processes inherit it.
void AskForSlice(std::uint64_t nanoseconds);

// When a process started: a number that its system keeps for it, on Linux clock ticks since boot (proc(5)).
// nullopt when it is gone or the system does not tell.
[[nodiscard]] std::optional<std::uint64_t> StartTicks(ProcessId pid);

// Whether a process is stopped (Ctrl-Z, SIGSTOP, a debugger): it goes on when somebody says so, or never.
[[nodiscard]] bool IsStopped(ProcessId pid);

}  // namespace probe::system
