// SPDX-License-Identifier: MIT
// Intel's own driver with a GPU that is not there, through the real loader: the probe lists it, it is one
// device with what OpenCL shows, and what it computes is found wrong. Without a driver, and with the loader's
// null driver, there is a reason and no crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "backends/core/workload.h"
#include "probe/unify/unify.h"
#include "tests/fakes/common/fake_machine.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::level_zero {
Module Describe();
}
namespace probe::opencl {
Module Describe();
}
namespace backends::level_zero {
Backend Describe();
}

namespace {

using tests::RunWith;
using tests::SurveyWith;
using tests::Variables;

// Where the loader and the driver are: installed, or unpacked; "" where they are not.
std::string Folder() {
  const std::array<std::string, 2> folders = {"/usr/lib/x86_64-linux-gnu", WHICHGPU_UNPACKED_LIBRARIES};
  const auto found = std::find_if(folders.begin(), folders.end(), [](const std::string& one) {
    return std::filesystem::exists(one + "/libze_loader.so.1") &&
           std::filesystem::exists(one + "/libze_intel_gpu.so.1");
  });
  return found == folders.end() ? "" : *found;
}

// In a scratch folder: the driver writes what it is given into files.
class LevelZeroPhantom : public testing::Test {
 protected:
  void SetUp() override {
    if (Folder().empty()) GTEST_SKIP() << "the packages libze1 and intel-opencl-icd are not installed";
    std::filesystem::current_path(tree_.At(""));
    variables_["WHICHGPU_LIBRARY_PATH"] = Folder();
  }
  void TearDown() override { std::filesystem::current_path("/"); }
  [[nodiscard]] Variables Of(const std::string& family) const {
    Variables variables = variables_;
    variables.insert(
        {{"NEOReadDebugKeys", "1"}, {"SetCommandStreamReceiver", "1"}, {"ProductFamilyOverride", family}});
    return variables;
  }
  [[nodiscard]] static probe::ProbeReport Survey(const Variables& variables) {
    return SurveyWith(variables, probe::level_zero::Describe());
  }

  probe::system::TemporaryTree tree_;
  Variables variables_;
};

std::string ReadOnce(backends::Session& session) {
  const auto variants = backends::level_zero::Describe().variants(session.limits());
  backends::OperandWriter writer(session, variants);
  const auto read = std::find_if(variants.begin(), variants.end(), [](const auto& variant) {
    return variant.kernel == kernels::Kernel::kRead;
  });
  const auto loaded = backends::Load(session, *read);
  if (!loaded) return probe::Describe(loaded.error());
  // Small: the driver writes everything that it is given into a file.
  auto workload = backends::Workload::Create(session, writer, *loaded, {{0, 0, 0, 4096, 0}, 1, ""});
  if (!workload) return probe::Describe(workload.error());
  if (const auto prepared = workload->Prepare(1, 0); !prepared) return probe::Describe(prepared.error());
  if (const auto timing = workload->Run(1); !timing) return probe::Describe(timing.error());
  const auto verdict = workload->Verify();
  if (!verdict) return probe::Describe(verdict.error());
  return verdict->right ? "right" : "wrong";
}

TEST_F(LevelZeroPhantom, IsListedAndItsResultsAreFoundWrong) {
  const auto variables = Of("tgllp");
  const auto report = Survey(variables);
  ASSERT_EQ(report.devices.size(), 1U) << probe::Describe(report.error.value_or(probe::Error{}));
  const auto& device = report.devices[0];
  EXPECT_EQ(device.kind, probe::DeviceKind::kIntegrated);
  EXPECT_EQ(device.identity.ids.value_or(probe::PciIds{}).vendor, 0x8086U);
  EXPECT_GT(device.memory_total_bytes.value_or(0), 0U);
  EXPECT_EQ(device.compute_units, 96U);
  EXPECT_EQ(report.environment.size(), 3U) << "what plays a GPU is told";
  EXPECT_EQ(RunWith(variables,
                    [&](const auto& files, const auto& environment) -> std::string {
                      auto session =
                          backends::level_zero::Describe().open({device, std::nullopt, files, environment});
                      return session ? ReadOnce(**session) : probe::Describe(session.error());
                    }),
            "wrong");
}

// Its driver translates every module that is committed, of matrix units those of such a GPU.
TEST_F(LevelZeroPhantom, HasEveryModuleCompiledByTheDriver) {
  const auto variables = Of("tgllp");
  const auto report = Survey(variables);
  ASSERT_EQ(report.devices.size(), 1U);
  const auto said = RunWith(variables, [&](const auto& files, const auto& environment) -> std::string {
    auto session =
        backends::level_zero::Describe().open({report.devices[0], std::nullopt, files, environment});
    if (!session) return probe::Describe(session.error());
    std::string failed;
    std::size_t count = 0;
    for (const auto& variant : backends::level_zero::Describe().variants((*session)->limits())) {
      for (const auto& step : variant.steps) {
        const auto loaded = (*session)->Load(variant, step);
        ++count;
        if (!loaded) failed += std::string(step.entry) + ": " + probe::Describe(loaded.error()) + "\n";
      }
    }
    return failed.empty() ? (count > 15 ? "all" : "few") : failed;
  });
  EXPECT_EQ(said, "all");
}

TEST_F(LevelZeroPhantom, IsOneDeviceWithWhatOpenClShows) {
  const std::string library = Folder() + "/intel-opencl/libigdrcl.so";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "OpenCL's driver is not beside it";
  for (const std::string family : {"tgllp", "dg2"}) {
    auto variables = Of(family);
    auto own = Survey(variables);
    own.module = "level_zero";
    variables["OCL_ICD_VENDORS"] = library;
    auto opencl = SurveyWith(variables, probe::opencl::Describe());
    ASSERT_EQ(opencl.devices.size(), 1U) << family;
    ASSERT_EQ(own.devices.size(), 1U) << family;
    EXPECT_EQ(own.devices[0].kind, opencl.devices[0].kind) << family;
    const std::vector reports = {opencl, own};
    std::vector<std::size_t> views;
    for (const auto& device : probe::unify::Unify(reports)) {
      if (!device.views.empty()) views.push_back(device.views.size());
    }
    EXPECT_THAT(views, testing::ElementsAre(2U)) << family;
  }
}

TEST_F(LevelZeroPhantom, IsNotThereWithoutBeingPlayed) {
  auto variables = variables_;
  variables["NEOReadDebugKeys"] = "0";  // so that the driver is loaded where no node is
  const auto report = Survey(variables);
  if (!report.devices.empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_NE(report.outcome, probe::Outcome::kOk);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "no device");
}

TEST_F(LevelZeroPhantom, LeavesTheLoadersNullDriverOut) {
  auto variables = Of("tgllp");
  variables["ZE_ENABLE_NULL_DRIVER"] = "1";
  const auto report = Survey(variables);
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_THAT(report.warnings, testing::Contains(testing::HasSubstr("null driver")));
}

}  // namespace
