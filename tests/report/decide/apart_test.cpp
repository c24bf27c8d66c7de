// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "report/decide/decide.h"

namespace report {
namespace {

probe::View ViewOf(const std::string& driver, const std::string& manifest) {
  probe::View view;
  view.device.runtime = "vulkan";
  view.device.driver = driver;
  view.device.manifest = manifest;
  view.device.kind = probe::DeviceKind::kDiscrete;
  return view;
}

std::vector<probe::PhysicalDevice> Cards(const std::vector<probe::View>& views) {
  std::vector<probe::PhysicalDevice> devices(1);
  devices[0].id = "pci:0000:01:00.0";
  devices[0].kind = probe::DeviceKind::kDiscrete;
  devices[0].views = views;
  return devices;
}

backends::Measurement Of(const probe::View& view) {
  backends::Measurement m;
  m.device_id = "pci:0000:01:00.0";
  m.runtime = view.device.runtime;
  m.driver = view.device.driver;
  m.manifest = view.device.manifest;
  return m;
}

TEST(Apart, DriversOfOneNameKeepTheirOwnMeasurements) {
  const std::vector<probe::View> views = {ViewOf("NVIDIA", "a.json"), ViewOf("NVIDIA", "b.json"),
                                          ViewOf("NVK", "c.json")};
  auto devices = Cards(views);
  std::vector<backends::Measurement> measurements = {Of(views[1]), Of(views[0]), Of(views[2]), Of(views[1])};
  TellDriversApart(devices, measurements);
  const auto& found = devices[0].views;
  ASSERT_EQ(found.size(), 3U) << "none hides another";
  EXPECT_EQ(found[0].device.driver, "NVIDIA");
  EXPECT_EQ(found[1].device.driver, "NVIDIA (2)");
  EXPECT_EQ(found[2].device.driver, "NVK");
  EXPECT_EQ(measurements[0].driver, "NVIDIA (2)");
  EXPECT_EQ(measurements[1].driver, "NVIDIA");
  EXPECT_EQ(measurements[2].driver, "NVK");
  EXPECT_EQ(measurements[3].driver, "NVIDIA (2)");
  ASSERT_EQ(devices[0].conflicts.size(), 1U);
  EXPECT_EQ(devices[0].conflicts[0].value,
            "NVIDIA 2 times: one of them may claim a card that is not its own");
}

TEST(Apart, DriversOfNamesOfTheirOwnAreLeftAlone) {
  auto devices = Cards({ViewOf("NVIDIA", "a.json"), ViewOf("NVK", "b.json")});
  std::vector<backends::Measurement> measurements;
  TellDriversApart(devices, measurements);
  EXPECT_EQ(devices[0].views[1].device.driver, "NVK");
  EXPECT_TRUE(devices[0].conflicts.empty());
}

}  // namespace
}  // namespace report
