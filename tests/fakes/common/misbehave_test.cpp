// SPDX-License-Identifier: MIT
// Every misbehaviour does what it is called, at the point where it is asked for.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/fakes/common/fake_fixture.h"

namespace fakes {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

class Misbehaving : public FakeDriver {
 protected:
  // One act: `{"at": <point>, "do": <act><rest>}`.
  void Do(const std::string& point, const std::string& act, const std::string& rest = "") {
    SetScenario(R"({"misbehave": [{"at": ")" + point + R"(", "do": ")" + act + "\"" + rest + "}]}");
  }
};
FAKE_RUNTIMES(Misbehaving);

TEST_P(Misbehaving, ReachesThePointsOfDetection) {
  for (const char* point : {"load", "init", "enumerate", "properties"}) {
    Do(point, "abort");
    EXPECT_EQ(Run("list").signal, SIGABRT) << point;
  }
}

TEST_P(Misbehaving, ReachesThePointsOfAComputation) {
  for (const char* point : {"create", "allocate", "compile", "launch", "read_back"}) {
    Do(point, "abort");
    EXPECT_EQ(Run("list").code, 0) << point;
    EXPECT_EQ(Run("run").signal, SIGABRT) << point;
  }
}

TEST_P(Misbehaving, HangsAndIgnoresSigterm) {
  for (const char* act : {"hang", "spin"}) {
    Do("enumerate", act);
    ChildRun run = Client("list");
    run.deadline_s = 0.4;
    const ChildEnd end = RunChild(run);
    EXPECT_TRUE(end.timed_out) << act;
    EXPECT_TRUE(end.survived_sigterm) << act;
    EXPECT_EQ(end.signal, SIGKILL) << act;
  }
}

TEST_P(Misbehaving, Crashes) {
  Do("enumerate", "segfault");
  EXPECT_EQ(Run("list").signal, SIGSEGV);
  Do("enumerate", "stack_overflow");
  EXPECT_EQ(Run("list").signal, SIGSEGV);
}

TEST_P(Misbehaving, ThrowsThroughACInterface) {
  Do("enumerate", "throw_cxx");
  const ChildEnd end = Run("list");
  EXPECT_EQ(end.signal, SIGABRT);
  EXPECT_THAT(end.err.head, HasSubstr("runtime_error"));
}

TEST_P(Misbehaving, ExitsWithoutAWord) {
  Do("enumerate", "exit0");
  const ChildEnd end = Run("list");
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.out.bytes + end.err.bytes + end.result.bytes, 0U);
}

TEST_P(Misbehaving, FloodsStdoutAndStderrAndGoesOn) {
  Do("enumerate", "flood_stdout");
  const ChildEnd end = Run("list");
  EXPECT_EQ(end.code, 0);
  EXPECT_GE(end.out.bytes, 32U << 20U);
  EXPECT_GE(end.err.bytes, 32U << 20U);
  EXPECT_EQ(end.result.head, "done");
}

TEST_P(Misbehaving, ClosesEveryDescriptorAndGoesOn) {
  Do("properties", "close_fds");
  const ChildEnd end = Run("list");
  EXPECT_EQ(end.code, 0) << end.err.head;
  EXPECT_EQ(Value(end, "sent"), "no");
  EXPECT_EQ(end.result.bytes, 0U);
}

TEST_P(Misbehaving, FloodsTheResultDescriptorAndGoesOn) {
  Do("enumerate", "flood_fds", R"(, "bytes": 20000000)");
  const ChildEnd end = Run("list");
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(Value(end, "sent"), "yes");
  EXPECT_GE(end.result.bytes, 20'000'000U + 4U);
}

TEST_P(Misbehaving, FillsTheWorkingDirectoryAndHangs) {
  Do("enumerate", "fill_scratch", R"(, "bytes": 1000000)");
  ChildRun run = Client("list");
  run.deadline_s = 0.5;
  EXPECT_TRUE(RunChild(run).timed_out);
  EXPECT_EQ(std::filesystem::file_size(directory() + "/fake_scratch"), 1'000'000U);
}

TEST_P(Misbehaving, LeavesAProcessBehind) {
  for (const char* detach : {"none", "setsid", "daemon"}) {
    const std::string pid_file = directory() + "/pid_" + detach;
    Do("enumerate", "fork_linger",
       std::string(R"(, "detach": ")") + detach + R"(", "pid_file": ")" + pid_file + "\"");
    const ChildEnd end = Run("list");
    EXPECT_EQ(end.code, 0) << end.err.head;
    EXPECT_EQ(end.result.head, "done");
    pid_t pid = 0;
    std::ifstream(pid_file) >> pid;
    ASSERT_GT(pid, 0) << detach;
    EXPECT_EQ(kill(pid, SIGTERM), 0) << detach;
    usleep(20'000);
    EXPECT_EQ(kill(pid, 0), 0) << detach << ": it ended at SIGTERM";
    std::string name;
    std::ifstream("/proc/" + std::to_string(pid) + "/comm") >> name;
    EXPECT_EQ(name, "fake_linger");
    const bool detached = getsid(pid) != getsid(0);
    EXPECT_EQ(detached, std::string(detach) != "none");
    EXPECT_EQ(getpgid(pid) == end.pid, !detached);
    kill(pid, SIGKILL);
  }
}

TEST_P(Misbehaving, ReturnsTheErrorItWasGiven) {
  Do("load", "error", R"(, "code": -9)");
  EXPECT_THAT(Value(Run("list"), "error") + Value(Run("list"), "devices"),
              AnyOf(Eq("vkCreateInstance -9"), HasSubstr("clGetPlatformIDs -1001")));
  Do("enumerate", "error", R"(, "code": -6)");
  EXPECT_THAT(Value(Run("list"), "error"),
              AnyOf(HasSubstr("vkEnumeratePhysicalDevices"), Eq("clGetDeviceIDs -6")));
  Do("create", "error", R"(, "code": -6)");
  EXPECT_THAT(Value(Run("run"), "error"), AnyOf(Eq("vkCreateDevice -6"), Eq("clCreateContext -6")));
  Do("launch", "error", R"(, "code": -4)");
  EXPECT_THAT(Value(Run("run"), "error"), AnyOf(Eq("vkQueueSubmit -4"), Eq("clEnqueueNDRangeKernel -4")));
}

TEST_P(Misbehaving, WaitsForItsTurnAndItsDevice) {
  Do("launch", "abort", R"(, "after": 1)");
  EXPECT_EQ(Run("run").code, 0);
  Do("launch", "abort", R"(, "device": 1)");
  EXPECT_EQ(Run("run").code, 0);
  Do("launch", "abort", R"(, "device": 0)");
  EXPECT_EQ(Run("run").signal, SIGABRT);
}

TEST_P(Misbehaving, DoesOneThingAfterTheOther) {
  SetScenario(R"({"misbehave": [{"at": "enumerate", "do": "flood_stdout", "bytes": 1000000},
                             {"at": "properties", "do": "abort"}]})");
  const ChildEnd end = Run("list");
  EXPECT_GE(end.out.bytes, 1'000'000U);
  EXPECT_EQ(end.signal, SIGABRT);
}

}  // namespace
}  // namespace fakes
