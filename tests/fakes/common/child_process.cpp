// SPDX-License-Identifier: MIT
#include "tests/fakes/common/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <cstdlib>

namespace fakes {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeadBytes = 65536;

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int end : ends) close(end);
  }
};

[[noreturn]] void Become(const ChildRun& run, const std::array<Pipe, 3>& pipes) {
  // Above the numbers that are to be taken, or one dup2 could close the source of the next.
  std::array<int, 3> sources{};
  for (std::size_t i = 0; i < 3; ++i) sources[i] = fcntl(pipes[i].ends[1], F_DUPFD_CLOEXEC, 100);
  for (std::size_t i = 0; i < 3; ++i) dup2(sources[i], static_cast<int>(i) + 1);
  // Nothing of whoever runs the test is to be flooded.
  close_range(4, UINT_MAX, CLOSE_RANGE_CLOEXEC);
  const rlimit no_core{1, 1};
  setrlimit(RLIMIT_CORE, &no_core);
  setpgid(0, 0);
  if (!run.directory.empty() && chdir(run.directory.c_str()) != 0) _exit(126);
  for (const auto& [name, value] : run.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  arguments.reserve(run.arguments.size() + 1);
  for (const std::string& argument : run.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

void Drain(int fd, Captured& captured) {
  std::array<char, 65536> block;
  for (;;) {
    const ssize_t count = read(fd, block.data(), block.size());
    if (count <= 0) return;
    captured.bytes += static_cast<std::uint64_t>(count);
    captured.head.append(block.data(), std::min<std::size_t>(static_cast<std::size_t>(count),
                                                             kHeadBytes - captured.head.size()));
  }
}

// True when it has ended before `until`.
bool Watch(ChildEnd& end, const std::array<Pipe, 3>& pipes, Clock::time_point until) {
  for (;;) {
    int status = 0;
    const bool ended = waitpid(end.pid, &status, WNOHANG) == end.pid;
    Drain(pipes[0].ends[0], end.out);
    Drain(pipes[1].ends[0], end.err);
    Drain(pipes[2].ends[0], end.result);
    if (ended) {
      if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
      if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
      return true;
    }
    if (Clock::now() > until) return false;
    std::array<pollfd, 3> waiting{};
    for (std::size_t i = 0; i < 3; ++i) waiting[i] = {pipes[i].ends[0], POLLIN, 0};
    poll(waiting.data(), waiting.size(), 2);
  }
}

}  // namespace

ChildEnd RunChild(const ChildRun& run) {
  using std::chrono::duration;
  const std::array<Pipe, 3> pipes;
  ChildEnd end;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(duration<double>(run.deadline_s));
  end.pid = fork();
  if (end.pid == 0) Become(run, pipes);
  if (Watch(end, pipes, deadline)) return end;
  end.timed_out = true;
  kill(end.pid, SIGTERM);
  end.survived_sigterm = !Watch(end, pipes, Clock::now() + std::chrono::milliseconds(100));
  if (end.survived_sigterm) {
    kill(end.pid, SIGKILL);
    Watch(end, pipes, Clock::now() + std::chrono::seconds(10));
  }
  return end;
}

}  // namespace fakes
