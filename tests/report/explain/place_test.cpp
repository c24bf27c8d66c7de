// SPDX-License-Identifier: MIT
// What is told of a driver that fails beside another runtime that works on the same GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/report/machines.h"

namespace report::explain {
namespace {

using probe::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCapability = "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all";
constexpr const char* kInstall = "apt-get install libx11-6 libxext6 libegl1 libgl1 libglx0 libglvnd0";

// CUDA works on the card, and the driver of that library fails so.
Report Machine(const char* error, const char* library = "/usr/lib/libGLX_nvidia.so.0") {
  auto machine = testing::Server();
  machine.devices[1].hardware->kernel_driver = "nvidia";
  for (auto& probe : machine.probes) {
    if (probe.module == "cuda") {
      probe.outcome = Outcome::kOk;
      probe.devices.emplace_back().runtime = "cuda";
    }
    if (probe.module != "vulkan") continue;
    auto& driver = probe.drivers.emplace_back();
    driver.manifest = "/etc/vulkan/icd.d/nvidia_icd.json";
    driver.library = library;
    driver.outcome = Outcome::kFailed;
    driver.stage = probe::Stage::kInit;
    driver.error = probe::Error{"vkCreateInstance", -9, error, ""};
  }
  return machine;
}

Finding Of(const Report& machine) {
  for (const auto& finding : testing::Decided(machine).findings) {
    if (finding.id == "driver.vulkan.nvidia-icd-json.failed") return finding;
  }
  ADD_FAILURE() << "no finding";
  return {};
}

std::vector<std::string> Commands(const Report& machine) {
  std::vector<std::string> out;
  for (const Fix& fix : Of(machine).fix) out.push_back(fix.command.value_or("-"));
  return out;
}

Report InContainer(Report machine, const char* capabilities = nullptr) {
  machine.host.container = "docker";
  for (auto& probe : machine.probes) {
    if (probe.module == "vulkan" && capabilities != nullptr)
      probe.environment = {{"NVIDIA_DRIVER_CAPABILITIES", capabilities}};
  }
  return machine;
}

constexpr const char* kIncompatible = "VK_ERROR_INCOMPATIBLE_DRIVER";
constexpr const char* kMissing = "client_libraries_missing";
constexpr const char* kAbsent = "client_libraries_absent";

TEST(Place, WhereCudaWorksItsMakersVulkanDriverLacksLibrariesAndNoUpdate) {
  for (const char* library : {"/usr/lib/libGLX_nvidia.so.0", "libEGL_nvidia.so.0"}) {
    for (const char* error : {kIncompatible, "unloadable", kMissing, kAbsent}) {
      const auto finding = Of(Machine(error, library));
      EXPECT_THAT(finding.meaning, HasSubstr("CUDA work: there is none to be updated")) << error;
      EXPECT_THAT(finding.meaning, HasSubstr("GLVND")) << error;
      ASSERT_FALSE(finding.fix.empty());
      EXPECT_TRUE(finding.fix[0].needs_root);
      for (const Fix& fix : finding.fix) EXPECT_THAT(fix.text, Not(HasSubstr("update"))) << error;
    }
  }
}

TEST(Place, ClientLibrariesAreInstalledWhereTheyAreMissingAlone) {
  EXPECT_THAT(Commands(Machine(kMissing)), ElementsAre(kInstall));
  EXPECT_THAT(Commands(Machine(kAbsent)), ElementsAre(kInstall, "-")) << "it may be the driver's own";
  EXPECT_THAT(Of(Machine(kAbsent)).meaning, HasSubstr("likely"));
  for (const char* error : {kIncompatible, "unloadable"}) {
    const auto finding = Of(Machine(error));
    EXPECT_THAT(finding.meaning, HasSubstr("no library of X11 or of GLVND is known to be missing")) << error;
    ASSERT_EQ(finding.fix.size(), 1U) << error;
    EXPECT_THAT(finding.fix[0].text, HasSubstr("the driver's part for graphics")) << error;
  }
}

TEST(Place, AContainerMayLackACapability) {
  EXPECT_THAT(Commands(InContainer(Machine(kIncompatible))), ElementsAre(kCapability));
  EXPECT_THAT(Commands(InContainer(Machine(kAbsent))), ElementsAre(kInstall, kCapability));
  EXPECT_THAT(Commands(InContainer(Machine(kMissing))), ElementsAre(kInstall)) << "which libraries is known";
  for (const char* error : {kIncompatible, "unloadable", kMissing, kAbsent}) {
    const auto machine = InContainer(Machine(error), "compute, utility");
    EXPECT_THAT(Commands(machine), ElementsAre(kCapability, kInstall)) << error;
    EXPECT_THAT(Of(machine).meaning, HasSubstr("NVIDIA_DRIVER_CAPABILITIES lacks graphics")) << error;
  }
  for (const char* enough : {"all", "compute,graphics", "utility, display"}) {
    EXPECT_THAT(Commands(InContainer(Machine(kMissing), enough)), ElementsAre(kInstall)) << enough;
    EXPECT_THAT(Of(InContainer(Machine(kIncompatible), enough)).meaning, Not(HasSubstr("lacks graphics")));
  }
}

TEST(Place, ElseTheDriverIsToBlame) {
  const auto is_general = [](const Report& machine) {
    const auto finding = Of(machine);
    return finding.fix.at(0).text.starts_with("update or reinstall the driver");
  };
  EXPECT_TRUE(is_general(Machine(kIncompatible, "/usr/lib/libvulkan_radeon.so"))) << "another maker's";
  EXPECT_TRUE(is_general(Machine("VK_ERROR_INITIALIZATION_FAILED"))) << "another error";
  auto without = Machine(kIncompatible);
  for (auto& probe : without.probes) {
    if (probe.module == "cuda") probe.devices.clear();
  }
  EXPECT_TRUE(is_general(without)) << "CUDA has no device";
  auto failed = Machine(kIncompatible);
  for (auto& probe : failed.probes) {
    if (probe.module == "cuda") probe.outcome = Outcome::kFailed;
  }
  EXPECT_TRUE(is_general(failed)) << "nor does CUDA work";
}

}  // namespace
}  // namespace report::explain
