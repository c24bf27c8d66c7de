// SPDX-License-Identifier: MIT
// What a child leaves behind, and what happens when the parent dies first.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/isolate/strays.h"
#include "probe/system/process.h"
#include "tests/probe/isolate/behaviours.h"

namespace probe::isolate {
namespace {

struct Case {
  const char* name;
  Json request;
  ChildEnd end;
};

class Descendants : public ::testing::TestWithParam<Case> {};

TEST_P(Descendants, AreGoneWhenTheSupervisorReturns) {
  const auto& param = GetParam();
  const auto result = RunOne(Do("linger", 30, param.request));
  EXPECT_EQ(result.end, param.end);
  const auto pid = First(result, "pid");
  ASSERT_TRUE(pid.is_number()) << result.stderr_tail;
  EXPECT_FALSE(IsAlive(pid.get<pid_t>()));
}

INSTANTIATE_TEST_SUITE_P(
    Of, Descendants,
    ::testing::Values(Case{"DoneChild", Json::object(), ChildEnd::kDone},
                      Case{"DoneChildWithSession", {{"setsid", true}}, ChildEnd::kDone},
                      Case{"DoneChildWithDaemon", {{"setsid", true}, {"daemon", true}}, ChildEnd::kDone},
                      Case{"KilledChild", {{"hang", true}, {"allow_s", 0.1}}, ChildEnd::kTimedOut},
                      Case{"KilledChildWithSession",
                           {{"hang", true}, {"allow_s", 0.1}, {"setsid", true}},
                           ChildEnd::kTimedOut},
                      Case{"KilledChildWithDaemon",
                           {{"hang", true}, {"allow_s", 0.1}, {"setsid", true}, {"daemon", true}},
                           ChildEnd::kTimedOut}),
    [](const auto& instance) { return instance.param.name; });

pid_t StartSleeper() {
  const pid_t pid = fork();
  if (pid == 0) {
    for (;;) pause();
  }
  return pid;
}

TEST(Strays, AreNotThoseThatThisProcessAlreadyHad) {
  const pid_t sleeper = StartSleeper();
  const auto result = RunOne(Do("linger", 20, {{"setsid", true}}));
  EXPECT_FALSE(IsAlive(First(result, "pid").get<pid_t>()));
  EXPECT_TRUE(IsAlive(sleeper));
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
}

TEST(Strays, AreFoundBelowAProcessThatDoesNotDie) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t top = fork();
  if (top == 0) {
    const pid_t below = StartSleeper();
    if (write(ends[1], &below, sizeof below) < 0) _exit(1);
    for (;;) pause();
  }
  pid_t below = 0;
  ASSERT_EQ(read(ends[0], &below, sizeof below), static_cast<ssize_t>(sizeof below));
  ASSERT_TRUE(IsAlive(below));
  KillDescendants(top);
  for (int i = 0; i < 1000 && IsAlive(below); ++i) usleep(1000);
  EXPECT_FALSE(IsAlive(below));
  EXPECT_TRUE(IsAlive(top));
  kill(top, SIGKILL);
  waitpid(top, nullptr, 0);
}

// The orphan comes to this process, a subreaper, which so learns how it died.
TEST(Orphans, DieWithTheParent) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const auto request = Do("hang", 60);
    auto supervisor = Supervisor::Create({}, system::Environment::OfProcess());
    const auto tell = [&](std::size_t, const Json& record) {
      const auto pid = record["pid"].get<pid_t>();
      if (write(ends[1], &pid, sizeof pid) < 0) _exit(1);
    };
    (void)supervisor->RunAll({&request, 1}, tell);
    _exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ASSERT_TRUE(IsAlive(child));
  kill(parent, SIGKILL);
  EXPECT_EQ(waitpid(parent, nullptr, 0), parent);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

}  // namespace
}  // namespace probe::isolate
