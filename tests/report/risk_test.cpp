// SPDX-License-Identifier: MIT
#include "report/risk.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/tree.h"

namespace report {
namespace {

using probe::isolate::Outlives;

TEST(MustOutlive, TheMachineWhereADriverFindsANode) {
  static constexpr std::array<std::string_view, 2> kNodes = {"dri", "nvidia"};
  probe::Module module;
  tests::Tree tree;
  EXPECT_EQ(MustOutlive(module, tree.Files()), Outlives::kMachine) << "which nodes it opens is not known";
  module.device_nodes = kNodes;
  EXPECT_EQ(MustOutlive(module, tree.Files()), Outlives::kProcess) << "without /dev";
  tree.Write("/dev/null", "").Write("/dev/sda", "");
  EXPECT_EQ(MustOutlive(module, tree.Files()), Outlives::kProcess);
  tree.Write("/dev/nvidia0", "");
  EXPECT_EQ(MustOutlive(module, tree.Files()), Outlives::kMachine);
}

TEST(MustOutlive, TheMachineWhereThereIsADirectoryOfNodes) {
  static constexpr std::array<std::string_view, 1> kNodes = {"dri"};
  probe::Module module;
  module.device_nodes = kNodes;
  tests::Tree tree;
  tree.Write("/dev/dri/renderD128", "");
  EXPECT_EQ(MustOutlive(module, tree.Files()), Outlives::kMachine);
}

TEST(RiskLedger, RemembersNothingOfADeviceThatNeedsNoDriver) {
  const probe::system::TemporaryTree tree;
  probe::system::Environment environment;
  environment.Set("XDG_CACHE_HOME", tree.At("/cache"));
  const auto files = probe::system::FileSystem::Open("/");
  ASSERT_TRUE(files.ok());
  const RiskLedger ledger(environment, *files, false);
  Target target;
  target.device_id = "cpu:0";
  target.device.runtime = "vulkan";
  EXPECT_NE(ledger.Arm(target), nullptr);
  target.device.runtime = "cpu";
  EXPECT_EQ(ledger.Arm(target), nullptr);
  EXPECT_EQ(files->List(tree.At("/cache/whichgpu")).size(), 1U);
}

}  // namespace
}  // namespace report
