// SPDX-License-Identifier: MIT
#include "probe/isolate/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "probe/isolate/channel.h"
#include "tests/probe/isolate/behaviours.h"

namespace probe::isolate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Supervisor, RunsAChildToItsEnd) {
  const auto result = RunOne(Do("nothing"));
  EXPECT_EQ(result.end, ChildEnd::kDone) << result.detail;
  EXPECT_EQ(result.exit.code, 0);
  EXPECT_EQ(result.exit.signal, std::nullopt);
  EXPECT_THAT(result.records, SizeIs(0));
  EXPECT_EQ(result.stderr_tail, "");
}

TEST(Supervisor, HandsTheRequestOver) {
  const auto result = RunOne(Do("report", 20, {{"text", std::string(30000, 'x')}}));
  ASSERT_THAT(result.records, SizeIs(1));
  EXPECT_EQ(First(result, "request")["text"], std::string(30000, 'x'));
}

TEST(Supervisor, DoesNotStartAChildWhoseRequestIsTooLarge) {
  const auto result = RunOne(Do("report", 20, {{"text", std::string(3U << 20U, 'x')}}));
  EXPECT_EQ(result.end, ChildEnd::kNotStarted);
  EXPECT_THAT(result.detail, HasSubstr("bytes"));
}

TEST(Supervisor, EndsAChildUnusedThatGetsNoPermit) {
  auto request = Do("report");
  request.permit = [] { return Result<std::shared_ptr<void>>(Error{"", std::nullopt, "", "not today"}); };
  const auto result = RunOne(request);
  EXPECT_EQ(result.end, ChildEnd::kNotStarted);
  EXPECT_EQ(result.detail, "not today");
  EXPECT_THAT(result.records, SizeIs(0));
}

TEST(Supervisor, KeepsThePermitUntilTheChildHasEnded) {
  auto supervisor = Supervisor::Create({}, system::Environment::OfProcess());
  ASSERT_TRUE(supervisor);
  std::weak_ptr<void> permit;
  auto request = Do("report");
  request.permit = [&permit] {
    const std::shared_ptr<void> given = std::make_shared<int>();
    permit = given;
    return Result<std::shared_ptr<void>>(given);
  };
  bool meanwhile = false;
  bool kept = false;
  const auto results = supervisor->RunAll(
      {&request, 1}, [&](std::size_t, const Json&) { kept = !permit.expired(); }, [&] { meanwhile = true; });
  EXPECT_EQ(results[0].end, ChildEnd::kDone);
  EXPECT_TRUE(meanwhile);
  EXPECT_TRUE(kept);
  EXPECT_TRUE(permit.expired());
}

TEST(Supervisor, DeliversRecordsAsTheyArriveWithTheirChildsNumber) {
  auto supervisor = Supervisor::Create({}, system::Environment::OfProcess());
  ASSERT_TRUE(supervisor);
  const std::vector<ChildRequest> requests = {Do("nothing"), Do("exit"), Do("report")};
  std::vector<std::size_t> seen;
  const auto results =
      supervisor->RunAll(requests, [&](std::size_t child, const Json&) { seen.push_back(child); });
  EXPECT_THAT(seen, ::testing::UnorderedElementsAre(1U, 2U));
  EXPECT_THAT(results, SizeIs(3));
  EXPECT_THAT(supervisor->RunAll({}, nullptr), SizeIs(0));
}

TEST(Supervisor, GivesTheChildTheEnvironmentOfBoth) {
  ASSERT_EQ(setenv("WHICHGPU_TEST_KEPT", "parent", 1), 0);
  ASSERT_EQ(setenv("WHICHGPU_TEST_REPLACED", "parent", 1), 0);
  auto request = Do("report");
  request.environment = {{"WHICHGPU_TEST_ADDED", "request"}, {"WHICHGPU_TEST_REPLACED", "request"}};
  const auto result = RunOne(request);
  EXPECT_EQ(First(result, "WHICHGPU_TEST_KEPT"), "parent");
  EXPECT_EQ(First(result, "WHICHGPU_TEST_REPLACED"), "request");
  EXPECT_EQ(First(result, "WHICHGPU_TEST_ADDED"), "request");
}

TEST(Supervisor, ConfinesTheChildAsPromised) {
  const int inheritable = open("/dev/null", O_RDONLY);
  const auto result = RunOne(Do("report"));
  close(inheritable);
  EXPECT_EQ(First(result, "core_bytes"), 1);
  EXPECT_EQ(First(result, "group_is_own"), true);
  EXPECT_EQ(First(result, "signals_blocked"), false);
  EXPECT_EQ(First(result, "stdin_bytes"), 0);
  const auto descriptors = First(result, "descriptors");
  ASSERT_EQ(descriptors.size(), 4U) << descriptors;
  EXPECT_EQ(descriptors[2], 2);
  EXPECT_GE(descriptors[3], 10) << "the result pipe is out of the way";
}

TEST(Supervisor, GivesTheChildAScratchDirectoryAndRemovesIt) {
  const auto result = RunOne(Do("fill_scratch", 20, {{"hang", false}}));
  EXPECT_EQ(result.end, ChildEnd::kDone);
  const auto where = RunOne(Do("report"));
  const auto scratch = First(where, "cwd").get<std::string>();
  EXPECT_THAT(scratch, HasSubstr("whichgpu-"));
  EXPECT_EQ(First(where, "TMPDIR"), scratch);
  EXPECT_EQ(First(where, "XDG_CACHE_HOME"), scratch) << "drivers without a variable of their own cache there";
  EXPECT_FALSE(std::filesystem::exists(scratch));
}

TEST(Supervisor, PointsWhatItIsToldToAtTheScratchDirectory) {
  auto request = Do("report");
  request.scratch_variables = {"WHICHGPU_TEST_ADDED"};
  const auto result = RunOne(request);
  EXPECT_EQ(First(result, "WHICHGPU_TEST_ADDED"), First(result, "cwd"));
}

TEST(Supervisor, TellsHowAChildDied) {
  const std::vector<ChildRequest> requests = {Do("abort"), Do("segfault"),
                                              Do("throw"), Do("throw_in_thread"),
                                              Do("exit"),  Do("exit", 20, {{"code", 3}})};
  const auto results = RunThem(requests);
  ASSERT_THAT(results, SizeIs(6));
  for (const std::size_t aborted : {0U, 2U, 3U}) {
    EXPECT_EQ(results[aborted].end, ChildEnd::kSignalled) << aborted;
    EXPECT_EQ(results[aborted].exit.signal, SIGABRT) << aborted;
  }
  EXPECT_EQ(results[1].exit.signal, SIGSEGV);
  EXPECT_EQ(First(results[1], "stage"), "init") << "what arrived before counts";
  EXPECT_THAT(results[3].stderr_tail, HasSubstr("thrown"));
  EXPECT_EQ(results[4].end, ChildEnd::kExited) << "exit 0 without the last word";
  EXPECT_EQ(results[4].exit.code, 0);
  EXPECT_EQ(First(results[4], "stage"), "init");
  EXPECT_EQ(results[5].end, ChildEnd::kExited);
  EXPECT_EQ(results[5].exit.code, 3);
}

TEST(Supervisor, ReportsAnUnknownTaskAsAnErrorOfTheChild) {
  auto request = Do("nothing");
  request.task = "no such task";
  const auto result = RunOne(request);
  EXPECT_EQ(result.end, ChildEnd::kDone);
  EXPECT_EQ(First(result, "error")["name"], "unknown task");
  EXPECT_EQ(First(RunOne(Do("no such behaviour")), "error")["name"], "unknown behaviour");
}

TEST(Supervisor, KeepsTheLastOfAFloodedStderrCleaned) {
  const auto result = RunOne(Do("flood_standard_streams", 20, {{"last", "\n\n  last \x1b[31mwords\n\n"}}));
  EXPECT_EQ(result.end, ChildEnd::kDone);
  EXPECT_LE(result.stderr_tail.size(), 4096U);
  EXPECT_THAT(result.stderr_tail, ::testing::StartsWith("noise on stderr\n"));
  EXPECT_THAT(result.stderr_tail, ::testing::EndsWith("\nlast \\x1b[31mwords"));
}

TEST(Supervisor, EndsAChildThatWritesIntoItsResults) {
  const auto result = RunOne(Do("flood_results"));
  EXPECT_EQ(result.end, ChildEnd::kFlooded);
  EXPECT_THAT(result.detail, HasSubstr("its results"));
  EXPECT_EQ(First(result, "stage"), "init");
}

TEST(Supervisor, EndsAChildThatSendsTooMuch) {
  const auto result = RunOne(Do("send_too_much", 100));
  EXPECT_EQ(result.end, ChildEnd::kFlooded);
  EXPECT_GE(result.records.size(), 16U);
  EXPECT_LE(result.records.size(), 17U);
}

TEST(Supervisor, ReplacesAnOversizedRecordByAnError) {
  const auto result = RunOne(Do("send_oversized"));
  EXPECT_EQ(result.end, ChildEnd::kDone);
  ASSERT_THAT(result.records, SizeIs(2));
  EXPECT_EQ(First(result, "error")["name"], "too large");
  EXPECT_EQ(result.records[1]["stage"], "init");
}

TEST(Supervisor, ReceivesWholeRecordsFromManyThreads) {
  EXPECT_THAT(RunOne(Do("send_from_threads")).records, SizeIs(1000));
}

TEST(Supervisor, NoticesThatADriverClosedOrReplacedTheResultPipe) {
  for (const bool reuse : {false, true}) {
    const auto result = RunOne(Do("close_descriptors", 20, {{"reuse", reuse}}));
    EXPECT_EQ(result.end, ChildEnd::kExited);
    EXPECT_EQ(result.exit.code, 70);
    EXPECT_THAT(result.records, ElementsAre(Json{{"stage", "init"}}));
  }
}

TEST(Supervisor, WorksWithTheStandardStreamsClosed) {
  std::array<int, 3> saved{};
  for (int fd = 0; fd < 3; ++fd) {
    saved[static_cast<std::size_t>(fd)] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
    close(fd);
  }
  const auto result = RunOne(Do("report"));
  for (int fd = 0; fd < 3; ++fd) dup2(saved[static_cast<std::size_t>(fd)], fd);
  EXPECT_EQ(result.end, ChildEnd::kDone);
  EXPECT_EQ(First(result, "descriptors").size(), 4U);
}

TEST(Supervisor, SaysWhyAChildCouldNotBeStarted) {
  // A child of its own, which the supervisor finds when it counts its children without having started one.
  const pid_t sleeper = fork();
  if (sleeper == 0) {
    for (;;) pause();
  }
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  auto supervisor = Supervisor::Create({}, system::Environment::OfProcess());
  const rlimit few{10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto request = Do("nothing");
  const auto results = supervisor->RunAll({&request, 1}, nullptr);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(results[0].end, ChildEnd::kNotStarted);
  EXPECT_NE(results[0].detail, "");
  EXPECT_TRUE(IsAlive(sleeper));
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
}

TEST(Supervisor, SeesHowChildrenEndWhenItsCallerIgnoredThem) {
  signal(SIGCHLD, SIG_IGN);
  const auto result = RunOne(Do("exit", 20, {{"code", 5}}));
  signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(result.exit.code, 5);
}

}  // namespace
}  // namespace probe::isolate
