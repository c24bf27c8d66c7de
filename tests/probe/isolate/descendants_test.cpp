// SPDX-License-Identifier: MIT
// What a child leaves behind, and what happens when the parent dies first.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "probe/isolate/crash_marker.h"
#include "probe/isolate/reaper.h"
#include "probe/system/process.h"
#include "tests/probe/isolate/behaviours.h"
#include "tests/probe/system/temporary_tree.h"

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
  EXPECT_TRUE(Ends(pid.get<pid_t>()));
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
  const auto alive = KillDescendants({top, ""});
  EXPECT_EQ(alive, std::vector<pid_t>{below});
  EXPECT_TRUE(Ends(below));
  EXPECT_TRUE(IsAlive(top));
  kill(top, SIGKILL);
  waitpid(top, nullptr, 0);
}

TEST(Strays, ThatCanNotBeReapedAreToldAndCostNoMoreTime) {
  if (ToldByMarks()) GTEST_SKIP() << "strays are nobody's children there";
  const pid_t stray = StartSleeper();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t tracer = fork();
  if (tracer == 0) {
    const char traced = ptrace(PTRACE_SEIZE, stray, nullptr, nullptr) == 0 ? 1 : 0;
    if (write(ends[1], &traced, 1) < 0) _exit(1);
    for (;;) pause();
  }
  char traced = 0;
  EXPECT_EQ(read(ends[0], &traced, 1), 1);
  for (const int end : ends) close(end);
  // Nobody can reap what another traces until that one knows of its end.
  std::vector<system::ProcessId> keep = {tracer};
  const auto left = traced ? EndStrays({}, keep, 1, system::Now() + std::chrono::milliseconds(50))
                           : std::vector<system::ProcessId>{stray};
  EXPECT_EQ(left, std::vector<system::ProcessId>{stray});
  keep.push_back(stray);
  EXPECT_TRUE(EndStrays({}, keep, 1, system::SteadyTime::max()).empty()) << "it waits for none";
  for (const pid_t pid : {tracer, stray}) {
    kill(pid, SIGKILL);
    EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
  }
  if (!traced) GTEST_SKIP() << "no process may be traced here";
}

bool AreMultiplying(const std::vector<std::vector<system::ProcessId>>& looks, bool work_is_dead) {
  Looks out;
  for (const auto& alive : looks) out.Add(alive, work_is_dead);
  return out.AreMultiplying();
}

TEST(Strays, MultiplyWhereThreeLooksInARowFindNewOnesAndTheWorkIsDead) {
  const std::vector<std::vector<system::ProcessId>> growing = {{7}, {8}, {8, 9}, {10}};
  EXPECT_TRUE(AreMultiplying(growing, true));
  EXPECT_FALSE(AreMultiplying(growing, false)) << "the work itself lives";
  EXPECT_FALSE(AreMultiplying({{7}, {8}, {9}}, true)) << "two looks";
  EXPECT_FALSE(AreMultiplying({{7}, {8}, {8}, {9}, {10}}, true)) << "not in a row";
  EXPECT_FALSE(AreMultiplying({{7}, {7}, {7}, {7}}, true)) << "it was killed and lives on";
  EXPECT_FALSE(AreMultiplying({{7}, {8}, {9}, {10}, {}}, true)) << "none is left";
}

TEST(Strays, AreNotThereWhereALookFoundNothing) {
  Looks looks;
  EXPECT_FALSE(looks.FoundNothing()) << "nobody has looked";
  looks.Add({7}, true);
  EXPECT_FALSE(looks.FoundNothing());
  looks.Add({}, true);
  EXPECT_TRUE(looks.FoundNothing());
  EXPECT_EQ(looks.count(), 2);
}

// A tool that is killed while its child works: the child's first record, and what became of the rest.
class KilledTool : public ::testing::TestWithParam<Case> {};

TEST_P(KilledTool, LeavesNothingBehind) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // an orphan would come here instead of to init
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t tool = fork();
  if (tool == 0) {
    const auto request = Do("linger", 60, GetParam().request);
    auto supervisor = Supervisor::Create({}, system::Environment::OfProcess());
    const auto tell = [&](std::size_t, const Json& record) {
      const std::string text = ToText(record);
      if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    };
    (void)supervisor->RunAll({&request, 1}, tell);
    _exit(0);
  }
  std::array<char, 1000> text{};
  const ssize_t got = read(ends[0], text.data(), text.size());
  for (const int end : ends) close(end);
  ASSERT_GT(got, 0);
  const auto record = ParseJson({text.data(), static_cast<std::size_t>(got)});
  ASSERT_TRUE(record);
  const auto work = (*record)["worker"].get<pid_t>(), below = (*record)["pid"].get<pid_t>();
  const auto scratch = (*record)["cwd"].get<std::string>();
  ASSERT_TRUE(IsAlive(work) && IsAlive(below) && std::filesystem::exists(scratch));
  kill(tool, SIGKILL);
  EXPECT_EQ(waitpid(tool, nullptr, 0), tool);
  // The reaper is this process's child now and ends when nothing is left of all that.
  const auto reaper = (*record)["reaper"].get<pid_t>();
  EXPECT_EQ(waitpid(reaper, nullptr, 0), reaper);
  EXPECT_FALSE(IsAlive(work));
  EXPECT_FALSE(IsAlive(below));
  EXPECT_FALSE(std::filesystem::exists(scratch));
  // Where the reaper does not adopt the orphan it comes here, dead.
  EXPECT_EQ(waitpid(below, nullptr, WNOHANG), ToldByMarks() ? below : -1);
}

INSTANTIATE_TEST_SUITE_P(
    With, KilledTool,
    ::testing::Values(Case{"AChild", {{"hang", true}}, {}},
                      Case{"ASession", {{"hang", true}, {"setsid", true}}, {}},
                      Case{"ADaemon", {{"hang", true}, {"setsid", true}, {"daemon", true}}, {}}),
    [](const auto& instance) { return instance.param.name; });

// A tool whose children hang, each with a marker.
class MarkedTool : public ::testing::Test {
 protected:
  struct Child {
    pid_t work = 0, reaper = 0;
  };
  void SetUp() override {
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    environment_.Set("XDG_CACHE_HOME", tree_.At("/cache"));
  }
  // Returns its number once all of its children work.
  pid_t Start(const std::vector<CrashKey>& steps, const Json& work = {{"hang", true}}) {
    EXPECT_EQ(pipe(ends_), 0);
    const pid_t tool = fork();
    if (tool == 0) Run(steps, work);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::pair<std::size_t, Child> one;
      EXPECT_EQ(read(ends_[0], &one, sizeof one), static_cast<ssize_t>(sizeof one));
      children_[one.first] = one.second;
    }
    for (const int end : ends_) close(end);
    return tool;
  }
  CrashMarkers Markers() { return CrashMarkers::Open(environment_, *files_); }
  bool IsWeak(const CrashKey& step) {
    const auto marker = ParseJson(*files_->Read(Markers().PathOf(step)));
    return marker && (*marker)["weak"] == true;
  }

  system::TemporaryTree tree_;
  system::Environment environment_ = system::Environment::OfProcess();
  Result<system::FileSystem> files_ = system::FileSystem::Open("/");
  std::map<std::size_t, Child> children_;

 private:
  [[noreturn]] void Run(const std::vector<CrashKey>& steps, const Json& work) {
    const auto markers = Markers();
    std::vector<ChildRequest> requests;
    for (const CrashKey& step : steps) {
      requests.push_back(Do("linger", 60, work));
      requests.back().marker = markers.PathOf(step);
      requests.back().permit = [&markers, &step]() -> Result<std::shared_ptr<void>> {
        return std::shared_ptr<void>(
            std::make_shared<CrashMarkers::Guard>(markers.Arm(step, "trying", Outlives::kProcess)));
      };
    }
    auto supervisor = Supervisor::Create({}, system::Environment::OfProcess());
    const auto tell = [&](std::size_t i, const Json& record) {
      if (!record.contains("worker")) return;
      const std::pair<std::size_t, Child> one = {
          i, {record["worker"].get<pid_t>(), record["reaper"].get<pid_t>()}};
      if (write(ends_[1], &one, sizeof one) < 0) _exit(1);
    };
    (void)supervisor->RunAll(requests, tell);
    _exit(0);
  }
  int ends_[2] = {-1, -1};
};

TEST_F(MarkedTool, ThatIsKilledLeavesTheMarkerOfTheChildThatDiedWithIt) {
  const std::vector<CrashKey> steps = {{"first", {}, ""}, {"second", {}, ""}};
  const pid_t tool = Start(steps);
  kill(tool, SIGSTOP);
  kill(children_[0].work, SIGKILL);
  for (int i = 0; i < 1000 && IsAlive(children_[0].reaper); ++i) usleep(1000);
  kill(tool, SIGKILL);
  EXPECT_EQ(waitpid(tool, nullptr, 0), tool);
  for (const auto& [i, child] : children_) EXPECT_EQ(waitpid(child.reaper, nullptr, 0), child.reaper);
  EXPECT_TRUE(Markers().Survivor(steps[0]) && Markers().Survivor(steps[1]));
  EXPECT_FALSE(IsWeak(steps[0])) << "its step may have ended the tool";
  EXPECT_TRUE(IsWeak(steps[1])) << "its step went on";
}

TEST_F(MarkedTool, ThatIsKilledIsToldOfBeforeItsReaperIsDone) {
  const std::vector<CrashKey> steps = {{"first", {}, ""}};
  const pid_t tool = Start(steps);
  const auto [work, reaper] = children_[0];
  if (ptrace(PTRACE_SEIZE, work, nullptr, nullptr) != 0) {
    kill(tool, SIGKILL);
    EXPECT_EQ(waitpid(tool, nullptr, 0), tool);
    EXPECT_EQ(waitpid(reaper, nullptr, 0), reaper);
    GTEST_SKIP() << "no process may be traced here";
  }
  kill(tool, SIGKILL);
  EXPECT_EQ(waitpid(tool, nullptr, 0), tool);
  // Nobody can reap what another traces until that one knows of its end.
  for (int i = 0; i < 1000 && !IsWeak(steps[0]); ++i) usleep(1000);
  EXPECT_TRUE(IsWeak(steps[0])) << "the next run may begin by now";
  // Where it is not the reaper that reaps what is left it is not held up.
  EXPECT_EQ(ToldByMarks() ? 0 : waitpid(reaper, nullptr, WNOHANG), 0) << "it was done";
  EXPECT_EQ(waitpid(work, nullptr, __WALL), work);
  EXPECT_EQ(waitpid(reaper, nullptr, 0), reaper);
}

TEST_F(MarkedTool, ThatIsKilledIsNotBlamedOnWorkThatFindsNobodyToTell) {
  const std::vector<CrashKey> steps = {{"first", {}, ""}};
  for (const char* speaks : {"and ends by SIGPIPE", "deaf"}) {
    const pid_t tool = Start(steps, {{"speaks", speaks}});
    const auto [work, reaper] = children_[0];
    kill(reaper, SIGSTOP);  // so that the work is the first to learn of the end
    kill(tool, SIGKILL);
    EXPECT_EQ(waitpid(tool, nullptr, 0), tool);
    for (int i = 0; i < 1000 && !system::HasEnded(work); ++i) usleep(1000);
    EXPECT_TRUE(system::HasEnded(work));
    kill(reaper, SIGCONT);
    EXPECT_EQ(waitpid(reaper, nullptr, 0), reaper);
    EXPECT_TRUE(IsWeak(steps[0])) << speaks;
  }
}

TEST_F(MarkedTool, ThatIsKilledWithItsReaperEndsTheWork) {
  const pid_t tool = Start({{"first", {}, ""}});
  const auto [work, reaper] = children_[0];
  kill(tool, SIGSTOP);  // so that it does not see its reaper's end
  for (const pid_t pid : {reaper, tool}) kill(pid, SIGKILL);
  for (const pid_t pid : {tool, reaper}) EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
  const auto ends = [](pid_t pid) {
    for (int i = 0; i < 5000 && !system::HasEnded(pid); ++i) usleep(1000);
    return system::HasEnded(pid);
  };
  EXPECT_TRUE(ends(work));
  // What the work started is here by now: nobody ends it where the kernel ended the work.
  for (const pid_t pid : system::OwnChildren(1)) {
    EXPECT_TRUE(!ToldByMarks() || ends(pid)) << pid;
    kill(pid, SIGKILL);
    EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
  }
}

TEST(Reaper, KnowsItsToolByItsArguments) {
  const OwnTool tool{{4711, 12}, "/marker", "of-1-2", Part::kWork};
  auto arguments = ArgumentsFor(tool);
  const auto read = ToolOf(system::Pointers(arguments));
  EXPECT_EQ(read.run.pid, 4711);
  EXPECT_EQ(read.run.start_ticks, 12U);
  EXPECT_EQ(read.marker, "/marker");
  EXPECT_EQ(read.mark, "of-1-2");
  EXPECT_EQ(read.part, Part::kWork);
  arguments[2] = "4711x";
  arguments[3] = "12x";
  const auto wrong = ToolOf(system::Pointers(arguments));
  EXPECT_EQ(wrong.run.pid, 0) << "no number";
  EXPECT_EQ(wrong.run.start_ticks, std::nullopt);
}

TEST(Reaper, ThatItsOwnChildKilledCostsThatChildAlone) {
  const Json daemon = {{"setsid", true}, {"daemon", true}, {"to_parent", SIGKILL}, {"hang", true}};
  const std::vector<ChildRequest> requests = {Do("linger", 20, daemon), Do("report")};
  const auto results = RunThem(requests);
  EXPECT_EQ(results[0].end, ChildEnd::kSignalled);
  EXPECT_LT(results[0].elapsed_s, 10);
  EXPECT_EQ(results[1].end, ChildEnd::kDone);
  EXPECT_TRUE(Ends(First(results[0], "pid").get<pid_t>()));
  EXPECT_TRUE(Ends(First(results[0], "worker").get<pid_t>()));
}

TEST(Reaper, ThatItsOwnChildStoppedHoldsNothingUp) {
  const auto done = RunOne(Do("linger", 20, {{"setsid", true}, {"to_parent", SIGSTOP}}));
  EXPECT_EQ(done.end, ChildEnd::kDone);
  EXPECT_LT(done.elapsed_s, 10);
  EXPECT_TRUE(Ends(First(done, "pid").get<pid_t>()));
  const auto hanging =
      RunOne(Do("linger", 20, {{"setsid", true}, {"to_parent", SIGSTOP}, {"hang", true}, {"allow_s", 0.1}}));
  EXPECT_EQ(hanging.end, ChildEnd::kTimedOut);
  EXPECT_TRUE(Ends(First(hanging, "pid").get<pid_t>()));
}

TEST(Reaper, LetsAChildEndItsOwnGroup) {
  const auto result = RunOne(Do("kill_group"));
  EXPECT_EQ(result.end, ChildEnd::kSignalled);
  EXPECT_EQ(result.exit.signal, SIGTERM);
}

}  // namespace
}  // namespace probe::isolate
