// SPDX-License-Identifier: MIT
#include "report/run/out_of_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "report/core/wording.h"
#include "report/explain/parts.h"
#include "report/run/assemble.h"
#include "report/run/calibrate.h"
#include "tests/probe/tree.h"

namespace report {
namespace {

using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ChildResult EndedBy(int signal, ChildEnd end = ChildEnd::kSignalled) {
  ChildResult result;
  result.end = end;
  result.exit.signal = signal;
  return result;
}

// A group with a limit, and the kernel's count of kills in it before and after the children; empty: none.
std::vector<ChildResult> Marked(const std::string& limit, const std::string& before, const std::string& after,
                                std::vector<ChildResult> results) {
  tests::Tree tree;
  tree.Write("/proc/self/mountinfo", "30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
  tree.Write("/proc/self/cgroup", "0::/a\n").Write("/cg/a/memory.max", limit + "\n");
  const auto files = tree.Files();
  if (!before.empty()) tree.Write("/cg/a/memory.events", "oom_kill " + before + "\n");
  const OomWatch watch(files);
  if (!after.empty()) tree.Write("/cg/a/memory.events", "oom_kill " + after + "\n");
  watch.Mark(results);
  return results;
}

TEST(OutOfMemory, AKillThatTheKernelCountedIsNoCrash) {
  const auto results = Marked("67108864", "2", "3",
                              {EndedBy(SIGKILL), EndedBy(SIGSEGV), EndedBy(SIGKILL, ChildEnd::kTimedOut)});
  EXPECT_EQ(results[0].end, ChildEnd::kOutOfMemory);
  EXPECT_EQ(results[0].detail, "the memory limit of 64 MiB ended it");
  EXPECT_EQ(results[1].end, ChildEnd::kSignalled);
  EXPECT_EQ(results[2].end, ChildEnd::kTimedOut) << "that one was ours";
}

TEST(OutOfMemory, AKillThatItDidNotCountIsACrash) {
  EXPECT_EQ(Marked("67108864", "3", "3", {EndedBy(SIGKILL)})[0].end, ChildEnd::kSignalled);
}

TEST(OutOfMemory, WithoutACountALowLimitIsToBlame) {
  EXPECT_EQ(Marked("67108864", "", "", {EndedBy(SIGKILL)})[0].end, ChildEnd::kOutOfMemory);
  EXPECT_EQ(Marked("67108864000", "", "", {EndedBy(SIGKILL)})[0].end, ChildEnd::kSignalled);
  EXPECT_EQ(Marked("max", "", "", {EndedBy(SIGKILL)})[0].end, ChildEnd::kSignalled);
}

TEST(OutOfMemory, AKillOfWhichNobodyTellsIsNoCrashAndMayBeTheDrivers) {
  Target target;
  target.device_id = "cpu:0";
  target.device.runtime = "cpu";
  const auto measured = Collect(target, EndedBy(SIGKILL));
  ASSERT_EQ(measured.size(), 1U);
  EXPECT_THAT(FailureText(measured[0]), AllOf(HasSubstr("was cut short (its process was killed by SIGKILL"),
                                              HasSubstr("or the driver itself")));
  EXPECT_THAT(std::string(explain::AdviceFor(measured[0])->fix), HasSubstr("update the driver"));
  EXPECT_THAT(FailureText(Collect(target, EndedBy(SIGSEGV))[0]), HasSubstr("crashed the driver"));
  std::vector<FileRead> files;
  const auto probe = Assemble("cpu", EndedBy(SIGKILL), files);
  EXPECT_EQ(probe.outcome, probe::Outcome::kCrashed) << "a driver may have sent it to itself";
  EXPECT_THAT(OutcomeText({}, probe),
              AllOf(HasSubstr("was not heard to the end (its process was killed by SIGKILL"),
                    HasSubstr("or the driver itself")));
  EXPECT_THAT(std::string(explain::AdviceFor(probe)->fix), HasSubstr("update the driver"));
  EXPECT_THAT(OutcomeText({}, Assemble("cpu", EndedBy(SIGSEGV), files)),
              HasSubstr("crashed while it was asked"));
}

TEST(OutOfMemory, NoDriverIsBlamed) {
  const auto result = Marked("67108864", "0", "1", {EndedBy(SIGKILL)})[0];
  Target target;
  target.device_id = "cpu:0";
  target.device.runtime = "cpu";
  const auto measured = Collect(target, result);
  ASSERT_EQ(measured.size(), 1U);
  EXPECT_EQ(measured[0].status, backends::MeasurementStatus::kFailed);
  const auto* advice = explain::AdviceFor(measured[0]);
  ASSERT_NE(advice, nullptr);
  EXPECT_THAT(std::string(advice->fix), HasSubstr("memory limit"));
  EXPECT_THAT(std::string(advice->fix), Not(HasSubstr("driver")));
  EXPECT_THAT(FailureText(measured[0]), HasSubstr("64 MiB"));

  std::vector<FileRead> files;
  const auto probed = Assemble("opencl", result, files);
  EXPECT_EQ(probed.outcome, probe::Outcome::kFailed);
  EXPECT_THAT(OutcomeText({}, probed), HasSubstr("could not be asked (the memory limit of 64 MiB"));
  ASSERT_NE(explain::AdviceFor(probed), nullptr);
  EXPECT_THAT(std::string(explain::AdviceFor(probed)->fix), HasSubstr("memory limit"));
}

}  // namespace
}  // namespace report
