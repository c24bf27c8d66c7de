// SPDX-License-Identifier: MIT
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/system/card_sensors.h"
#include "probe/system/pcie_link.h"
#include "tests/probe/tree.h"

namespace probe::system {
namespace {

constexpr const char* kCard = "/sys/bus/pci/devices/0000:01:00.0";

TEST(CardSensors, OfAMakersOwnUnitsAreDegreesAndWatts) {
  tests::Tree tree;
  const std::string folder = std::string(kCard) + "/hwmon/hwmon4/";
  tree.Write(folder + "temp1_input", "64000\n").Write(folder + "power1_input", "21500000\n");
  auto sensors = ReadCardSensors(tree.Files(), kCard);
  EXPECT_EQ(sensors.temperature_c, 64.0);
  EXPECT_EQ(sensors.power_w, 21.5);
  tree.Write(folder + "power1_average", "20000000\n");
  EXPECT_EQ(ReadCardSensors(tree.Files(), kCard).power_w, 20.0) << "the firmware's own average";
}

TEST(CardSensors, StartWithTheSecondWhereADriverHasNoFirst) {
  tests::Tree tree;
  tree.Write(std::string(kCard) + "/hwmon/hwmon1/temp2_input", "48500\n");
  tree.Write(std::string(kCard) + "/hwmon/hwmon1/energy1_input", "123456\n");
  const auto sensors = ReadCardSensors(tree.Files(), kCard);
  EXPECT_EQ(sensors.temperature_c, 48.5);
  EXPECT_FALSE(sensors.power_w) << "energy is no power";
}

TEST(CardSensors, ThatAreOffOrBrokenSayNothing) {
  for (const char* text : {"0\n", "-1000\n", "N/A\n", ""}) {
    tests::Tree tree;
    tree.Write(std::string(kCard) + "/hwmon/hwmon1/temp1_input", text);
    tree.Write(std::string(kCard) + "/hwmon/hwmon1/power1_input", text);
    const auto sensors = ReadCardSensors(tree.Files(), kCard);
    EXPECT_FALSE(sensors.temperature_c || sensors.power_w) << text;
  }
  EXPECT_FALSE(ReadCardSensors(tests::Tree().Files(), kCard).power_w);
}

TEST(PcieLink, IsThatOfThisMoment) {
  tests::Tree tree;
  const auto write = [&](const char* file, const char* text) { tree.Write(std::string(kCard) + file, text); };
  write("/current_link_speed", "2.5 GT/s PCIe\n");
  write("/current_link_width", "8\n");
  write("/max_link_speed", "16.0 GT/s PCIe\n");
  write("/max_link_width", "16\n");
  EXPECT_EQ(ReadCardLink(tree.Files(), kCard, false).link, (PcieLink{1, 8, 4, 16}));
  write("/current_link_speed", "16.0 GT/s PCIe\n");
  EXPECT_EQ(ReadCardLink(tree.Files(), kCard, false).link, (PcieLink{4, 8, 4, 16}));
  write("/current_link_speed", "Unknown\n");
  EXPECT_EQ(ReadCardLink(tree.Files(), kCard, false).link, (PcieLink{std::nullopt, 8, 4, 16}));
}

TEST(PcieLink, TheFasterOneIsOfTheLaterGenerationOrOfMoreLanes) {
  const std::optional<PcieLink> none, slow = PcieLink{1, 16, 4, 16}, narrow = PcieLink{4, 8, 4, 16},
                                      wide = PcieLink{4, 16, 4, 16};
  EXPECT_EQ(Faster(none, none), none);
  EXPECT_EQ(Faster(none, slow), slow);
  EXPECT_EQ(Faster(slow, none), slow);
  EXPECT_EQ(Faster(slow, narrow), narrow);
  EXPECT_EQ(Faster(wide, narrow), wide);
}

}  // namespace
}  // namespace probe::system
