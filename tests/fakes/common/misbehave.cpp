// SPDX-License-Identifier: MIT
#include "tests/fakes/common/misbehave.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace fakes {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kFloodBytes = std::uint64_t{32} << 20U;
constexpr std::uint64_t kScratchBytes = std::uint64_t{512} << 20U;
// A hang ends after this, far beyond any deadline, so that a broken supervisor does not litter the machine
// for good.
constexpr double kHangSeconds = 300;
constexpr unsigned int kNobody = 65534;

void IgnoreSignals() {
  for (const int signal_number : {SIGTERM, SIGINT, SIGHUP}) signal(signal_number, SIG_IGN);
}

void SleepUntil(Clock::time_point end, bool busy) {
  while (Clock::now() < end) {
    if (!busy) usleep(100'000);
  }
}

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

[[noreturn]] void Hang(bool busy) {
  IgnoreSignals();
  SleepUntil(After(kHangSeconds), busy);
  _exit(97);
}

// Writes until the bytes are out, an error comes, or nobody has read for a second.
void Flood(int fd, std::uint64_t bytes) {
  std::string block(65536, '\xff');
  for (std::size_t i = 0; i < block.size(); i += 7) block[i] = static_cast<char>('!' + i % 90);
  signal(SIGPIPE, SIG_IGN);
  std::uint64_t sent = 0;
  while (sent < bytes) {
    pollfd waiting{fd, POLLOUT, 0};
    if (poll(&waiting, 1, 1000) <= 0 || (waiting.revents & POLLOUT) == 0) return;
    const ssize_t written = write(fd, block.data(), std::min<std::uint64_t>(block.size(), bytes - sent));
    if (written <= 0) return;
    sent += static_cast<std::uint64_t>(written);
  }
}

std::vector<int> OpenDescriptors() {
  std::vector<int> found;
  for (int fd = 3; fd < 1024; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) found.push_back(fd);
  }
  return found;
}

void FloodDescriptors(std::uint64_t bytes) {
  for (const int fd : OpenDescriptors()) {
    const int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) Flood(fd, bytes);
  }
}

[[noreturn]] void Linger(const Misbehaviour& what) {
  IgnoreSignals();
  prctl(PR_SET_NAME, "fake_linger");
  const std::string temporary = what.pid_file + ".part";
  if (std::FILE* file = std::fopen(temporary.c_str(), "w")) {
    std::fprintf(file, "%d\n", static_cast<int>(getpid()));
    std::fclose(file);
    std::rename(temporary.c_str(), what.pid_file.c_str());
  }
  SleepUntil(After(what.seconds), false);
  _exit(0);
}

void ForkLinger(const Misbehaviour& what) {
  const pid_t child = fork();
  if (child == 0) {
    if (what.detach != Detach::kNone) setsid();
    if (what.detach == Detach::kDaemon && fork() != 0) _exit(0);
    Linger(what);
  }
  if (child > 0 && what.detach == Detach::kDaemon) waitpid(child, nullptr, 0);
  for (const auto end = After(2); access(what.pid_file.c_str(), F_OK) != 0 && Clock::now() < end;)
    usleep(1000);
}

[[noreturn]] void FillScratch(std::uint64_t bytes) {
  const int fd = open("fake_scratch", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) Flood(fd, bytes);
  Hang(false);
}

// Through a pointer that the compiler must not look through, or it would make a loop of it.
int Recurse(int depth);
int (*volatile recurse)(int) = &Recurse;

int Recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth > (1 << 20) ? 0 : recurse(depth + 1) + frame[0];
}

void Crash() {
  void* forbidden = mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(forbidden) = 1;
}

// Of everybody in this process, for good.
void Limit(__rlimit_resource resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(resource, &both);
}

void Perform(const Misbehaviour& what) {
  const auto bytes = [&](std::uint64_t usual) { return what.bytes == 0 ? usual : what.bytes; };
  Mark(what);
  switch (what.act) {
    case Act::kHang:
      Hang(false);
    case Act::kSpin:
      Hang(true);
    case Act::kAbort:
      std::abort();
    case Act::kSegfault:
      return Crash();
    case Act::kExit0:
      std::exit(0);
    case Act::kFloodStdout:
      Flood(STDOUT_FILENO, bytes(kFloodBytes));
      return Flood(STDERR_FILENO, bytes(kFloodBytes));
    case Act::kCloseFds:
      for (const int fd : OpenDescriptors()) close(fd);
      return;
    case Act::kFloodFds:
      return FloodDescriptors(bytes(kFloodBytes));
    case Act::kForkLinger:
      return ForkLinger(what);
    case Act::kThrowCxx:
      throw std::runtime_error("fake driver: an exception through a C interface");
    case Act::kStackOverflow:
      (void)Recurse(0);
      return;
    case Act::kFillScratch:
      FillScratch(bytes(kScratchBytes));
    case Act::kLowerFiles:
      return Limit(RLIMIT_NOFILE, 3);
    case Act::kLowerMemory:
      return Limit(RLIMIT_AS, rlim_t{1} << 20U);
    case Act::kDropUser:
      if (setgid(kNobody) != 0 || setuid(kNobody) != 0) return;  // not allowed: then nothing happens
      return;
    case Act::kChroot:
      if (chroot(".") != 0) return;
      return;
    case Act::kCloseLowFds:
      for (int fd = 3; fd < 64; ++fd) close(fd);
      return;
    case Act::kClearEnvironment:
      clearenv();
      return;
    case Act::kHostile:
      return what.hostile(what);
    case Act::kError:
      return;
  }
}

}  // namespace

std::optional<std::int32_t> Reach(Point point, std::optional<std::uint32_t> device) {
  static std::vector<std::atomic<std::uint32_t>> passed(Current().misbehave.size());
  std::optional<std::int32_t> error;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const Misbehaviour& what = Current().misbehave[i];
    const bool late_error = what.act == Act::kError && what.at == Point::kLoad && point == Point::kInit;
    if ((what.at != point && !late_error) || (what.device && what.device != device)) continue;
    const std::uint32_t times = passed[i]++;
    if (times < what.after) continue;
    if (what.act == Act::kError) {
      error = what.code;
    } else if (times == what.after) {
      Perform(what);
    }
  }
  return error;
}

void ReachLoad() { (void)Reach(Point::kLoad); }

void ReachTeardown(std::optional<std::uint32_t> device) { (void)Reach(Point::kTeardown, device); }

}  // namespace fakes
