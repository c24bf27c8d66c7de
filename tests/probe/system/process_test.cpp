// SPDX-License-Identifier: MIT
#include "probe/system/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/probe/system/unprivileged.h"

namespace probe::system {
namespace {

using ::testing::Contains;

pid_t Fork(void (*work)()) {
  const pid_t pid = fork();
  if (pid == 0) {
    work();
    _exit(0);
  }
  return pid;
}

std::optional<ProcessExit> WaitPeeking(pid_t pid) {
  for (int i = 0; i < 5000; ++i) {
    if (auto exit = PeekExit(pid)) return exit;
    usleep(1000);
  }
  return std::nullopt;
}

TEST(Process, LooksAtAnEndWithoutTakingItAway) {
  const pid_t coded = Fork([] { _exit(7); });
  const pid_t killed = Fork([] { raise(SIGKILL); });
  EXPECT_EQ(WaitPeeking(coded), (ProcessExit{7, std::nullopt}));
  EXPECT_EQ(WaitPeeking(coded), (ProcessExit{7, std::nullopt}));
  EXPECT_EQ(WaitPeeking(killed), (ProcessExit{std::nullopt, SIGKILL}));
  EXPECT_TRUE(Reap(coded));
  EXPECT_TRUE(Reap(killed));
  EXPECT_FALSE(Reap(killed));
}

TEST(Process, KnowsItsChildren) {
  const pid_t sleeper = Fork([] {
    prctl(PR_SET_NAME, "a) R 1\n2 (b");  // what a driver may call itself
    for (;;) pause();
  });
  EXPECT_EQ(PeekExit(sleeper), std::nullopt);
  EXPECT_THAT(OwnChildren(1), Contains(sleeper));
  EXPECT_THAT(ChildrenOf(getpid()).value(), Contains(sleeper));
  EXPECT_TRUE(StartTicks(sleeper));
  EXPECT_FALSE(IsStopped(sleeper));
  kill(sleeper, SIGSTOP);
  ASSERT_EQ(waitpid(sleeper, nullptr, WUNTRACED), sleeper);
  EXPECT_TRUE(IsStopped(sleeper));
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
  EXPECT_FALSE(StartTicks(sleeper));
  EXPECT_FALSE(IsStopped(sleeper));
  EXPECT_THAT(OwnChildren(1), ::testing::Not(Contains(sleeper)));
}

TEST(Process, ListsAllWithTheirParents) {
  const pid_t ended = Fork([] {});
  ASSERT_TRUE(WaitPeeking(ended));
  std::size_t found = 0;
  for (const ProcessEntry& entry : ProcessTable()) {
    if (entry.pid != getpid() && entry.pid != ended) continue;
    ++found;
    EXPECT_EQ(entry.parent, entry.pid == ended ? getpid() : getppid());
    EXPECT_EQ(entry.ended, entry.pid == ended);
  }
  EXPECT_EQ(found, 2U);
  EXPECT_TRUE(Reap(ended));
}

TEST(Process, TellsTheVariablesThatOneWasStartedWith) {
  ASSERT_EQ(setenv("WHICHGPU_TEST_LATE", "1", 1), 0);
  const auto own = EnvironmentOf(getpid());
  unsetenv("WHICHGPU_TEST_LATE");
  ASSERT_TRUE(own);
  EXPECT_THAT(*own, ::testing::HasSubstr("PATH="));
  EXPECT_THAT(*own, ::testing::Not(::testing::HasSubstr("WHICHGPU_TEST_LATE")));
  const pid_t ended = Fork([] {});
  ASSERT_TRUE(WaitPeeking(ended));
  EXPECT_TRUE(Reap(ended));
  EXPECT_EQ(EnvironmentOf(ended), std::nullopt);
}

// A process that sleeps, started with the variables by that user.
pid_t SleeperOf(uid_t user, std::vector<std::string> variables) {
  std::array<int, 2> started{};
  if (pipe2(started.data(), O_CLOEXEC) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    char name[] = "sleep", seconds[] = "60";
    char* arguments[] = {name, seconds, nullptr};
    if (user == getuid() || setuid(user) == 0) execve("/bin/sleep", arguments, environment.data());
    _exit(1);
  }
  close(started[1]);
  char byte = 0;
  (void)!read(started[0], &byte, 1);  // ends as it becomes the other program
  close(started[0]);
  return pid;
}

TEST(Process, TellsTheLastOfManyVariables) {
  std::vector<std::string> variables;
  for (int i = 0; i < 15; ++i)
    variables.push_back("MANY" + std::to_string(i) + "=" + std::string(100'000, 'x'));
  variables.push_back("LAST=1");
  const pid_t sleeper = SleeperOf(getuid(), variables);
  const auto told = EnvironmentOf(sleeper);
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->ends_with(std::string("LAST=1") + '\0')) << told->size();
}

TEST(Process, TellsNoVariablesOfAnotherUsers) {
  if (getuid() != 0) GTEST_SKIP() << "skipped: only root is shown them, and can start one";
  const pid_t sleeper = SleeperOf(kUnprivilegedUser, {"SEEN=1"});
  const auto told = EnvironmentOf(sleeper);
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
  EXPECT_EQ(told, std::nullopt);
}

// The layout that macOS tells arguments and variables in.
std::string ProcessArguments(int count, const std::vector<std::string>& strings) {
  std::string out(reinterpret_cast<const char*>(&count), sizeof count);
  out += std::string("/usr/bin/it") + std::string(5, '\0');
  for (const auto& one : strings) out += one + '\0';
  return out;
}

TEST(Process, TakesNoArgumentForAVariable) {
  using namespace std::string_literals;  // NOLINT(google-build-using-namespace)
  EXPECT_EQ(VariablesIn(ProcessArguments(2, {"it", "MARK=x", "A=1", "B=2"})), "A=1\0B=2\0"s);
  EXPECT_EQ(VariablesIn(ProcessArguments(3, {"it", "", "MARK=x", "A=1"})), "A=1\0"s);
  EXPECT_EQ(VariablesIn(ProcessArguments(2, {"", "MARK=x", "A=1", "B=2"})), "B=2\0"s) << "one is lost";
  EXPECT_EQ(VariablesIn(ProcessArguments(0, {"A=1"})), "A=1\0"s);
  EXPECT_EQ(VariablesIn(ProcessArguments(9, {"it", "MARK=x"})), "");
  EXPECT_EQ(VariablesIn(ProcessArguments(-1, {"A=1"})), "A=1\0"s);
  const std::string whole = ProcessArguments(2, {"it", "MARK=x", "A=1"});
  for (std::size_t cut = 0; cut < whole.size() - 4; ++cut)
    EXPECT_EQ(VariablesIn(std::string_view(whole).substr(0, cut)), "") << cut;
}

TEST(Process, KnowsThePathOfAnOpenFile) {
  const auto binary = OpenOwnBinary();
  ASSERT_TRUE(binary);
  EXPECT_EQ(PathOf(binary->get()), std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(PathOf(-1), "");
}

TEST(Process, ReportsWhatCanNotBeExecuted) {
  auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  SpawnPlan plan;
  plan.binary = pipe->read_end.get();
  plan.arguments = {"x"};
  const auto spawned = Spawn(plan);
  ASSERT_FALSE(spawned);
  EXPECT_EQ(spawned.error().name, "EACCES");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "nothing is left behind";
}

TEST(Process, FindsItsOwnBinary) {
  const auto binary = OpenOwnBinary();
  ASSERT_TRUE(binary);
  SpawnPlan plan;
  plan.binary = binary->get();
  plan.arguments = {"x", "--gtest_list_tests", "--gtest_filter=None"};
  const auto pid = Spawn(plan);
  ASSERT_TRUE(pid) << Describe(pid.error());
  EXPECT_EQ(WaitPeeking(pid->pid), (ProcessExit{0, std::nullopt}));
  EXPECT_TRUE(Reap(pid->pid));
}

TEST(Umask, TakesNothingFromTheOwner) {
  const mode_t before = umask(0777);
  KeepOwnersPermissions();
  EXPECT_EQ(umask(before), 0077U);
  umask(0022);
  KeepOwnersPermissions();
  EXPECT_EQ(umask(before), 0022U) << "what the caller gives and keeps from others is his";
}

}  // namespace
}  // namespace probe::system
