// SPDX-License-Identifier: MIT
#include "report/run/risk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "report/core/wording.h"
#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/tree.h"

namespace report {
namespace {

using probe::isolate::Outlives;
using ::testing::HasSubstr;
using ::testing::Not;

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

class RiskLedgerTest : public ::testing::Test {
 protected:
  RiskLedgerTest() {
    environment_.Set("XDG_CACHE_HOME", tree_.At("/cache"));
    module_.name = "vulkan";
    module_.title = "Vulkan";
  }

  [[nodiscard]] RiskLedger Open(bool retry_crashed = false) const {
    return {environment_, *files_, retry_crashed};
  }
  [[nodiscard]] auto Permit(Company company, RiskyStep step = RiskyStep::kTogether) const {
    return Open().Permit(module_, step, company);
  }
  // A run that ends in the step.
  void Die(RiskyStep step = RiskyStep::kTogether) const {
    const pid_t pid = fork();
    if (pid == 0) {
      [[maybe_unused]] const auto permit = Open(true).Permit(module_, step, Company::kNone);
      _exit(0);
    }
    waitpid(pid, nullptr, 0);
  }

  probe::system::TemporaryTree tree_;
  probe::system::Environment environment_;
  probe::Result<probe::system::FileSystem> files_ = probe::system::FileSystem::Open("/");
  probe::Module module_;
};

TEST_F(RiskLedgerTest, TriesAStepAgainAloneWhoseFirstEndWasNotSeen) {
  EXPECT_TRUE(Permit(Company::kOthers).ok());
  Die();
  const auto beside = Permit(Company::kOthers);
  ASSERT_FALSE(beside.ok());
  EXPECT_TRUE(beside.error().Is(probe::OwnError::kOnlyAlone));
  EXPECT_TRUE(Permit(Company::kNone).ok());
  EXPECT_TRUE(Permit(Company::kOthers).ok()) << "its end was seen";
}

TEST_F(RiskLedgerTest, LeavesAStepOutAfterTheSecondTimeAndSaysWhatWasSeen) {
  Die();
  Die();
  for (const auto company : {Company::kOthers, Company::kNone}) {
    const auto permit = Permit(company);
    ASSERT_FALSE(permit.ok());
    EXPECT_TRUE(permit.error().Is(probe::OwnError::kLeftOut));
    EXPECT_THAT(permit.error().text,
                HasSubstr("looking for devices through Vulkan was interrupted twice, at 20"));
    EXPECT_THAT(permit.error().text, HasSubstr("--retry-crashed"));
    EXPECT_THAT(permit.error().text, Not(HasSubstr("went down")));
  }
  EXPECT_TRUE(Open(true).Permit(module_, RiskyStep::kTogether, Company::kOthers).ok());
  EXPECT_TRUE(Permit(Company::kOthers).ok()) << "it was seen to end on request";
}

TEST_F(RiskLedgerTest, KeepsTheTryDriverByDriverApart) {
  Die(RiskyStep::kByDriver);
  EXPECT_TRUE(Permit(Company::kOthers, RiskyStep::kTogether).ok());
  EXPECT_FALSE(Permit(Company::kOthers, RiskyStep::kByDriver).ok())
      << "the first step's end says nothing of it";
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
