// SPDX-License-Identifier: MIT
#include "probe/system/power.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/probe/tree.h"

namespace probe::system {
namespace {

constexpr std::size_t kAll = 100;

Power Read(const tests::Tree& tree, std::size_t most = kAll) { return ReadPower(tree.Files(), most); }

tests::Tree& Supply(tests::Tree& tree, const std::string& name, const std::string& type,
                    const std::string& file, const std::string& value) {
  const auto folder = "/sys/class/power_supply/" + name;
  tree.Write(folder + "/type", type + "\n");
  return tree.Write(folder + "/" + file, value + "\n");
}

TEST(Power, OfADesktopIsNotKnown) {
  tests::Tree tree;
  EXPECT_EQ(Read(tree), Power());
}

TEST(Power, IsTheBatteryWhereNothingSupplies) {
  tests::Tree tree;
  Supply(tree, "BAT0", "Battery", "status", "Discharging");
  Supply(tree, "AC", "Mains", "online", "0");
  EXPECT_EQ(Read(tree).source, "battery");
  Supply(tree, "AC", "Mains", "online", "1");
  EXPECT_EQ(Read(tree).source, "mains");
}

TEST(Power, ComesByUsbToo) {
  tests::Tree tree;
  Supply(tree, "BAT0", "Battery", "status", "Discharging");
  Supply(tree, "ucsi-source-psy-1", "USB", "online", "1");
  EXPECT_EQ(Read(tree).source, "mains") << "a weak supply is one";
}

TEST(Power, OfAMouseIsNotTheMachines) {
  tests::Tree tree;
  Supply(tree, "hidpp_battery_0", "Battery", "status", "Discharging");
  tree.Write("/sys/class/power_supply/hidpp_battery_0/scope", "Device\n");
  EXPECT_EQ(Read(tree).source, std::nullopt);
}

TEST(Power, OfAFullBatteryIsTheMains) {
  tests::Tree tree;
  Supply(tree, "BAT0", "Battery", "status", "Full");
  EXPECT_EQ(Read(tree).source, "mains");
}

TEST(Power, OfTheClockIsWhatEveryPolicySays) {
  tests::Tree tree;
  for (const auto* policy : {"policy0", "policy1", "policy2"}) {
    const auto folder = std::string("/sys/devices/system/cpu/cpufreq/") + policy;
    tree.Write(folder + "/scaling_driver", "intel_pstate\n");
    tree.Write(folder + "/energy_performance_preference",
               std::string(policy) == "policy1" ? "power\n" : "balance_power\n");
    tree.Write(folder + "/scaling_governor", "powersave\n");
  }
  tree.Write("/sys/firmware/acpi/platform_profile", "low-power\n");
  const Power power = Read(tree);
  EXPECT_EQ(power.frequency_driver, "intel_pstate");
  EXPECT_EQ(power.frequency_preference, "balance_power,power");
  EXPECT_EQ(power.governor, "powersave");
  EXPECT_EQ(power.profile, "low-power");
  EXPECT_EQ(Read(tree, 1).frequency_preference, "balance_power");
}

TEST(Power, WhatSavesLessIsOneOfWhatTheKernelOffers) {
  tests::Tree tree;
  const std::string policy = "/sys/devices/system/cpu/cpufreq/policy0";
  tree.Write(policy + "/scaling_available_governors", "powersave performance ondemand\n");
  tree.Write(policy + "/energy_performance_available_preferences", "default performance power\n");
  tree.Write("/sys/firmware/acpi/platform_profile_choices", "low-power balanced performance\n");
  const Power power = Read(tree);
  EXPECT_EQ(power.better_governor, "ondemand");
  EXPECT_EQ(power.better_preference, "default");
  EXPECT_EQ(power.better_profile, "balanced");
  tree.Write(policy + "/scaling_available_governors", "powersave\n");
  EXPECT_EQ(Read(tree).better_governor, std::nullopt);
}

TEST(Power, IsCleanWhateverTheFilesHold) {
  tests::Tree tree;
  Supply(tree, "BAT0", "Battery\x1b[2J", "status", "Discharging");
  tree.Write("/sys/firmware/acpi/platform_profile", "\x1b[31m" + std::string(100'000, 'x') + "\n");
  const Power power = Read(tree);
  EXPECT_EQ(power.source, std::nullopt);
  EXPECT_LT(power.profile.value_or("").size(), 100U);
  EXPECT_EQ(power.profile.value_or("").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace probe::system
