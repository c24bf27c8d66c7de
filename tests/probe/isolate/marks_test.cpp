// SPDX-License-Identifier: MIT
// What only a supervisor does that tells descendants by marks.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "probe/isolate/reaper.h"
#include "probe/system/place.h"
#include "probe/system/process.h"
#include "tests/probe/isolate/behaviours.h"
#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/system/unprivileged.h"

namespace probe::isolate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A process in a session of its own, with these arguments and variables, until it is killed.
class Sleeper {
 public:
  explicit Sleeper(const std::vector<std::string>& variables, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"sh", "-c", "read _", "sh"};
    words.insert(words.end(), more.begin(), more.end());
    int ends[2];
    if (pipe(ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      setsid();
      dup2(ends[0], STDIN_FILENO);
      execve("/bin/sh", system::Pointers(words).data(), system::Pointers(variables).data());
      _exit(1);
    }
    close(ends[0]);
    hold_ = system::Descriptor(ends[1]);
    // Until it is what it is to be.
    for (int i = 0; i < 5000 && CommandOf(pid_).find("read _") == std::string::npos; ++i) usleep(1000);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  // Whether it has been killed, by a signal that it was sent before.
  [[nodiscard]] bool Dies() const {
    for (int i = 0; i < 1000 && IsAlive(pid_); ++i) usleep(1000);
    return !IsAlive(pid_);
  }

 private:
  static std::string CommandOf(pid_t pid) {
    const auto files = system::FileSystem::Open("/");
    const auto text = files->Read("/proc/" + std::to_string(pid) + "/cmdline");
    return text ? *text : "";
  }
  pid_t pid_ = 0;
  system::Descriptor hold_;
};

std::string Assignment(const std::string& mark) { return std::string(kMarkVariable) + "=" + mark; }

TEST(Marks, AreOfOneChildEach) {
  EXPECT_NE(NewMark(), NewMark());
  EXPECT_NE(NewMark().find_first_not_of("0123456789"), std::string::npos) << "no bare number";
}

TEST(Marks, TellWhoIsKilledAndNothingElseDoes) {
  const std::string mark = NewMark();
  const Sleeper marked({"A=1", Assignment(mark), "B=2"});
  const Sleeper in_arguments({"A=1"}, {Assignment(mark)});
  const Sleeper longer({Assignment(mark + "0")});
  const Sleeper shorter({Assignment(mark.substr(0, mark.size() - 1))});
  const Sleeper elsewhere({"X" + Assignment(mark), "X=" + Assignment(mark)});
  const Sleeper empty({Assignment("")});
  EXPECT_THAT(KillDescendants({0, mark}), ElementsAre(marked.pid()));
  EXPECT_TRUE(marked.Dies());
  EXPECT_THAT(KillDescendants({0, ""}), IsEmpty());
  for (const Sleeper* other : {&in_arguments, &longer, &shorter, &elsewhere, &empty})
    EXPECT_TRUE(IsAlive(other->pid()));
}

TEST(Marks, OfOneChildLeaveWhatAnotherStarted) {
  const std::string own = NewMark(), others = NewMark();
  const Sleeper mine({Assignment(own)}), theirs({Assignment(others)});
  const std::vector<Family> families = {{0, own}};
  EXPECT_THAT(EndStrays(families, {}, 1, system::SteadyTime::max()), IsEmpty());
  EXPECT_TRUE(mine.Dies());
  EXPECT_TRUE(IsAlive(theirs.pid()));
}

TEST(Marks, FindTheChildrenOfWhatIsMarkedToo) {
  const std::string mark = NewMark();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string script = "env -i sleep 60 >/dev/null & echo $!; wait";
  const pid_t top = fork();
  if (top == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const std::vector<std::string> words = {"sh", "-c", script},
                                   variables = {Assignment(mark), "PATH=/usr/bin:/bin"};
    execve("/bin/sh", system::Pointers(words).data(), system::Pointers(variables).data());
    _exit(1);
  }
  close(ends[1]);
  std::array<char, 32> text{};
  ASSERT_GT(read(ends[0], text.data(), text.size() - 1), 0);
  close(ends[0]);
  const pid_t below = std::stoi(text.data());
  ASSERT_TRUE(IsAlive(below));
  KillDescendants({0, mark});
  for (int i = 0; i < 1000 && (IsAlive(top) || IsAlive(below)); ++i) usleep(1000);
  EXPECT_FALSE(IsAlive(top) || IsAlive(below));
  system::Reap(top);  // where the kill did not yet
}

// Each process starts the next in a session of its own and ends: whoever follows the numbers is always late.
TEST(Strays, ThatEachStartTheNextAreEnded) {
  const std::string mark = NewMark();
  const std::string next = "n=$((n+1)); export n; [ $n -lt 3000 ] || exec sleep 60; setsid sh -c \"$R\" &";
  const pid_t first = fork();
  if (first == 0) {
    for (int fd = 0; fd < 3; ++fd) close(fd);
    const std::vector<std::string> words = {"sh", "-c", next};
    const std::vector<std::string> variables = {Assignment(mark), "R=" + next, "n=0", "PATH=/usr/bin:/bin"};
    execve("/bin/sh", system::Pointers(words).data(), system::Pointers(variables).data());
    _exit(1);
  }
  EXPECT_EQ(waitpid(first, nullptr, 0), first);
  const std::vector<Family> families = {{0, mark}};
  EXPECT_THAT(EndStrays(families, {}, 1, system::SteadyTime::max()), IsEmpty());
  // What goes on would stay at the end of its 3000 steps at the latest.
  for (int i = 0; i < 40; ++i) {
    EXPECT_THAT(KillDescendants({0, mark}), IsEmpty()) << "at look " << i;
    usleep(2000);
  }
}

TEST(Strays, ThatDoNotDieAreLeftAndCanBeLeftOutFromThenOn) {
  const std::string mark = NewMark();
  const Sleeper stray({Assignment(mark)});
  const std::vector<Family> families = {{0, mark}};
  const std::vector<system::ProcessId> keep = {stray.pid()};
  EXPECT_THAT(EndStrays(families, keep, 1, system::SteadyTime::max()), IsEmpty()) << "it waits for none";
  EXPECT_TRUE(IsAlive(stray.pid()));
  // Of what is killed at this very moment nobody knows yet whether it dies.
  EXPECT_THAT(EndStrays(families, {}, 1, system::Now()), ElementsAre(stray.pid()));
}

TEST(Marks, AreOnTheWorkAndNotOnItsReaper) {
  const auto result = RunOne(Do("linger", 20, {{"hang", true}, {"allow_s", 0.2}}));
  EXPECT_EQ(result.end, ChildEnd::kTimedOut);
  const auto reported = RunOne(Do("report"));
  EXPECT_THAT(First(reported, kMarkVariable).get<std::string>(), HasSubstr("of-"));
  auto supervisor = Supervisor::Create({}, system::Environment::OfProcess());
  ASSERT_TRUE(supervisor);
  const auto request = Do("linger", 20, {{"hang", true}, {"allow_s", 0.2}});
  std::optional<std::string> of_reaper, of_work;
  (void)supervisor->RunAll({&request, 1}, [&](std::size_t, const Json& record) {
    of_reaper = system::EnvironmentOf(record["reaper"].get<pid_t>());
    of_work = system::EnvironmentOf(record["worker"].get<pid_t>());
  });
  ASSERT_TRUE(of_reaper && of_work);
  EXPECT_THAT(*of_work, HasSubstr(kMarkVariable));
  EXPECT_THAT(*of_reaper, ::testing::Not(HasSubstr(kMarkVariable)));
}

// As an ordinary user who may have so many processes: the tool and its child, and none beside them.
TEST(Alone, WorkIsMarkedAndSaysThatItHasNoReaper) {
  if (WHICHGPU_SANITIZED) GTEST_SKIP() << "a sanitizer has threads of its own";
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be a user that has no process yet";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t tool = fork();
  if (tool == 0) {
    constexpr uid_t kNobodyElse = 12347;
    const rlimit two{2, 2};
    Json out = {{"prepared",
                 setrlimit(RLIMIT_NPROC, &two) == 0 && setgid(kNobodyElse) == 0 && setuid(kNobodyElse) == 0}};
    const auto path = system::PathOf(system::OpenOwnBinary().value().get());
    out["reachable"] = access(path.c_str(), X_OK) == 0;
    const auto result = RunOne(Do("report"));
    out["end"] = static_cast<int>(result.end);
    out["detail"] = result.detail + result.stderr_tail;
    out["mark"] = First(result, kMarkVariable);
    out["group_is_own"] = First(result, "group_is_own");
    const auto hanging = RunOne(Do("hang", 0.3));
    out["hanging"] = static_cast<int>(hanging.end);
    const std::string text = ToText(out);
    _exit(write(ends[1], text.data(), text.size()) < 0);
  }
  close(ends[1]);
  std::string text(60000, '\0');
  const ssize_t got = read(ends[0], text.data(), text.size());
  close(ends[0]);
  waitpid(tool, nullptr, 0);
  ASSERT_GT(got, 0);
  const auto json = ParseJson(std::string_view(text).substr(0, static_cast<std::size_t>(got)));
  ASSERT_TRUE(json && (*json)["prepared"] == true);
  if ((*json)["reachable"] != true) GTEST_SKIP() << "others may not reach this program's file";
  EXPECT_EQ((*json)["end"], static_cast<int>(ChildEnd::kDone)) << *json;
  EXPECT_THAT((*json)["mark"].get<std::string>(), HasSubstr("of-")) << *json;
  EXPECT_EQ((*json)["group_is_own"], true) << *json;
  EXPECT_EQ((*json)["hanging"], static_cast<int>(ChildEnd::kTimedOut)) << *json;
}

TEST(Binary, ThatWasReplacedIsNotStarted) {
  const system::TemporaryTree tree;
  const auto copy = tree.At("/copy");
  std::filesystem::copy_file("/proc/self/exe", copy);
  const system::Descriptor opened =
      system::Raise(system::Descriptor(open(copy.c_str(), O_RDONLY | O_CLOEXEC)));
  system::SpawnPlan plan;
  plan.binary = opened.get();
  plan.arguments = {"x", "--gtest_list_tests", "--gtest_filter=None"};
  const auto spawned = system::Spawn(plan);
  ASSERT_TRUE(spawned) << Describe(spawned.error());
  EXPECT_EQ(waitpid(spawned->pid, nullptr, 0), spawned->pid);
  std::filesystem::rename(copy, copy + ".old");
  EXPECT_TRUE(system::Spawn(plan)) << "it is the same file under another name";
  EXPECT_GT(waitpid(-1, nullptr, 0), 0);
  std::filesystem::copy_file("/proc/self/exe", copy + ".new");
  std::filesystem::rename(copy + ".new", copy + ".old");
  const auto replaced = system::Spawn(plan);
  ASSERT_FALSE(replaced);
  EXPECT_THAT(replaced.error().text, HasSubstr("replaced"));
  std::filesystem::remove(copy + ".old");
  EXPECT_FALSE(system::Spawn(plan));
}

// One crash is to be reported once, and nothing keeps macOS from reporting a second process that ends by its
// signal.
TEST(Reaper, TellsOfASignalByACodeAndDoesNotEndByIt) {
  for (const int number : {SIGSEGV, SIGABRT, SIGKILL}) {
    const pid_t reaper = fork();
    if (reaper == 0) EndAs({std::nullopt, number});
    int status = 0;
    ASSERT_EQ(waitpid(reaper, &status, 0), reaper);
    ASSERT_TRUE(WIFEXITED(status)) << number;
    EXPECT_EQ(WorkOf({WEXITSTATUS(status), std::nullopt}), (ProcessExit{std::nullopt, number}));
  }
  for (const int code : {0, 3, 127, 128, 255}) {
    const ProcessExit exit{code, std::nullopt};
    EXPECT_EQ(WorkOf(exit), exit) << "it is no signal's";
  }
  const ProcessExit killed{std::nullopt, SIGKILL};
  EXPECT_EQ(WorkOf(killed), killed) << "it was killed itself";
}

// What becomes of a process that is told so much before its starter closes the pipe, by dying or otherwise.
class Place : public ::testing::Test {
 protected:
  std::optional<system::ToldPlace> ComeWith(const std::string& told) {
    auto pipe = system::MakePipe().value();
    EXPECT_EQ(write(pipe.write_end.get(), told.data(), told.size()), static_cast<ssize_t>(told.size()));
    pipe.write_end.Reset();
    return system::ComeToPlace(pipe.read_end);
  }
  void TearDown() override { EXPECT_EQ(chdir(before_.c_str()), 0); }
  static std::string Said(const std::string& path) {
    using namespace std::string_literals;
    return path + "\0TMPDIR="s + path + "\0\0"s;
  }

  system::TemporaryTree tree_;
  std::string before_ = system::WorkingDirectory();
  std::string first_ = tree_.At("/whichgpu-scratch-abcdef"), second_ = tree_.At("/whichgpu-scratch-ghijkl");
};

TEST_F(Place, IsTheLastThatWasNamed) {
  std::filesystem::create_directory(second_);
  const auto place = ComeWith(Said(first_) + Said(second_) + "+");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->path, second_);
  EXPECT_THAT(place->variables, ElementsAre("TMPDIR=" + second_));
  EXPECT_EQ(system::WorkingDirectory(), second_);
}

TEST_F(Place, IsNoneWhereNoneWasMade) {
  std::filesystem::create_directory(second_);  // somebody else's
  const auto place = ComeWith(Said(first_) + Said(second_) + "-");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->path, "");
  EXPECT_THAT(place->variables, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(second_));
}

TEST_F(Place, IsRemovedWhereWhoMadeItDied) {
  for (const bool is_made : {false, true}) {
    if (is_made) std::filesystem::create_directory(first_);
    EXPECT_FALSE(ComeWith(Said(first_))) << is_made;
    EXPECT_FALSE(std::filesystem::exists(first_));
  }
  EXPECT_FALSE(ComeWith("")) << "it died before";
}

TEST_F(Place, ThatIsTheSecondHasItsOwnVariables) {
  auto environment = system::Environment::OfProcess();
  environment.Set("TMPDIR", tree_.At("/missing"));
  auto supervisor = Supervisor::Create({}, environment);
  ASSERT_TRUE(supervisor);
  const auto request = Do("report");
  const auto results = supervisor->RunAll({&request, 1}, nullptr);
  EXPECT_EQ(results[0].end, ChildEnd::kDone);
  const auto scratch = First(results[0], "cwd").get<std::string>();
  EXPECT_THAT(scratch, HasSubstr("whichgpu-scratch-"));
  EXPECT_EQ(First(results[0], "TMPDIR"), scratch);
  EXPECT_FALSE(std::filesystem::exists(scratch));
}

}  // namespace
}  // namespace probe::isolate
