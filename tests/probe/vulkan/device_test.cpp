// SPDX-License-Identifier: MIT
// The module against Mesa's drivers: llvmpipe, which computes on the host processor, and RADV, which can be
// told to list a GPU that is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "probe/core/module.h"
#include "probe/core/report.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "tests/probe/tree.h"
#include "tests/probe/vulkan/phantom.h"

namespace probe::vulkan {
Module Describe();
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The probe restricts its own process, and the caller's environment may hide drivers.
class Vulkan : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string_view name : Describe().visibility_variables) unsetenv(std::string(name).c_str());
  }
};

ProbeReport Ask(const system::Environment& environment, std::optional<std::string> manifest = std::nullopt) {
  ProbeReport report;
  const auto files = system::FileSystem::Open("/");
  Describe().probe({*files, environment, std::move(manifest),
                    [&report](const ProbeEvent& event) { Apply(event, report); }});
  Conclude(report);
  return report;
}
ProbeReport Ask() { return Ask(system::Environment::OfProcess()); }

const RuntimeDevice* Find(const ProbeReport& report, std::string_view name) {
  for (const RuntimeDevice& device : report.devices) {
    if (device.name.find(name) != std::string::npos) return &device;
  }
  return nullptr;
}

std::string ManifestOf(std::string_view part) {
  const auto files = system::FileSystem::Open("/");
  for (const std::string& path :
       Describe().manifests({*files, system::Environment::OfProcess(), {}, nullptr})) {
    if (path.find(part) != std::string::npos) return path;
  }
  ADD_FAILURE() << "no manifest with " << part;
  return "";
}

TEST_F(Vulkan, FindsLlvmpipeAndCallsItSoftware) {
  const auto report = Ask();
  EXPECT_EQ(report.outcome, Outcome::kOk);
  EXPECT_EQ(report.stage, Stage::kDone);
  ASSERT_TRUE(report.library);
  EXPECT_THAT(report.library->path.value_or(""), HasSubstr("libvulkan.so"));
  const RuntimeDevice* device = Find(report, "llvmpipe");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->runtime, "vulkan");
  EXPECT_EQ(device->kind, DeviceKind::kSoftware);
  EXPECT_EQ(device->driver, "llvmpipe");
  EXPECT_EQ(device->vendor, "Mesa");
  EXPECT_THAT(device->manifest.value_or(""), HasSubstr("lvp_icd"));
  EXPECT_GT(device->memory_total_bytes.value_or(0), 0U);
  EXPECT_GT(device->subgroup_width.value_or(0), 0U);
  EXPECT_THAT(device->dtypes, Contains("fp32"));
  EXPECT_FALSE(device->identity.pci);
  EXPECT_FALSE(device->identity.ids);
}

TEST_F(Vulkan, ReportsEveryDriverWithItsOwnOutcome) {
  const auto report = Ask();
  std::size_t answered = 0;
  for (const DriverReport& driver : report.drivers) {
    EXPECT_TRUE(driver.manifest && driver.library);
    if (driver.outcome == Outcome::kOk) ++answered;
  }
  EXPECT_GE(report.drivers.size(), 2U);
  EXPECT_GE(answered, 1U);
}

TEST_F(Vulkan, AsksOnlyTheDriverOfTheManifest) {
  const auto report = Ask(system::Environment::OfProcess(), ManifestOf("lvp_icd"));
  ASSERT_THAT(report.drivers, SizeIs(1));
  ASSERT_THAT(report.devices, SizeIs(1));
  EXPECT_THAT(report.environment, IsEmpty());
}

TEST_F(Vulkan, ListsAPhantomGpuWithoutMemory) {
  setenv("RADV_FORCE_FAMILY", "navi21", 1);
  const auto report = Ask();
  const RuntimeDevice* phantom = Find(report, "RADV");
  if (phantom == nullptr && tests::RadvImaginesNoGpus()) GTEST_SKIP() << tests::kImaginesNoGpus;
  ASSERT_NE(phantom, nullptr);
  EXPECT_EQ(phantom->kind, DeviceKind::kDiscrete);
  EXPECT_EQ(phantom->identity.ids->vendor, 0x1002U);
  EXPECT_FALSE(phantom->memory_total_bytes);
  EXPECT_THAT(phantom->facts, Contains(Fact{"memory_heaps", "0"}));
  EXPECT_NE(Find(report, "llvmpipe"), nullptr);
  EXPECT_THAT(report.environment, Contains(EnvironmentVariable{"RADV_FORCE_FAMILY", "navi21"}));
}

TEST_F(Vulkan, SaysThatAVariableHidesTheDrivers) {
  system::Environment environment = system::Environment::OfProcess();
  environment.Set("VK_DRIVER_FILES", "/nowhere/icd.json");
  const auto report = Ask(environment);
  EXPECT_EQ(report.outcome, Outcome::kHidden);
  EXPECT_THAT(report.error->call, EndsWith("VK_DRIVER_FILES"));
}

TEST_F(Vulkan, NamesTheDependencyThatADriverLacks) {
  tests::Tree tree;
  tree.Write("/broken.so", "no library at all")
      .Write("/icd.json", R"({"ICD": {"library_path": "./broken.so"}})");
  system::Environment environment = system::Environment::OfProcess();
  environment.Set("VK_DRIVER_FILES", tree.Path("/icd.json"));
  const auto report = Ask(environment, tree.Path("/icd.json"));
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  ASSERT_THAT(report.drivers, SizeIs(1));
  EXPECT_EQ(report.drivers[0].stage, Stage::kInit);
  EXPECT_EQ(report.drivers[0].error->name, "unloadable");
}

TEST_F(Vulkan, UntrustedManifestIsNamedAndNeverLoaded) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  tests::Tree tree;
  tree.Write("/icd.json", R"({"ICD": {"library_path": "libvulkan_lvp.so"}})");
  ASSERT_EQ(chown(tree.Path("/icd.json").c_str(), 12345, 12345), 0);
  system::Environment environment = system::Environment::OfProcess();
  environment.Set("VK_ADD_DRIVER_FILES", tree.Path("/icd.json"));
  const auto report = Ask(environment);
  ASSERT_FALSE(report.drivers.empty());
  EXPECT_EQ(report.drivers[0].outcome, Outcome::kFailed);
  EXPECT_THAT(report.drivers[0].error->text, HasSubstr("belongs to user 12345"));
  EXPECT_THAT(report.devices, SizeIs(1));
}

TEST_F(Vulkan, RestrictionNamesOneManifestAndNoImplicitLayer) {
  const auto variables = Describe().restrict_to("/x.json");
  EXPECT_THAT(variables, Contains(EnvironmentVariable{"VK_DRIVER_FILES", "/x.json"}));
  EXPECT_THAT(variables, Contains(EnvironmentVariable{"VK_ICD_FILENAMES", "/x.json"}));
  EXPECT_THAT(variables, Contains(EnvironmentVariable{"VK_LOADER_LAYERS_DISABLE", "~implicit~"}));
}

}  // namespace
}  // namespace probe::vulkan
