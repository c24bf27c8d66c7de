// SPDX-License-Identifier: MIT
// A context that a kernel of ours ends, told from one that goes on after an error of the same code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <functional>
#include <string>

#include "tests/backends/core/session_rules.h"
#include "tests/backends/opencl/opencl_device.h"
#include "tests/backends/opencl/other_driver.h"
#include "tests/fakes/common/fake_machine.h"

namespace {

using backends::Launch;
using kernels::Dtype;
using tests::FaultRules;
using tests::SessionRules;

// What a test does with an open device. In a process of its own: the loader keeps the first driver it had.
class Device {
 public:
  explicit Device(backends::Session& session) : session_(session) {}

  // Whether a kernel of that name and entry runs on a new buffer of so many bytes.
  [[nodiscard]] bool Runs(const char* name, std::uint64_t bytes = 4096) {
    const kernels::Step step{.entry = name, .source = "kernel", .bindings = {}};
    const auto kernel =
        session_.Load(kernels::Own(name, kernels::Kernel::kRead, Dtype::kU32, Dtype::kU32, step), step);
    const auto buffer = session_.Allocate({bytes, {}});
    if (!kernel || !buffer) return false;
    const Launch launch{*kernel, {{*buffer}}, {{1, 1, 1}, {64, 1, 1}, {64}}};
    return session_.Run({&launch, 1}, 1).ok();
  }
  [[nodiscard]] bool Writes() {
    const std::array<std::byte, 16> bytes{};
    const auto buffer = session_.Allocate({bytes.size(), {}});
    return buffer && session_.Upload(*buffer, 0, bytes).ok();
  }
  [[nodiscard]] std::string culprit() const {
    const auto* by = session_.BroughtDownBy();
    return by == nullptr || by->name.empty() ? "nobody" : by->name;
  }

 private:
  backends::Session& session_;
};

std::string WithFake(const std::string& scenario, const tests::SessionBody& body) {
  return tests::RunWith({}, [&](const auto&, const auto&) -> std::string {
    const tests::OtherDriver driver("none yet");
    std::filesystem::copy_file(FAKE_OPENCL_LIBRARY, "libfake.so");
    std::ofstream("libfake.so.scenario.json") << scenario;
    std::ofstream(driver.manifest()) << (std::filesystem::current_path() / "libfake.so").string() << '\n';
    auto session = tests::OpenOpenCl(tests::FindOpenClDevice(driver.manifest()));
    return session ? body(**session) : tests::Say(session);
  });
}

const tests::RuledDevice kFake{.name = "fake",
                               .backend = backends::opencl::Describe(),
                               .with =
                                   [](const auto& body, auto keys) {
                                     return WithFake(
                                         fmt::format(R"({{"devices": [{{"name": "Fake"{}}}]}})", keys), body);
                                   },
                               .computes = false,
                               .counts_arguments = false};
INSTANTIATE_TEST_SUITE_P(OpenCl, SessionRules, testing::Values(kFake), tests::NameOf);
INSTANTIATE_TEST_SUITE_P(OpenCl, FaultRules, testing::Values(kFake), tests::NameOf);

std::string On(const std::string& scenario, const std::function<std::string(Device&)>& body) {
  return WithFake(scenario, [&](backends::Session& session) {
    Device device(session);
    return body(device);
  });
}

// At its enqueue, as it is waited for, or in its event alone.
TEST(OpenClLost, TheKernelThatEndedTheContextIsNamedWhereverItTells) {
  for (const int shows : {0, 1, 2}) {
    const auto scenario = fmt::format(
        R"({{"devices": [{{"name": "Fake", "faulting_kernels": "culprit", "attributes": {{"fault_shows": {}}}}}]}})",
        shows);
    EXPECT_EQ(On(scenario,
                 [](Device& device) -> std::string {
                   if (!device.Runs("harmless")) return "nothing runs";
                   if (device.culprit() != "nobody") return device.culprit() + " too early";
                   if (device.Runs("culprit")) return "it runs";
                   const std::string first = device.culprit();
                   if (device.Runs("victim")) return "works in a context that ended";
                   return first + ", then " + device.culprit();
                 }),
              "culprit, then culprit")
        << shows;
  }
}

// Where the device is lost before anything of ours ran, the first kernel that fails is not to blame.
TEST(OpenClLost, NoKernelEndedAContextThatWasLostBeforeAnyRan) {
  EXPECT_EQ(On(R"({"devices": [{"name": "Fake", "attributes": {"lost_after_writes": 1}}]})",
               [](Device& device) -> std::string {
                 if (device.Writes()) return "it is not lost";
                 if (device.Runs("victim")) return "works on a lost device";
                 return device.culprit();
               }),
            "nobody");
}

// CL_OUT_OF_RESOURCES of a kernel that asks for too much.
TEST(OpenClLost, AKernelThatIsRefusedEndsNothing) {
  EXPECT_EQ(
      On(R"({"devices": [{"name": "Fake"}], "misbehave": [{"at": "launch", "do": "error", "code": -5}]})",
         [](Device& device) { return device.Runs("greedy") ? "it runs" : device.culprit(); }),
      "nobody");
}

// Where a buffer's memory is found as it is first used, its own launch fails for want of it, and so does
// reading it.
TEST(OpenClLost, AKernelThatLacksMemoryEndsNothing) {
  EXPECT_EQ(
      On(R"({"devices": [{"name": "Fake", "allocation_limit_bytes": 1048576, "faulting_kernels": "culprit",
                   "attributes": {"lazy_memory": 1}}]})",
         [](Device& device) -> std::string {
           if (device.Runs("large", 2U << 20U)) return "there is memory";
           const std::string first = device.culprit();
           if (!device.Runs("small")) return "nothing runs any more";
           if (device.Runs("culprit")) return "it runs";
           return first + ", then " + device.culprit();
         }),
      "nobody, then culprit");
}

}  // namespace
