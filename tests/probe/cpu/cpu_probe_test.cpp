// SPDX-License-Identifier: MIT
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/core/power.h"
#include "probe/system/processor.h"
#include "tests/probe/tree.h"

namespace probe::cpu {
Module Describe();
namespace {

using ::testing::Contains;

constexpr std::string_view kInfo =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654\nphysical id\t: 0\ncore id\t: 0\n"
    "flags\t: lm sse2 avx2 hypervisor\n\n"
    "processor\t: 1\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654\nphysical id\t: 0\ncore id\t: 1\n"
    "flags\t: lm sse2 avx2 hypervisor\n";

tests::Tree& Epyc(tests::Tree& tree) {
  tree.Write("/proc/cpuinfo", kInfo);
  tree.Write("/proc/meminfo", "MemTotal:       8388608 kB\nMemFree: 1 kB\nMemAvailable:   4194304 kB\n");
  tree.Write("/sys/devices/system/cpu/online", "0-1\n").Write("/sys/devices/system/node/online", "0-1\n");
  tree.Write("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
  tree.Write("/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "3700000\n");
  tree.Write("/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n");
  return tree;
}

TEST(CpuProbe, TellsWhatPowersTheMachineAndWhatItSaves) {
  tests::Tree tree;
  Epyc(tree).Write("/sys/class/power_supply/BAT0/type", "Battery\n");
  tree.Write("/sys/class/power_supply/BAT0/status", "Discharging\n");
  tree.Write("/sys/firmware/acpi/platform_profile", "low-power\n");
  tree.Write("/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "amd-pstate-epp\n");
  tree.Write("/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference", "power\n");
  const auto report = tests::Run(Describe(), tree);
  ASSERT_EQ(report.hardware.size(), 1U);
  const auto& facts = report.hardware[0].facts;
  EXPECT_THAT(facts, Contains(Fact{std::string(kPowerSourceFact), "battery"}));
  EXPECT_THAT(facts, Contains(Fact{std::string(kPowerProfileFact), "low-power"}));
  EXPECT_THAT(facts, Contains(Fact{std::string(kFrequencyDriverFact), "amd-pstate-epp"}));
  EXPECT_THAT(facts, Contains(Fact{std::string(kFrequencyPreferenceFact), "power"}));
}

// What holds the clock, of two policies alike.
std::string HeldBy(std::string_view driver, std::string_view governor, std::string_view preference) {
  tests::Tree tree;
  Epyc(tree);
  for (const auto* policy : {"policy0", "policy1"}) {
    const auto folder = std::string("/sys/devices/system/cpu/cpufreq/") + policy;
    if (!driver.empty()) tree.Write(folder + "/scaling_driver", driver);
    tree.Write(folder + "/scaling_governor", governor);
    if (!preference.empty()) tree.Write(folder + "/energy_performance_preference", preference);
  }
  const auto report = tests::Run(Describe(), tree);
  const auto* held = report.hardware.empty() ? nullptr : FindFact(report.hardware[0].facts, kClockHeldByFact);
  return held ? *held : "";
}

TEST(CpuProbe, PowersaveIsTheLowestClockOnlyWhereTheDriverTakesItSo) {
  EXPECT_EQ(HeldBy("intel_pstate", "powersave", "balance_power"), "");
  EXPECT_EQ(HeldBy("amd-pstate-epp", "powersave", "balance_performance"), "");
  EXPECT_EQ(HeldBy("intel_pstate", "powersave", "power"), "preference");
  EXPECT_EQ(HeldBy("intel_cpufreq", "powersave", "power"), "governor") << "the same chip, in passive mode";
  EXPECT_EQ(HeldBy("acpi-cpufreq", "powersave", ""), "governor");
  EXPECT_EQ(HeldBy("acpi-cpufreq", "schedutil", ""), "");
  EXPECT_EQ(HeldBy("", "powersave", ""), "") << "by a driver that nobody names";
}

TEST(CpuProbe, DescribesTheProcessorOfATree) {
  tests::Tree tree;
  const auto report = tests::Run(Describe(), Epyc(tree));
  ASSERT_EQ(report.hardware.size(), 1U);
  const HardwareDevice& hardware = report.hardware[0];
  EXPECT_EQ(hardware.name, "AMD EPYC 9654");
  EXPECT_EQ(hardware.vendor, "AMD");
  EXPECT_EQ(hardware.kind, DeviceKind::kCpu);
  EXPECT_EQ(hardware.memory_total_bytes, 8ULL << 30U);
  EXPECT_EQ(hardware.memory_free_bytes, 4ULL << 30U);
  ASSERT_TRUE(hardware.processor);
  EXPECT_EQ(hardware.processor->threads, 2U);
  EXPECT_EQ(hardware.processor->cores, 2U);
  EXPECT_EQ(hardware.processor->packages, 1U);
  EXPECT_EQ(hardware.processor->numa_nodes, 2U);
  EXPECT_EQ(hardware.processor->governor, "performance,powersave");
  EXPECT_EQ(FindFact(hardware.facts, kPowerSourceFact), nullptr) << "it has no battery";
  EXPECT_EQ(hardware.processor->usable_threads, std::nullopt) << "the mask of this process is not the tree's";
  EXPECT_THAT(hardware.facts, Contains(Fact{"virtual_machine", "yes"}));
  ASSERT_EQ(report.devices.size(), 1U);
  const RuntimeDevice& device = report.devices[0];
  EXPECT_EQ(device.runtime, "cpu");
  EXPECT_EQ(device.driver, "native");
  EXPECT_EQ(device.kind, DeviceKind::kCpu);
  EXPECT_EQ(device.compute_units, 2U);
  EXPECT_EQ(device.clock_max_hz, 3.7e9);
}

TEST(CpuProbe, MemoryLimitOfTheGroupLowersWhatIsFree) {
  tests::Tree tree;
  Epyc(tree).Write("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.Write("/proc/self/cgroup", "0::/\n").Write("/sys/fs/cgroup/memory.max", "1073741824\n");
  tree.Write("/sys/fs/cgroup/memory.current", "73741824\n")
      .Write("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  const auto report = tests::Run(Describe(), tree);
  ASSERT_EQ(report.hardware.size(), 1U);
  EXPECT_EQ(report.hardware[0].memory_free_bytes, 1000000000U);
  EXPECT_EQ(report.hardware[0].memory_total_bytes, 8ULL << 30U);
  EXPECT_EQ(report.hardware[0].processor->memory_limit_bytes, 1073741824U);
  EXPECT_EQ(report.hardware[0].processor->quota_cores, 1.0);
}

TEST(CpuProbe, ATreeWithoutAProcessorIsNotFilledFromThisMachine) {
  tests::Tree tree;
  const auto report = tests::Run(Describe(), tree);
  EXPECT_TRUE(report.hardware.empty());
  EXPECT_TRUE(report.devices.empty());
  EXPECT_EQ(report.outcome, Outcome::kNoDevice);
}

TEST(CpuProbe, AnswersOnThisMachine) {
  const auto files = system::FileSystem::Open("/");
  ASSERT_TRUE(files);
  const auto report = tests::Run(Describe(), *files);
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].compute_units, system::UsableThreads());
  EXPECT_GT(report.devices[0].memory_total_bytes.value_or(0), 0U);
  EXPECT_TRUE(report.devices[0].architecture);
  EXPECT_EQ(report.outcome, Outcome::kOk);
}

TEST(CpuProbe, SurvivesHostileFiles) {
  tests::Tree tree;
  tree.Write("/proc/cpuinfo", std::string(100000, '\xff'))
      .Write("/proc/meminfo", "MemTotal: 99999999999999999999 kB\n");
  tree.Write("/sys/devices/system/cpu/online", "0-4294967295").Directory("/sys/devices/system/node/online");
  tree.Link("/sys/devices/system/cpu/cpufreq/policy0", "policy0");
  EXPECT_EQ(tests::Run(Describe(), tree).outcome, Outcome::kNoDevice);
  tests::Tree odd;
  odd.Write("/proc/cpuinfo", kInfo).Write("/proc/meminfo", "MemTotal: kB\nMemAvailable: 12x kB\n:\n9\n");
  odd.Link("/proc/self", "self");
  const auto report = tests::Run(Describe(), odd);
  ASSERT_EQ(report.hardware.size(), 1U);
  EXPECT_EQ(report.hardware[0].memory_total_bytes, std::nullopt);
}

}  // namespace
}  // namespace probe::cpu
