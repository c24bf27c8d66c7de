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

}  // namespace
}  // namespace report
