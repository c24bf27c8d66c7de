// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/decide/decide.h"

namespace report {
namespace {

std::vector<probe::PhysicalDevice> Devices() {
  std::vector<probe::PhysicalDevice> devices(3);
  devices[0].id = "pci:0000:01:00.0";
  devices[0].name = "Radeon RX 7900 XTX";
  devices[1].id = "pci:0000:0c:00.0";
  devices[1].name = "Radeon Graphics";
  devices[2].id = "cpu:0";
  devices[2].name = "Ryzen";
  return devices;
}

TEST(SelectDevice, TakesAnIdAPrefixOrAPartOfAName) {
  EXPECT_EQ(*SelectDevice(Devices(), "cpu:0"), 2U);
  EXPECT_EQ(*SelectDevice(Devices(), "pci:0000:01"), 0U);
  EXPECT_EQ(*SelectDevice(Devices(), "7900"), 0U);
  EXPECT_EQ(*SelectDevice(Devices(), "ryzen"), 2U);
}

TEST(SelectDevice, RefusesWhatFitsSeveralOrNothing) {
  EXPECT_THAT(SelectDevice(Devices(), "radeon").error().text, ::testing::HasSubstr("more than one"));
  EXPECT_THAT(SelectDevice(Devices(), "pci:").error().text, ::testing::HasSubstr("more than one"));
  EXPECT_THAT(SelectDevice(Devices(), "cpu:1").error().text, ::testing::HasSubstr("did you mean 'cpu:0'?"));
  EXPECT_FALSE(SelectDevice(Devices(), ""));
}

std::set<std::string> Excluded(const std::vector<std::string>& words) {
  auto devices = Devices();
  auto& part = devices.emplace_back();
  part.id = "pci:0000:01:00.0#1";
  part.parent_id = "pci:0000:01:00.0";
  part.name = "Part";
  return *ExcludedDevices(*EmbeddedTables(), devices, words);
}

TEST(ExcludedDevices, AreAllThatAWordFitsAndWhatTheyAreDividedInto) {
  using ::testing::ElementsAre;
  EXPECT_THAT(Excluded({"pci:0000:0c:00.0"}), ElementsAre("pci:0000:0c:00.0"));
  EXPECT_THAT(Excluded({"RADEON"}),
              ElementsAre("pci:0000:01:00.0", "pci:0000:01:00.0#1", "pci:0000:0c:00.0"));
  EXPECT_THAT(Excluded({"pci:0000:01:00.0"}), ElementsAre("pci:0000:01:00.0", "pci:0000:01:00.0#1"));
  EXPECT_THAT(Excluded({"pci:0000:01:00.0#1"}), ElementsAre("pci:0000:01:00.0#1"));
  EXPECT_THAT(Excluded({"cpu", "vulkan"}), ::testing::IsEmpty()) << "runtimes";
  EXPECT_THAT(Excluded({"cpu:0"}), ElementsAre("cpu:0"));
}

TEST(ExcludedDevices, OfAWordThatFitsNoneAreAnError) {
  const auto refused = [](const std::string& word) {
    return ExcludedDevices(*EmbeddedTables(), Devices(), {word}).error().text;
  };
  EXPECT_EQ(refused("rocm"), "--exclude: 'rocm' is neither a runtime nor a device here; did you mean 'hip'?");
  EXPECT_THAT(refused("vulcan"), ::testing::HasSubstr("did you mean 'vulkan'?"));
  EXPECT_EQ(refused("gpu"),
            "--exclude: 'gpu' is neither a runtime nor a device here; --among cpu leaves out every GPU");
  EXPECT_THAT(refused("geforce"), ::testing::HasSubstr("known are pci:0000:01:00.0, "));
}

}  // namespace
}  // namespace report
