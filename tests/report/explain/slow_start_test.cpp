// SPDX-License-Identifier: MIT
// What a user is told of GPUs that nothing keeps ready between programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "probe/core/ready.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using ::testing::HasSubstr;

std::optional<Finding> Of(const std::string& kept_ready, double elapsed_s, int gpus = 1) {
  Report report;
  for (int i = 1; i <= gpus; ++i) {
    auto& device = report.devices.emplace_back();
    device.id = "pci:0000:0" + std::to_string(i) + ":00.0";
    device.name = "Some GPU";
    device.kind = probe::DeviceKind::kDiscrete;
    auto& view = device.views.emplace_back();
    view.device.runtime = "cuda";
    view.device.facts = {{std::string(probe::kKeptReadyFact), kept_ready}};
  }
  auto& probe = report.probes.emplace_back();
  probe.module = "cuda";
  probe.outcome = probe::Outcome::kOk;
  probe.elapsed_s = elapsed_s;
  for (auto& finding : testing::Decided(report).findings) {
    if (finding.id == "slow_start.cuda") return finding;
  }
  return std::nullopt;
}

TEST(SlowStart, IsToldOnceWithWhatKeepsTheGpusReady) {
  const auto finding = Of("no", 8.24, 3);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::kNote);
  EXPECT_EQ(finding->layer, "kernel_driver");
  EXPECT_EQ(finding->summary,
            "CUDA took 8.2 s to get ready, and every program waits so long: nothing keeps its GPUs ready");
  EXPECT_EQ(finding->device_ids.value().size(), 3U);
  EXPECT_THAT(finding->fix.at(0).text, HasSubstr("nvidia-persistenced"));
  EXPECT_EQ(Of("no", 8.24)->device_ids, std::nullopt);
}

TEST(SlowStart, NothingIsToldOfWhatIsQuickOrKeptReady) {
  EXPECT_EQ(Of("no", 0.8), std::nullopt);
  EXPECT_EQ(Of("yes", 8.24), std::nullopt) << "something else is slow";
}

}  // namespace
}  // namespace report::explain
