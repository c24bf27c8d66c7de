// SPDX-License-Identifier: MIT
// The probe on the fake loader: what it tells of devices, tiles and drivers, and of drivers that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/core/names.h"
#include "probe/unify/unify.h"
#include "tests/backends/level_zero/machine.h"

namespace {

using probe::DeviceKind;
using probe::Outcome;
using probe::ProbeReport;
using probe::RuntimeDevice;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::kTwoTiles;
using tests::ZeGpu;
using tests::ZeMachine;

std::string FactOf(const RuntimeDevice& device, std::string_view key) {
  const std::string* value = probe::FindFact(device.facts, key);
  return value == nullptr ? "" : *value;
}
std::vector<std::string> Names(const ProbeReport& report) {
  std::vector<std::string> names;
  for (const RuntimeDevice& device : report.devices) {
    const auto& identity = device.identity;
    names.push_back((identity.pci ? ToString(*identity.pci) : "") + "#" + identity.partition.value_or(""));
  }
  return names;
}

TEST(LevelZeroProbe, TellsWhatADeviceIs) {
  const auto report =
      ZeMachine(ZeGpu(3, 1255, "", R"(, "clock_mhz": 2100, "memory_free_bytes": 200000000)")).Survey();
  ASSERT_EQ(report.outcome, Outcome::kOk) << Describe(report.error.value_or(probe::Error{}));
  ASSERT_EQ(report.devices.size(), 1U);
  const RuntimeDevice& device = report.devices[0];
  EXPECT_EQ(device.name, "Arc 3");
  EXPECT_EQ(device.vendor, "Intel");
  EXPECT_EQ(device.kind, DeviceKind::kDiscrete);
  EXPECT_EQ(ToString(device.identity.pci.value_or(probe::PciAddress{})), "0000:03:00.0");
  EXPECT_EQ(device.identity.ids.value_or(probe::PciIds{}).device, 0x56a3U);
  EXPECT_FALSE(device.identity.partition);
  EXPECT_EQ(device.architecture, "ip-12.55");
  EXPECT_EQ(device.driver_version, "1.6.33578");
  EXPECT_EQ(device.api_version, "1.6");
  EXPECT_EQ(device.memory_total_bytes, 256U << 20U);
  EXPECT_EQ(device.memory_free_bytes, 200000000U);
  EXPECT_EQ(device.compute_units, 16U);
  EXPECT_EQ(device.clock_max_hz, 2.1e9);
  EXPECT_EQ(device.subgroup_width, 32U);
  EXPECT_THAT(device.dtypes, ElementsAre("fp32", "int32", "fp16", "int8"));
  EXPECT_THAT(device.matrix_units, ElementsAre("fp16/fp32", "bf16/fp32", "int8/int32"));
  EXPECT_EQ(FactOf(device, "xe_cores"), "2");
  EXPECT_EQ(FactOf(device, "subgroup_sizes"), "8 16 32");
  EXPECT_EQ(FactOf(device, "engines"), "compute:1 copy:2");
  EXPECT_EQ(FactOf(device, "tiles"), "");
  EXPECT_EQ(FactOf(device, "memory_bus_bits"), "") << "the driver tells an address's";
}

TEST(LevelZeroProbe, TellsFreeMemoryThatIsCounted) {
  const auto free = [](std::string_view attributes, std::string_view bytes) {
    ZeMachine machine(ZeGpu(3, 1255, attributes, fmt::format(R"(, "memory_free_bytes": {})", bytes)));
    return machine.Set("ZES_ENABLE_SYSMAN", "1").Survey().devices.at(0).memory_free_bytes;
  };
  EXPECT_EQ(free("", "200000000"), 200000000U) << "with a variable that keeps the system management closed";
  EXPECT_EQ(free("", "268435456"), std::nullopt) << "no driver that counts has all of it free";
  EXPECT_EQ(free(R"(, "card_bytes": 300000000)", "280000000"), 268435456U) << "of that, all for programs";
}

TEST(LevelZeroProbe, KnowsReleasesWithoutMatrixUnits) {
  const auto report = ZeMachine(ZeGpu(3, 1270) + "," + ZeGpu(4, 2001) + "," + ZeGpu(5, 1261) + "," +
                                ZeGpu(6, 3511) + "," + ZeGpu(7, 4000))
                          .Survey();
  ASSERT_EQ(report.devices.size(), 5U);
  for (const std::size_t without : {0U, 2U}) {
    EXPECT_TRUE(report.devices[without].matrix_units.empty());
    EXPECT_EQ(FactOf(report.devices[without], "matrix_units"), "");
  }
  EXPECT_THAT(report.devices[3].matrix_units, Contains("fp16/fp32"));
  EXPECT_EQ(FactOf(report.devices[4], "matrix_units"), "not known") << "a release to come";
  EXPECT_EQ(report.devices[1].architecture, "ip-20.1");
  EXPECT_THAT(report.devices[1].matrix_units, Contains("tf32/fp32"));
}

TEST(LevelZeroProbe, TellsGraphicsOfAProcessorFromCards) {
  const auto report = ZeMachine(ZeGpu(3, 1203, "", R"(, "type": "integrated")")).Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].kind, DeviceKind::kIntegrated);
  EXPECT_EQ(report.devices[0].unified_memory, true);
}

TEST(LevelZeroProbe, ShowsTilesAsPartsOfTheirCard) {
  const std::string gpus = ZeGpu(3, 1260, "", kTwoTiles) + "," + ZeGpu(4, 1260);
  const auto flat = ZeMachine(gpus).Survey();
  EXPECT_THAT(Names(flat), ElementsAre("0000:03:00.0#tile0", "0000:03:00.0#tile1", "0000:04:00.0#"));
  EXPECT_EQ(flat.devices[0].memory_total_bytes, 128U << 20U);
  const auto whole = ZeMachine(gpus).Set("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE").Survey();
  EXPECT_THAT(Names(whole), ElementsAre("0000:03:00.0#", "0000:04:00.0#"));
  EXPECT_EQ(FactOf(whole.devices[0], "tiles"), "2");
  EXPECT_EQ(FactOf(whole.devices[0], "hierarchy"), "COMPOSITE");
  EXPECT_EQ(whole.devices[0].memory_total_bytes, 256U << 20U);
}

TEST(LevelZeroProbe, KnowsTheOneTileThatAMaskLeft) {
  const auto report = ZeMachine(ZeGpu(3, 1260, "", kTwoTiles)).Set("ZE_AFFINITY_MASK", "1").Survey();
  EXPECT_THAT(Names(report), ElementsAre("0000:03:00.0#tile1"));
  EXPECT_EQ(FactOf(report.devices[0], "visible_as"), "1");
  ASSERT_EQ(report.environment.size(), 1U);
  EXPECT_EQ(report.environment[0].name, "ZE_AFFINITY_MASK");
}

TEST(LevelZeroProbe, CountsTilesWhereNoSystemManagementTells) {
  const auto report =
      ZeMachine(ZeGpu(3, 1260, "", kTwoTiles), R"(, "attributes": {"no_sysman": 1})").Survey();
  EXPECT_THAT(Names(report), ElementsAre("0000:03:00.0#tile0", "0000:03:00.0#tile1"));
  EXPECT_FALSE(report.devices[0].memory_free_bytes);
}

TEST(LevelZeroProbe, ServesLoadersThatAreOld) {
  const auto report = ZeMachine(ZeGpu(3, 1255), "", FAKE_LEVEL_ZERO_OLD_LIBRARY).Survey();
  EXPECT_EQ(report.outcome, Outcome::kOk);
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_FALSE(report.devices[0].memory_free_bytes);
}

TEST(LevelZeroProbe, ServesDriversThatAreOlderThanTheirLoader) {
  const auto report = ZeMachine(ZeGpu(3, 1255), R"(, "attributes": {"old_init": 1, "no_ip": 1})").Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_FALSE(report.devices[0].architecture) << "nobody tells it";
  EXPECT_EQ(FactOf(report.devices[0], "matrix_units"), "not known");
}

TEST(LevelZeroProbe, AsksEveryDriver) {
  const auto report =
      ZeMachine(ZeGpu(3, 1255) + "," + ZeGpu(4, 905, R"(, "driver": 1)"), R"(, "attributes": {"drivers": 3})")
          .Survey();
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].driver, "Level Zero");
  EXPECT_EQ(report.devices[1].driver, "Level Zero (driver 2)");
  EXPECT_EQ(report.devices[1].ordinal, 0U) << "the first of its driver";
  ASSERT_EQ(report.drivers.size(), 3U);
  EXPECT_EQ(report.drivers[1].outcome, Outcome::kOk);
  EXPECT_EQ(report.drivers[2].outcome, Outcome::kNoDevice);
}

// Two cards of an older family, of which one comes first, a newer one, and a processor's graphics.
constexpr std::string_view kFamilies = R"(, "attributes": {"drivers": 3})";
std::string Families() {
  return ZeGpu(8, 2001) + "," + ZeGpu(3, 1255, R"(, "driver": 1)") + "," +
         ZeGpu(9, 1255, R"(, "driver": 1)") + "," +
         ZeGpu(2, 1203, R"(, "driver": 2)", R"(, "type": "integrated")");
}
std::string MaskFor(const RuntimeDevice& device) {
  EXPECT_EQ(FactOf(device, "unnumbered"), "");
  const auto told = FactOf(device, "visible_as");
  return told.empty() ? fmt::to_string(device.ordinal) : told;
}

TEST(LevelZeroProbe, NamesDevicesAsTheMaskOfAllDriversDoes) {
  for (const char* order : {"0", "1"}) {
    for (const char* mask : {"", "0,2,3", "1"}) {
      ZeMachine machine(Families(), kFamilies);
      machine.Set("ZE_ENABLE_PCI_ID_DEVICE_ORDER", order).Set("ZE_AFFINITY_MASK", mask);
      const auto all = machine.Survey();
      const auto names = Names(all);
      ASSERT_EQ(names.size(), std::string_view(mask).empty() ? 4U : (std::string_view(mask).size() + 1) / 2);
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto alone = machine.Set("ZE_AFFINITY_MASK", MaskFor(all.devices[i])).Survey();
        EXPECT_THAT(Names(alone), ElementsAre(names[i])) << order << " " << mask;
      }
    }
  }
}

TEST(LevelZeroProbe, NamesNoDeviceWhereTheMasksOrderIsNotKnown) {
  const auto libraries = ZeMachine(Families(), R"(, "attributes": {"drivers": 3, "libraries": 2})").Survey();
  ASSERT_EQ(libraries.devices.size(), 4U);
  for (const RuntimeDevice& device : libraries.devices)
    EXPECT_THAT(FactOf(device, "unnumbered"), HasSubstr("order"));
  const auto unplaced = ZeMachine(Families() + "," + ZeGpu(10, 2001, R"(, "no_pci": 1)"), kFamilies).Survey();
  ASSERT_EQ(unplaced.devices.size(), 5U);
  EXPECT_THAT(FactOf(unplaced.devices[0], "unnumbered"), HasSubstr("order"));
}

TEST(LevelZeroProbe, CountsTheSelectorsNumbersOverAllDrivers) {
  const auto report = ZeMachine(Families(), kFamilies).Set("ONEAPI_DEVICE_SELECTOR", "level_zero:1").Survey();
  std::vector<std::string> hidden;
  for (const RuntimeDevice& device : report.devices) hidden.push_back(FactOf(device, "hidden_by"));
  EXPECT_THAT(hidden,
              ElementsAre("ONEAPI_DEVICE_SELECTOR", "", "ONEAPI_DEVICE_SELECTOR", "ONEAPI_DEVICE_SELECTOR"));
}

TEST(LevelZeroProbe, KeepsTheDevicesBesideOneThatFails) {
  const auto report =
      ZeMachine(ZeGpu(3, 1255) + "," + ZeGpu(4, 1255),
                R"(, "misbehave": [{"at": "properties", "do": "error", "code": 1879048193, "device": 0}])")
          .Survey();
  EXPECT_EQ(report.outcome, Outcome::kOk);
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].name, "Arc 4");
  EXPECT_EQ(report.devices[0].ordinal, 1U);
  EXPECT_THAT(report.warnings, Contains(HasSubstr("ZE_RESULT_ERROR_DEVICE_LOST")));
}

TEST(LevelZeroProbe, TellsAUserWhoMayNotOpenTheGpu) {
  const auto report = ZeMachine(ZeGpu(3, 1255), R"(, "attributes": {"init_code": 1879113728})").Survey();
  EXPECT_EQ(report.outcome, Outcome::kDenied);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "render_node_denied");
}

TEST(LevelZeroProbe, FindsNoDriverInAVariableThatIsIgnored) {
  const probe::system::TemporaryTree tree;
  const auto open_to_all = tree.Write("/driver.so", "", 0777);
  const auto report = ZeMachine("", R"(, "attributes": {"zero_drivers": 1})")
                          .Set("ZE_ENABLE_ALT_DRIVERS", open_to_all)
                          .Survey();
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "no_driver");
}

TEST(LevelZeroProbe, TellsALoaderWithoutADriver) {
  const auto report = ZeMachine("", R"(, "attributes": {"zero_drivers": 1})").Survey();
  EXPECT_EQ(report.outcome, Outcome::kAbsent);
  EXPECT_EQ(report.stage, probe::Stage::kInit);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "no_driver");
  EXPECT_EQ(report.error->code, 0x78000001);
  EXPECT_TRUE(report.library);
}

TEST(LevelZeroProbe, TellsADriverWithoutADevice) {
  const auto report = ZeMachine("").WithDriverFile().Survey();
  EXPECT_NE(report.outcome, Outcome::kAbsent);
  EXPECT_NE(report.outcome, Outcome::kOk);
  ASSERT_TRUE(report.error);
  EXPECT_NE(report.error->name, "no_driver");
}

TEST(LevelZeroProbe, TellsADriverThatFailsFromNoGpu) {
  const auto report = ZeMachine(ZeGpu(3, 1255), R"(, "attributes": {"init_code": 1879179264})").Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE");
  const auto later =
      ZeMachine(ZeGpu(3, 1255), R"(, "misbehave": [{"at": "properties", "do": "error", "code": 1879048193}])")
          .Survey();
  EXPECT_EQ(later.outcome, Outcome::kFailed);
  ASSERT_TRUE(later.error);
  EXPECT_EQ(later.error->name, "ZE_RESULT_ERROR_DEVICE_LOST");
}

TEST(LevelZeroProbe, LeavesTheNullDriverOut) {
  const auto report = ZeMachine(ZeGpu(3, 1255)).Set("ZE_ENABLE_NULL_DRIVER", "1").Survey();
  EXPECT_EQ(report.outcome, Outcome::kOk);
  EXPECT_THAT(report.warnings, Contains(HasSubstr("null driver")));
}

TEST(LevelZeroProbe, LeavesDriversOutThatAreNotTrusted) {
  const probe::system::TemporaryTree tree;
  const auto open_to_all = tree.Write("/driver.so", "", 0777);
  const auto report =
      ZeMachine(ZeGpu(3, 1255)).Set("ZE_ENABLE_ALT_DRIVERS", open_to_all + ",./near.so").Survey();
  EXPECT_THAT(report.warnings, Contains(HasSubstr(open_to_all)));
  EXPECT_THAT(report.warnings, Contains(HasSubstr("relative path")));
}

TEST(LevelZeroProbe, SaysWhatAVariableHidesFromPrograms) {
  const auto report =
      ZeMachine(ZeGpu(3, 1255) + "," + ZeGpu(4, 1255)).Set("ONEAPI_DEVICE_SELECTOR", "level_zero:1").Survey();
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(FactOf(report.devices[0], "hidden_by"), "ONEAPI_DEVICE_SELECTOR");
  EXPECT_EQ(FactOf(report.devices[1], "hidden_by"), "");
  ProbeReport named = report;
  named.module = "level_zero";
  for (const auto& device : probe::unify::Unify(std::span(&named, 1))) {
    if (device.views.empty()) continue;
    EXPECT_EQ(device.views[0].environment_hidden.has_value(), device.name == "Arc 3");
  }
}

// The same card by OpenCL, which tells its address, and by Vulkan, which tells a UUID of its own beside it.
TEST(LevelZeroProbe, ShowsTheDevicesThatOtherRuntimesShow) {
  ProbeReport own = ZeMachine(ZeGpu(3, 1255) + "," + ZeGpu(4, 1255)).Survey();
  own.module = "level_zero";
  ProbeReport opencl, vulkan;
  opencl.module = "opencl";
  vulkan.module = "vulkan";
  for (RuntimeDevice device : own.devices) {
    device.runtime = "opencl";
    device.driver = "Intel(R) OpenCL Graphics";
    opencl.devices.push_back(device);
    device.runtime = "vulkan";
    device.driver = "Intel open-source Mesa driver";
    device.architecture.reset();
    device.identity.uuid = probe::Uuid{1, 2, static_cast<std::uint8_t>(device.ordinal)};
    vulkan.devices.push_back(device);
  }
  const std::vector reports = {opencl, own, vulkan};
  std::size_t gpus = 0;
  for (const auto& device : probe::unify::Unify(reports)) {
    if (device.kind != DeviceKind::kDiscrete) continue;
    ++gpus;
    EXPECT_EQ(device.views.size(), 3U);
    EXPECT_TRUE(device.conflicts.empty());
  }
  EXPECT_EQ(gpus, 2U);
}

// Drivers that tell no address, as Debian 12's of a GPU that is not there: one device all the same.
TEST(LevelZeroProbe, IsOneDeviceWithAnotherViewWithoutAnAddress) {
  ProbeReport own = ZeMachine(ZeGpu(3, 1255, R"(, "no_pci": 1)")).Survey();
  own.module = "level_zero";
  ASSERT_EQ(own.devices.size(), 1U);
  EXPECT_FALSE(own.devices[0].identity.pci);
  ProbeReport opencl;
  opencl.module = "opencl";
  opencl.devices = own.devices;
  opencl.devices[0].runtime = "opencl";
  opencl.devices[0].driver = "Intel(R) OpenCL HD Graphics";
  opencl.devices[0].identity.uuid.reset();
  const std::vector reports = {opencl, own};
  std::size_t views = 0, gpus = 0;
  for (const auto& device : probe::unify::Unify(reports)) {
    if (device.kind != DeviceKind::kDiscrete) continue;
    ++gpus;
    views = device.views.size();
  }
  EXPECT_EQ(gpus, 1U);
  EXPECT_EQ(views, 2U);
}

}  // namespace
