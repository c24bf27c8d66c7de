// SPDX-License-Identifier: MIT
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/probe/tree.h"

namespace probe::drm {
Module Describe();
namespace {

TEST(Drm, IsKeptFromForeignTrees) {
  EXPECT_TRUE(Describe().loads_vendor_code) << "it talks to the running kernel";
  tests::Tree tree;
  tree.Write("/dev/dri/renderD128", "");
  const auto report = tests::Run(Describe(), tree);
  EXPECT_TRUE(report.hardware.empty());
  EXPECT_EQ(report.outcome, Outcome::kNoDevice);
}

// Every device that it finds is one that the kernel's class lists, and says nothing that only sysfs can know.
TEST(Drm, FindsWhatTheKernelLists) {
  const auto files = system::FileSystem::Open("/");
  ASSERT_TRUE(files);
  const auto report = tests::Run(Describe(), *files);
  EXPECT_NE(report.outcome, Outcome::kFailed);
  if (files->List("/dev/dri").empty()) {
    EXPECT_EQ(report.outcome, Outcome::kNoDevice);
    EXPECT_TRUE(report.hardware.empty());
  }
  for (const HardwareDevice& device : report.hardware) {
    ASSERT_TRUE(device.identity.pci);
    EXPECT_TRUE(files->Exists("/sys/bus/pci/devices/" + ToString(*device.identity.pci)));
    EXPECT_TRUE(device.name.empty());
  }
}

}  // namespace
}  // namespace probe::drm
