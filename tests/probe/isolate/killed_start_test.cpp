// SPDX-License-Identifier: MIT
// A tool that is killed while it starts a child: at each of its system calls, one run after the other.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/probe/isolate/behaviours.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::isolate {
namespace {

// Stops before it starts its child, and again before that is told what to do.
[[noreturn]] void StartAChild(const std::string& folder) {
  auto environment = system::Environment::OfProcess();
  environment.Set("TMPDIR", folder);
  auto supervisor = Supervisor::Create({}, environment);
  auto request = Do("nothing");
  request.permit = [] {
    raise(SIGSTOP);
    return Result<std::shared_ptr<void>>(std::make_shared<int>());
  };
  if (!supervisor || ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
  raise(SIGSTOP);
  (void)supervisor->RunAll({&request, 1}, nullptr);
  _exit(0);
}

enum class Met { kCall, kStop, kEnd };

// Lets it run to the begin or the end of its next system call.
Met GoOn(pid_t tool) {
  int number = 0;
  for (;;) {
    int status = 0;
    if (ptrace(PTRACE_SYSCALL, tool, nullptr, number) != 0 || waitpid(tool, &status, 0) != tool ||
        !WIFSTOPPED(status))
      return Met::kEnd;
    number = WSTOPSIG(status);
    if (number == (SIGTRAP | 0x80)) return Met::kCall;
    if (number == SIGSTOP) return Met::kStop;
  }
}

struct Killed {
  bool is_traced = true;
  bool has_started = false;  // its child was there before it had met so many system calls
  bool had_scratch = false;  // a scratch directory was there when it was killed
};

// Starts a tool, and kills it when it has met so many system calls. Returns when all that it started has
// ended.
Killed KillAt(int calls, const std::string& folder) {
  Killed out;
  const pid_t tool = fork();
  if (tool == 0) StartAChild(folder);
  int status = 0;
  out.is_traced = waitpid(tool, &status, 0) == tool && WIFSTOPPED(status) &&
                  ptrace(PTRACE_SETOPTIONS, tool, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0;
  for (int met = 0; out.is_traced && met < calls && !out.has_started; ++met)
    out.has_started = GoOn(tool) != Met::kCall;
  out.had_scratch = !std::filesystem::is_empty(folder);
  kill(tool, SIGKILL);
  while (waitpid(-1, nullptr, __WALL) > 0) {
  }
  return out;
}

TEST(KilledStart, LeavesNoScratchDirectoryWhereverItIs) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // so that its child comes here, to be waited for
  const system::TemporaryTree tree;
  constexpr int kMostCalls = 2000;  // far more than there are
  bool had_scratch = false;
  int calls = 0;
  for (Killed killed; !killed.has_started; ++calls) {
    ASSERT_LT(calls, kMostCalls);
    killed = KillAt(calls, tree.root());
    if (!killed.is_traced) GTEST_SKIP() << "no process may be traced here";
    had_scratch = had_scratch || killed.had_scratch;
    ASSERT_TRUE(std::filesystem::is_empty(tree.root())) << "after " << calls << " system calls";
  }
  EXPECT_TRUE(had_scratch) << "none of " << calls << " kills came after it was made";
}

}  // namespace
}  // namespace probe::isolate
