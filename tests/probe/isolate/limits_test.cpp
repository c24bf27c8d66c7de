// SPDX-License-Identifier: MIT
// Deadlines, the scratch limit and interruption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "probe/isolate/interrupt.h"
#include "probe/system/clock.h"
#include "tests/probe/isolate/behaviours.h"

namespace probe::isolate {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// What a limit may add, docs/contract.md section 3.
constexpr double kSlackSeconds = 1.0;

TEST(Deadline, EndsAChildThatIgnoresSignals) {
  const auto result = RunOne(Do("hang", 0.3));
  EXPECT_EQ(result.end, ChildEnd::kTimedOut);
  EXPECT_EQ(result.exit.signal, SIGKILL);
  EXPECT_GE(result.elapsed_s, 0.3);
  EXPECT_LT(result.elapsed_s, 0.3 + kSlackSeconds);
}

TEST(Deadline, KeepsWhatArrivedBeforeIt) {
  const auto result = RunOne(Do("hang", 30, {{"allow_s", 0.1}}));
  EXPECT_EQ(result.end, ChildEnd::kTimedOut);
  EXPECT_EQ(First(result, "stage"), "init");
}

TEST(Deadline, EndsAStoppedChild) { EXPECT_EQ(RunOne(Do("stop", 0.3)).end, ChildEnd::kTimedOut); }

TEST(Deadline, EndsAChildThatIsStoppedAndTraced) {
  const auto result = RunOne(Do("stop_traced", 0.3));
  EXPECT_EQ(result.end, ChildEnd::kTimedOut);
  EXPECT_EQ(result.exit.signal, SIGKILL);
}

TEST(Forged, TheLastWordIsNotBelieved) {
  const auto result = RunOne(Do("forge", 20, {{"record", {{"done", true}}}}));
  EXPECT_EQ(result.end, ChildEnd::kFlooded);
  EXPECT_THAT(result.detail, HasSubstr("somebody else"));
  EXPECT_THAT(result.records, SizeIs(1)) << "what came before stays";
}

TEST(Forged, TimeIsNotGiven) {
  const auto result = RunOne(Do("forge", 20, {{"record", {{"allow_s", 1e9}}}, {"hang", true}}));
  EXPECT_EQ(result.end, ChildEnd::kFlooded);
  EXPECT_LT(result.elapsed_s, 20);
}

TEST(Deadline, IsEachChildsOwn) {
  const std::vector<ChildRequest> requests = {Do("hang", 0.6), Do("report"), Do("hang", 0.2)};
  const auto start = system::Now();
  const auto results = RunThem(requests);
  EXPECT_LT(system::SecondsSince(start), 0.6 + kSlackSeconds);
  ASSERT_THAT(results, SizeIs(3));
  EXPECT_EQ(results[0].end, ChildEnd::kTimedOut);
  EXPECT_EQ(results[1].end, ChildEnd::kDone);
  EXPECT_EQ(results[2].end, ChildEnd::kTimedOut);
  EXPECT_LT(results[2].elapsed_s, results[0].elapsed_s);
}

TEST(Deadline, OfNothingOrNonsenseIsNow) {
  // On a busy machine it may die later than it is waited for.
  const auto is_over = AnyOf(ChildEnd::kTimedOut, ChildEnd::kAbandoned);
  EXPECT_THAT(RunOne(Do("hang", 0)).end, is_over);
  EXPECT_THAT(RunOne(Do("hang", -5)).end, is_over);
  EXPECT_EQ(RunOne(Do("nothing", 1e300)).end, ChildEnd::kDone);
}

TEST(Allowance, EndsAStepBeforeTheDeadline) {
  const auto result = RunOne(Do("step", 60, {{"steps", {{{"allow_s", 0.2}, {"take_s", 60}}}}}));
  EXPECT_EQ(result.end, ChildEnd::kTimedOut);
  EXPECT_GE(result.elapsed_s, 0.2);
  EXPECT_LT(result.elapsed_s, 30) << "the child's own start comes before the step";
}

// Its first step took longer than the second was allowed.
TEST(Allowance, TheTimeOfTheLastStepIsKnown) {
  const Json steps = {{{"allow_s", 30}, {"take_s", 0.5}}, {{"allow_s", 0.1}, {"take_s", 60}}};
  const auto result = RunOne(Do("step", 60, {{"steps", steps}}));
  EXPECT_EQ(result.end, ChildEnd::kTimedOut);
  EXPECT_GE(result.step_s, 0.1);
  EXPECT_LE(result.step_s, result.elapsed_s - 0.5);
}

TEST(Allowance, IsReplacedByTheNext) {
  const Json steps = {{{"allow_s", 1.2}, {"take_s", 0.7}}, {{"allow_s", 1.2}, {"take_s", 0.7}}};
  EXPECT_EQ(RunOne(Do("step", 20, {{"steps", steps}})).end, ChildEnd::kDone);
}

TEST(Allowance, NeverMovesTheDeadlineBack) {
  const auto result = RunOne(Do("step", 0.3, {{"steps", {{{"allow_s", 100}, {"take_s", 20}}}}}));
  EXPECT_EQ(result.end, ChildEnd::kTimedOut);
  EXPECT_LT(result.elapsed_s, 0.3 + kSlackSeconds);
}

TEST(Allowance, IsNoMoreThanTheRequestGrantsItsKindOfStep) {
  auto request = Do("step", 60, {{"steps", {{{"allow_s", 50}, {"take_s", 50}}}}});
  request.most_allowed_s = [](const Json& record) { return record.at("allow_s") == 50 ? 0.2 : 60; };
  const auto result = RunOne(request);
  EXPECT_EQ(result.end, ChildEnd::kTimedOut);
  EXPECT_LT(result.elapsed_s, 30) << "it asked for 50 s and was to get 0.2 s";
  request.most_allowed_s = [](const Json&) { return 1e9; };
  request.deadline_s = 0.3;
  EXPECT_LT(RunOne(request).elapsed_s, 0.3 + kSlackSeconds) << "nor later than the deadline";
}

TEST(Scratch, IsBounded) {
  SupervisorOptions options;
  options.max_scratch_bytes = 3U << 20U;
  const auto result = RunOne(Do("fill_scratch", 20, {{"mib", 8}}), options);
  EXPECT_EQ(result.end, ChildEnd::kFlooded);
  EXPECT_THAT(result.detail, HasSubstr("scratch"));
  EXPECT_EQ(First(result, "stage"), "init");
  EXPECT_EQ(RunOne(Do("fill_scratch", 0.4, {{"mib", 1}}), options).end, ChildEnd::kTimedOut);
}

class Interruption : public ::testing::Test {
 protected:
  void SetUp() override {
    auto installed = InstallInterruptHandlers();
    ASSERT_TRUE(installed);
    options_.interrupt = *installed;
  }
  void TearDown() override {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  }
  SupervisorOptions options_;
};

TEST_F(Interruption, EndsRunningChildrenAtOnceAndKeepsEveryRecord) {
  const std::vector<ChildRequest> requests = {Do("hang", 60), Do("report", 60), Do("hang", 60)};
  auto supervisor = Supervisor::Create(options_, system::Environment::OfProcess());
  std::size_t records = 0;
  pid_t reporter = 0;
  // The signal comes while RunAll polls: when two children are known to hang and the third has ended.
  std::thread sender;
  const auto results = supervisor->RunAll(requests, [&](std::size_t child, const Json& record) {
    if (child == 1) reporter = record["pid"].get<pid_t>();
    if (++records < requests.size()) return;
    sender = std::thread([reporter] {
      while (IsAlive(reporter)) usleep(10000);
      usleep(100000);
      kill(getpid(), SIGTERM);
    });
  });
  ASSERT_TRUE(sender.joinable());
  sender.join();
  for (const std::size_t hanging : {0U, 2U}) {
    EXPECT_EQ(results[hanging].end, ChildEnd::kInterrupted);
    EXPECT_LT(results[hanging].elapsed_s, 30);
    EXPECT_EQ(First(results[hanging], "stage"), "init");
    EXPECT_FALSE(IsAlive(First(results[hanging], "pid").get<pid_t>()));
  }
  EXPECT_EQ(results[1].end, ChildEnd::kDone);
  EXPECT_EQ(options_.interrupt.signal->load(), SIGTERM);
}

TEST_F(Interruption, StartsNothingAnyMore) {
  kill(getpid(), SIGINT);
  kill(getpid(), SIGTERM);
  const auto result = RunOne(Do("report"), options_);
  EXPECT_EQ(result.end, ChildEnd::kInterrupted);
  EXPECT_THAT(result.records, SizeIs(0));
  EXPECT_EQ(options_.interrupt.signal->load(), SIGINT) << "the first one counts";
}

}  // namespace
}  // namespace probe::isolate
