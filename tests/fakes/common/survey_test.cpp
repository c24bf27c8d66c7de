// SPDX-License-Identifier: MIT
// The fakes as devices: what they claim reaches a client through the real loader, and launches do what was
// asked.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/fakes/common/fake_fixture.h"
#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

FAKE_RUNTIMES(FakeDriver);

std::string Hex(const std::string& text) {
  std::string out;
  for (const char c : text) {
    char pair[3];
    std::snprintf(pair, sizeof(pair), "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += pair;
  }
  return out;
}

std::uint64_t Number(const ChildEnd& end, const std::string& key) {
  const std::string value = Value(end, key);
  EXPECT_NE(value, "") << key << " is missing in\n" << end.out.head << end.err.head;
  return value.empty() ? 0 : std::stoull(value);
}

TEST_P(FakeDriver, WithoutScenarioIsOneGoodDevice) {
  const ChildEnd end = Run("list");
  EXPECT_EQ(end.code, 0) << end.err.head;
  EXPECT_EQ(Value(end, "devices"), "1");
  EXPECT_EQ(Value(end, "0.name"), Hex("Fake GPU"));
  EXPECT_EQ(end.result.head, "done");
}

TEST_P(FakeDriver, ClaimsTheFactsOfItsScenario) {
  SetScenario(R"({"devices": [{"name": "First"}, {"name": "Second", "vendor_id": 4318, "pci": "0002:c1:1f.7",
    "uuid": "00112233445566778899aabbccddeeff", "memory_total_bytes": 12884901888, "max_buffer_bytes": 123456,
    "subgroup_width": 64}]})");
  const ChildEnd end = Run("list");
  ASSERT_EQ(Value(end, "devices"), "2") << end.err.head;
  // Vulkan's loader has an order of its own.
  const std::string second = Value(end, "0.name") == Hex("Second") ? "0." : "1.";
  EXPECT_EQ(Value(end, second + "name"), Hex("Second"));
  EXPECT_EQ(Value(end, second + "vendor_id"), "4318");
  EXPECT_EQ(Value(end, second + "pci"), "2:193:31.7");
  EXPECT_EQ(Value(end, second + "uuid"), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(Value(end, second + "memory"), "12884901888");
  EXPECT_EQ(Value(end, second + "max_buffer"), "123456");
  EXPECT_EQ(Value(end, second + "subgroup"), "64");
}

TEST_P(FakeDriver, HasTheTypeOfItsScenario) {
  SetScenario(R"({"devices": [{"type": "cpu"}, {"type": "discrete"}]})");
  const ChildEnd end = Run("list");
  // VK_PHYSICAL_DEVICE_TYPE_CPU is 4, _DISCRETE_GPU 2 (first in its loader's order); CL_DEVICE_TYPE_CPU 2,
  // _GPU 4.
  EXPECT_EQ(Value(end, "0.type") + " " + Value(end, "1.type"), "2 4");
}

TEST_P(FakeDriver, MayHaveAHostileName) {
  SetScenario(
      R"({"devices": [{"name": [255, 254, 27, 91, 10, 192, 128]}, {"name": "long", "name_bytes": 10240}]})");
  const ChildEnd end = Run("list");
  EXPECT_EQ(Value(end, "0.name"), "fffe1b5b0ac080") << end.err.head;
  // Vulkan's field has 256 bytes, which are then all used: no end.
  EXPECT_THAT(Value(end, "1.name").size(), AnyOf(Eq(2U * 256), Eq(2U * 10240)));
}

TEST_P(FakeDriver, MayHaveNoDevice) {
  SetScenario(R"({"devices": []})");
  const ChildEnd end = Run("list");
  const bool none = Value(end, "devices") == "0";
  EXPECT_TRUE(none || !Value(end, "error").empty()) << end.out.head;
}

TEST_P(FakeDriver, ReadsTheScenarioThatTheVariableNames) {
  std::ofstream(directory() + "/named.json") << R"({"devices": [{"name": "Named"}]})";
  ChildRun run = Client("list");
  run.environment[kScenarioVariable] = directory() + "/named.json";
  EXPECT_EQ(Value(RunChild(run), "0.name"), Hex("Named"));
}

TEST_P(FakeDriver, RefusesABrokenScenario) {
  SetScenario(R"({"misbehaviour": []})");
  const ChildEnd end = Run("list");
  EXPECT_EQ(end.code, kBadScenarioExit);
  EXPECT_THAT(end.err.head, HasSubstr("misbehaviour"));
}

TEST_P(FakeDriver, LaunchesTreatBuffersAsAsked) {
  for (const char* results : {"none", "garbage", "nan", "zero"}) {
    SetScenario(std::string(R"({"devices": [{"results": ")") + results + R"("}]})");
    const ChildEnd end = Run("run");
    EXPECT_EQ(end.code, 0) << end.out.head << end.err.head;
    EXPECT_EQ(Value(end, "results"), results);
  }
}

TEST_P(FakeDriver, KernelsAreAsSlowAsAsked) {
  SetScenario(R"({"devices": [{"slow_kernel_s": 0.2}]})");
  const ChildEnd end = Run("run");
  EXPECT_GE(Number(end, "wall_ns"), 200'000'000U);
  EXPECT_GE(Number(end, "event_ns"), 200'000'000U);
}

TEST_P(FakeDriver, EventTimesAreScaled) {
  SetScenario(R"({"devices": [{"slow_kernel_s": 0.05, "event_time_scale": 0}]})");
  EXPECT_EQ(Number(Run("run"), "event_ns"), 0U);
  SetScenario(R"({"devices": [{"slow_kernel_s": 0.2, "event_time_scale": 0.01}]})");
  const ChildEnd fast = Run("run");
  EXPECT_GE(Number(fast, "event_ns"), 2'000'000U);
  EXPECT_LT(Number(fast, "event_ns"), Number(fast, "wall_ns") / 20);
}

TEST_P(FakeDriver, ADeviceIsLostAfterItsLaunches) {
  SetScenario(R"({"devices": [{"lost_after_launches": 0}]})");
  // VK_ERROR_DEVICE_LOST, CL_OUT_OF_RESOURCES.
  EXPECT_THAT(Value(Run("run"), "error"), AnyOf(Eq("vkQueueSubmit -4"), Eq("clEnqueueNDRangeKernel -5")));
}

TEST_P(FakeDriver, MemoryRunsOutAtItsLimit) {
  SetScenario(R"({"devices": [{"allocation_limit_bytes": 4095}]})");
  // VK_ERROR_OUT_OF_DEVICE_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE.
  EXPECT_THAT(Value(Run("run"), "error"), AnyOf(Eq("vkAllocateMemory -2"), Eq("clCreateBuffer -4")));
  SetScenario(R"({"devices": [{"allocation_limit_bytes": 8192}]})");
  EXPECT_EQ(Run("run").code, 0);
}

TEST_P(FakeDriver, APhantomGpuHasNoHeaps) {
  SetScenario(R"({"devices": [{"no_heaps": true}]})");
  // OpenCL knows no heaps, only a size.
  EXPECT_EQ(Value(Run("list"), "0.memory"), GetParam().registers_folder ? "8589934592" : "0");
}

}  // namespace
}  // namespace fakes
