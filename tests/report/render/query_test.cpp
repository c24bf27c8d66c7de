// SPDX-License-Identifier: MIT
#include "report/render/query.h"

#include <gtest/gtest.h>

#include "tests/report/machines.h"

namespace report::render {
namespace {

TEST(ExitCode, TellsWhetherAGpuIsUsable) {
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::Processor())), MachineCode::kNoGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::Nothing())), MachineCode::kNoGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::DiscreteAndIntegrated())), MachineCode::kUsableGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::SlowIntegrated())), MachineCode::kUsableGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::Phantom())), MachineCode::kUnusableGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::BrokenDriver())), MachineCode::kUnusableGpu);
}

TEST(ExitCode, ManagementGraphicsAndVirtualDisplaysAreNoGpu) {
  Report report = testing::Processor();
  report.devices.push_back(testing::Gpu("0000:03:00.0", "ASPEED", probe::DeviceKind::kManagement, 0.1));
  report.devices.push_back(testing::Gpu("0000:04:00.0", "virtio", probe::DeviceKind::kVirtual, 0.1));
  EXPECT_EQ(ExitCodeOf(testing::Decided(report)), MachineCode::kNoGpu);
}

TEST(Token, IsOneWordOfTheClosedSet) {
  EXPECT_EQ(Token(testing::Decided(testing::Processor()).recommendations[0]), "cpu");
  Recommendation hostile;
  for (const char* name : {"", "cpu; reboot", "CPU", "a\nb", "$(id)"}) {
    hostile.backend = name;
    EXPECT_EQ(Token(hostile), "unknown") << name;
  }
}

}  // namespace
}  // namespace report::render
