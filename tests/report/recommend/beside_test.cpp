// SPDX-License-Identifier: MIT
// What an answer says of GPUs beside its own, which programs see, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "report/core/devices.h"
#include "report/recommend/recommend.h"
#include "report/score/score.h"
#include "tests/report/machines.h"

namespace report::recommend {
namespace {

std::vector<std::string> ToldBeside(Report report) {
  const auto tables = testing::TestTables();
  report.scores = score::ScoreAll(tables, report.devices, report.measurements);
  const auto answer = Recommend(tables, report, Use::kInference);
  EXPECT_TRUE(answer && answer->device_id == "pci:0000:01:00.0");
  std::vector<std::string> told;
  for (const Warning& warning : answer->warnings)
    if (warning.kind == WarningKind::kFailsBeside) told.push_back(warning.text);
  return told;
}

// Programs take the first that they see, whatever came of it here.
TEST(Beside, AnotherGpuThatFailedIsNamedWithWhatKeepsProgramsFromIt) {
  auto machine = testing::TwoCards();
  for (auto& device : machine.devices) {
    if (!IsGpu(device)) continue;
    for (auto& view : device.views)
      view.device.identity.uuid =
          probe::ParseUuid("aa000000-0000-0000-0000-0000000000" + device.id.substr(9, 2));
  }
  EXPECT_THAT(ToldBeside(machine), ::testing::IsEmpty());
  for (auto& m : machine.measurements) {
    if (m.device_id != "pci:0000:c1:00.0") continue;
    m.status = backends::MeasurementStatus::kWrongResult;
    m.verified = false;
  }
  EXPECT_THAT(ToldBeside(machine),
              ::testing::ElementsAre(::testing::AllOf(::testing::HasSubstr(
                  "NVIDIA H100 PCIe (pci:0000:c1:00.0) failed here by CUDA, and programs "
                  "see it, too: keep them to the answer's device with CUDA_VISIBLE"))));
  // By another driver of the runtime it works.
  auto both = machine;
  for (auto& device : both.devices) {
    if (device.id != "pci:0000:c1:00.0") continue;
    testing::AddView(device, "cuda", "another", probe::DeviceKind::kDiscrete);
    for (const auto kernel : {kernels::Kernel::kGemm, kernels::Kernel::kRead})
      testing::Measure(both, device.id, "cuda", "another", kernel, 1e12);
  }
  EXPECT_THAT(ToldBeside(both), ::testing::IsEmpty());
  for (auto& m : machine.measurements)
    if (m.device_id == "pci:0000:c1:00.0") m.status = backends::MeasurementStatus::kUnsupported;
  EXPECT_THAT(ToldBeside(machine), ::testing::IsEmpty()) << "nobody knows of a fault";
}

TEST(Beside, AnotherGpuThatOthersFillIsOneThatProgramsSee) {
  auto machine = testing::TwoCards();
  for (auto& device : machine.devices) {
    if (device.id == "pci:0000:c1:00.0") device.memory.free_bytes = 40ULL << 20U;
  }
  std::erase_if(machine.measurements, [](const auto& m) { return m.device_id == "pci:0000:c1:00.0"; });
  EXPECT_THAT(
      ToldBeside(machine),
      ::testing::ElementsAre(::testing::HasSubstr(
          "others hold the memory of NVIDIA H100 PCIe (pci:0000:c1:00.0), and programs see it, too")));
}

}  // namespace
}  // namespace report::recommend
