// SPDX-License-Identifier: MIT
// Processes as macOS's sysctl(3) tells of them.
#include "probe/system/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace probe::system {
namespace {

bool IsOver(const kinfo_proc& process) { return process.kp_proc.p_stat == SZOMB; }

// In microseconds since 1970.
std::uint64_t StartOf(const kinfo_proc& process) {
  constexpr std::uint64_t kMicrosecondsPerSecond = 1'000'000;
  const timeval& start = process.kp_proc.p_starttime;
  return static_cast<std::uint64_t>(start.tv_sec) * kMicrosecondsPerSecond +
         static_cast<std::uint64_t>(start.tv_usec);
}

std::optional<kinfo_proc> InfoOf(ProcessId pid) {
  std::array<int, 4> name = {CTL_KERN, KERN_PROC, KERN_PROC_PID, pid};
  kinfo_proc out{};
  std::size_t bytes = sizeof out;
  const bool is_told = sysctl(name.data(), name.size(), &out, &bytes, nullptr, 0) == 0 && bytes == sizeof out;
  return is_told ? std::optional(out) : std::nullopt;
}

std::vector<kinfo_proc> AllInfo() {
  std::array<int, 3> name = {CTL_KERN, KERN_PROC, KERN_PROC_ALL};
  constexpr int kMostTries = 8;  // more processes may have started than there was room for
  std::vector<kinfo_proc> out;
  for (int i = 0; i < kMostTries; ++i) {
    std::size_t bytes = 0;
    if (sysctl(name.data(), name.size(), nullptr, &bytes, nullptr, 0) != 0) break;
    out.resize(bytes / sizeof(kinfo_proc) + 64);
    bytes = out.size() * sizeof(kinfo_proc);
    if (sysctl(name.data(), name.size(), out.data(), &bytes, nullptr, 0) == 0) {
      out.resize(bytes / sizeof(kinfo_proc));
      return out;
    }
    if (errno != ENOMEM) break;
  }
  return {};
}

// The most that the arguments and variables of a process take.
std::size_t MostArgumentBytes() {
  std::array<int, 2> name = {CTL_KERN, KERN_ARGMAX};
  int most = 0;
  std::size_t bytes = sizeof most;
  return sysctl(name.data(), name.size(), &most, &bytes, nullptr, 0) == 0 && most > 0
             ? static_cast<std::size_t>(most)
             : std::size_t{1} << 20U;
}

}  // namespace

Result<Descriptor> OpenOwnBinary() {
  std::array<char, PATH_MAX> name{};
  auto room = static_cast<std::uint32_t>(name.size());
  if (_NSGetExecutablePath(name.data(), &room) != 0)
    return Error{"_NSGetExecutablePath", std::nullopt, "", "the path of this program is too long"};
  std::array<char, PATH_MAX> path{};
  if (realpath(name.data(), path.data()) == nullptr)
    return ErrnoError(std::string("realpath ") + name.data(), errno);
  Descriptor binary(open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!binary.ok()) return ErrnoError(std::string("open ") + path.data(), errno);
  return Raise(std::move(binary));
}

std::string PathOf(int descriptor) {
  std::array<char, PATH_MAX> path{};
  return fcntl(descriptor, F_GETPATH, path.data()) == 0 ? path.data() : "";
}

// Between the two calls another thread's new process would inherit the ends: the tool starts processes from
// one thread.
Result<Pipe> MakePipe() {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return ErrnoError("pipe", errno);
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  Pipe out{Raise(Descriptor(ends[0])), Raise(Descriptor(ends[1]))};
  if (!out.read_end.ok() || !out.write_end.ok()) return ErrnoError("pipe", errno);
  return out;
}

std::vector<ProcessEntry> ProcessTable() {
  auto all = AllInfo();
  std::sort(all.begin(), all.end(),
            [](const kinfo_proc& one, const kinfo_proc& other) { return StartOf(one) > StartOf(other); });
  std::vector<ProcessEntry> out;
  for (const kinfo_proc& one : all) out.push_back({one.kp_proc.p_pid, one.kp_eproc.e_ppid, IsOver(one)});
  return out;
}

std::optional<std::vector<ProcessId>> ChildrenOf(ProcessId pid) {
  const auto all = AllInfo();
  if (all.empty()) return std::nullopt;
  std::vector<ProcessId> out;
  for (const kinfo_proc& one : all) {
    if (one.kp_eproc.e_ppid == pid) out.push_back(one.kp_proc.p_pid);
  }
  return out;
}

std::vector<ProcessId> OwnChildren(ProcessId) {
  return ChildrenOf(getpid()).value_or(std::vector<ProcessId>());
}

// Root is shown all, and anybody may start a process with variables that he has seen.
std::optional<std::string> EnvironmentOf(ProcessId pid) {
  const auto info = InfoOf(pid);
  if (!info || info->kp_eproc.e_pcred.p_ruid != getuid()) return std::nullopt;
  static const std::size_t most = MostArgumentBytes();
  const auto buffer = std::make_unique_for_overwrite<char[]>(most);
  std::array<int, 3> name = {CTL_KERN, KERN_PROCARGS2, pid};
  std::size_t bytes = most;
  if (sysctl(name.data(), name.size(), buffer.get(), &bytes, nullptr, 0) != 0) return std::nullopt;
  return std::string(VariablesIn({buffer.get(), bytes}));
}

bool HasEnded(ProcessId pid) {
  const auto info = InfoOf(pid);
  return !info || IsOver(*info);
}

bool IsStopped(ProcessId pid) {
  const auto info = InfoOf(pid);
  return info && info->kp_proc.p_stat == SSTOP;
}

std::optional<std::uint64_t> StartTicks(ProcessId pid) {
  const auto info = InfoOf(pid);
  return info && !IsOver(*info) ? std::optional(StartOf(*info)) : std::nullopt;
}

// There is no such hint.
void AskForSlice(std::uint64_t) {}

// Of the thread, which debuggers show: lists of processes show the file's name.
void NameThisProcess(const char* name) { pthread_setname_np(name); }

void AwaitAny(std::span<const int> descriptors, std::chrono::nanoseconds longest) {
  std::vector<pollfd> polled;
  for (const int descriptor : descriptors) polled.push_back({descriptor, POLLIN, 0});
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(longest).count();
  poll(polled.data(), static_cast<nfds_t>(polled.size()),
       static_cast<int>(std::clamp<decltype(ms + 0)>(ms, 0, INT_MAX)));
}

bool FillRandom(void* bytes, std::size_t count) { return getentropy(bytes, count) == 0; }

void CloseDescriptorsFrom(int first) {
  // All are found before one is closed: closing changes the folder.
  std::vector<int> open_ones;
  if (DIR* folder = opendir("/dev/fd")) {
    while (const dirent* entry = readdir(folder)) {
      const int number = atoi(entry->d_name);
      if (number >= first && entry->d_name[0] != '.' && number != dirfd(folder)) open_ones.push_back(number);
    }
    closedir(folder);
  } else {
    const int count = std::min(getdtablesize(), 4096);
    for (int number = first; number < count; ++number) open_ones.push_back(number);
  }
  for (const int number : open_ones) close(number);
}

}  // namespace probe::system
