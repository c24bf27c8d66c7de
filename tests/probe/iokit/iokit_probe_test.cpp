// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <gmock/gmock.h>

#include "probe/core/power.h"
#include "probe/unify/unify.h"
#include "tests/backends/metal/machine.h"

namespace probe::iokit {
Module Describe();
}

namespace {

using probe::DeviceKind;
using probe::Outcome;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

// A Mac with that registry (tests/fakes/iokit/iokit.cpp).
class RegistryMachine {
 public:
  explicit RegistryMachine(std::string_view registry) {
    for (const char* name : {"IOKit", "CoreFoundation"})
      tree_.Link(std::string("/lib/") + name, FAKE_IOKIT_LIBRARY);
    variables_ = {{"WHICHGPU_LIBRARY_PATH", tree_.At("/lib")},
                  {"WHICHGPU_FAKE_REGISTRY", tree_.Write("/registry.json", std::string(registry))}};
  }
  [[nodiscard]] probe::ProbeReport Survey() const {
    return tests::SurveyWith(variables_, probe::iokit::Describe());
  }
  [[nodiscard]] std::string Run(const tests::ProcessBody& body) const {
    return tests::RunWith(variables_, body);
  }
  RegistryMachine& Without(const std::string& library) {
    std::filesystem::remove(tree_.At("/lib/" + library));
    return *this;
  }

 private:
  probe::system::TemporaryTree tree_;
  tests::Variables variables_;
};

std::string FactOf(const probe::HardwareDevice& device, std::string_view key) {
  const std::string* value = probe::FindFact(device.facts, key);
  return value == nullptr ? "none" : *value;
}

// The firmware's number of four bytes.
std::string Bytes(std::uint32_t number) {
  return fmt::format(R"({{"bytes": [{}, {}, {}, {}]}})", number & 0xffU, number >> 8U & 0xffU,
                     number >> 16U & 0xffU, number >> 24U);
}

std::string PciEntry(std::uint32_t vendor, std::uint32_t device, std::uint32_t class_code,
                     std::string_view place, std::string_view more = "") {
  return fmt::format(
      R"({{"class": "IOPCIDevice", "properties": {{"vendor-id": {}, "device-id": {}, "class-code": {},
          "pcidebug": "{}"{}}}}})",
      Bytes(vendor), Bytes(device), Bytes(class_code), place, more);
}

std::string Accelerator(std::string_view id, int above, std::string_view properties) {
  return fmt::format(
      R"({{"class": "SomeAccelerator IOAccelerator", "id": {}, "above": {}, "properties": {{{}}}}})", id,
      above, properties);
}

// A MacBook Pro of 2019: the processor's GPU and a card, whose driver hangs below a step of its own.
std::string PortableOf2019(
    std::string_view battery = R"("BatteryInstalled": true, "ExternalConnected": false)") {
  const std::string radeon =
      R"(, "model": {"bytes": [65, 77, 68, 32, 82, 97, 100, 101, 111, 110, 0, 255]}, "revision-id": )" +
      Bytes(0x40) + R"(, "subsystem-vendor-id": )" + Bytes(0x106b) + R"(, "subsystem-id": )" + Bytes(0x020e) +
      R"(, "IOPCIExpressLinkStatus": 67, "IOPCIExpressLinkCapabilities": 132, "IOPCITunnelled": false)";
  return "[" + PciEntry(0x8086, 0x3e9b, 0x030000, "0:2:0") + "," +
         PciEntry(0x1002, 0x7340, 0x030000, "3:0:0", radeon) + R"(,
    {"class": "IOService", "above": 1, "properties": {}},
    {"class": "IOPCIDevice", "properties": {"class-code": )" +
         Bytes(0x020000) + R"(, "vendor-id": )" + Bytes(0x14e4) + R"(, "device-id": )" + Bytes(1) + "}}," +
         Accelerator("4294968992", 0,
                     R"("VRAM,totalMB": 1536, "CFBundleIdentifier": "com.apple.driver.Igpu")") +
         "," +
         Accelerator("4294968993", 2,
                     R"("VRAM,totalMB": 4096, "CFBundleIdentifier": "com.apple.kext.Navi")") +
         R"(, {"class": "AppleSmartBattery", "properties": {)" + std::string(battery) + "}}]";
}

constexpr std::string_view kChip = R"([
  {"class": "IOService", "properties": {"model": {"bytes": [77, 97, 99, 49, 53, 0]}}},
  {"class": "AGXAccelerator IOAccelerator", "id": 4294967968, "above": 0,
   "properties": {"model": "Apple M3 Pro", "gpu-core-count": 18, "CFBundleIdentifier": "com.apple.AGXG15X"}},
  {"class": "H11ANEIn", "properties": {}}])";

TEST(IokitProbe, IsOfNoOtherSystem) {
  RegistryMachine machine("[]");
  EXPECT_EQ(machine.Survey().outcome, Outcome::kNoDevice);
  EXPECT_EQ(machine.Without("CoreFoundation").Survey().outcome, Outcome::kAbsent);
}

TEST(IokitProbe, KnowsACardByItsFunctionOfTheBusAndItsDriver) {
  const auto report = RegistryMachine(PortableOf2019()).Survey();
  ASSERT_EQ(report.hardware.size(), 3U);
  const auto& card = report.hardware[1];
  EXPECT_EQ(card.source, "iokit");
  EXPECT_EQ(card.name, "AMD Radeon") << "the firmware's text ends with its zero";
  EXPECT_EQ(card.vendor, "AMD");
  EXPECT_EQ(card.kind, DeviceKind::kDiscrete);
  EXPECT_EQ(card.identity.pci, (probe::PciAddress{0, 3, 0, 0}));
  EXPECT_EQ(card.identity.ids, (probe::PciIds{0x1002, 0x7340, 0x106b, 0x020e, 0x40}));
  EXPECT_EQ(card.vram_bytes, std::uint64_t{4096} << 20U);
  EXPECT_EQ(card.kernel_driver, "com.apple.kext.Navi");
  EXPECT_EQ(card.pcie, (probe::PcieLink{3, 4, 4, 8}));
  EXPECT_EQ(card.removable, false);
  EXPECT_EQ(FactOf(card, "registry_id"), "0x1000006a1");
  EXPECT_EQ(FactOf(card, "table_target"), "gfx1012");
}

TEST(IokitProbe, GivesAProcessorsGpuNoMemoryOfItsOwn) {
  const auto report = RegistryMachine(PortableOf2019()).Survey();
  ASSERT_EQ(report.hardware.size(), 3U);
  const auto& gpu = report.hardware[0];
  EXPECT_EQ(gpu.vendor, "Intel");
  EXPECT_EQ(gpu.kind, DeviceKind::kIntegrated);
  EXPECT_EQ(gpu.vram_bytes, std::nullopt);
  EXPECT_EQ(FactOf(gpu, "registry_id"), "0x1000006a0");
  EXPECT_FALSE(gpu.pcie.has_value());
}

TEST(IokitProbe, ListsACardThatNoDriverServes) {
  const auto report = RegistryMachine("[" + PciEntry(0x10de, 0x2684, 0x030000, "1:0:0(2:2)") + "," +
                                      PciEntry(0x10de, 0x22ba, 0x040300, "1:0:1") + "]")
                          .Survey();
  ASSERT_EQ(report.hardware.size(), 1U) << "what plays its sound is no display";
  EXPECT_EQ(report.hardware[0].identity.pci, (probe::PciAddress{0, 1, 0, 0}));
  EXPECT_FALSE(report.hardware[0].kernel_driver.has_value());
  EXPECT_EQ(FactOf(report.hardware[0], "registry_id"), "none");
  EXPECT_EQ(FactOf(report.hardware[0], "name_basis"), "pci_table") << report.hardware[0].name;
}

TEST(IokitProbe, KnowsAChipsGpuAndNeuralEngine) {
  const auto report = RegistryMachine(kChip).Survey();
  ASSERT_EQ(report.hardware.size(), 2U);
  const auto& gpu = report.hardware[0];
  EXPECT_EQ(gpu.name, "Apple M3 Pro") << "not the Mac's own model above it";
  EXPECT_EQ(gpu.vendor, "Apple");
  EXPECT_EQ(gpu.kind, DeviceKind::kIntegrated);
  EXPECT_EQ(FactOf(gpu, "gpu_cores"), "18");
  EXPECT_FALSE(gpu.identity.pci.has_value());
  EXPECT_EQ(report.hardware[1].name, "Apple Neural Engine");
  EXPECT_EQ(report.hardware[1].kind, DeviceKind::kAccelerator);
}

TEST(IokitProbe, TellsWhetherTheBatteryIsDrawnOn) {
  const auto source = [](std::string_view battery) {
    const auto report = RegistryMachine(PortableOf2019(battery)).Survey();
    const auto& last = report.hardware.back();
    return last.kind == DeviceKind::kCpu ? FactOf(last, probe::kPowerSourceFact) : "nothing";
  };
  EXPECT_EQ(source(R"("BatteryInstalled": true, "ExternalConnected": false)"), "battery");
  EXPECT_EQ(source(R"("BatteryInstalled": true, "ExternalConnected": true)"), "mains");
  EXPECT_EQ(source(R"("BatteryInstalled": false, "ExternalConnected": true)"), "nothing");
  EXPECT_EQ(source(R"("BatteryInstalled": true, "ExternalConnected": 1)"), "nothing") << "no flag";
}

TEST(IokitProbe, LeavesUnknownWhatIsOfAnotherTypeOrOutOfRange) {
  const auto one = [](std::string_view properties) {
    const auto report = RegistryMachine("[" + PciEntry(0x1002, 0x7340, 0x030000, "x", properties) + "," +
                                        Accelerator("7", 0, R"("gpu-core-count": "many")") + "]")
                            .Survey();
    return report.hardware.empty() ? probe::HardwareDevice() : report.hardware[0];
  };
  EXPECT_FALSE(one("").identity.pci.has_value());
  EXPECT_EQ(FactOf(one(""), "gpu_cores"), "none");
  EXPECT_EQ(one(R"(, "VRAM,totalMB": -1)").vram_bytes, std::nullopt);
  EXPECT_EQ(one(R"(, "VRAM,totalMB": 1099511627776)").vram_bytes, std::nullopt);
  EXPECT_EQ(one(R"(, "VRAM,totalsize": {"bytes": [0, 0, 0, 64]})").vram_bytes, std::uint64_t{1} << 30U);
  EXPECT_EQ(one(R"(, "VRAM,totalsize": {"bytes": [1, 1, 1, 1, 1, 1, 1, 1, 1]})").vram_bytes, std::nullopt);
  EXPECT_FALSE(one(R"(, "IOPCIExpressLinkStatus": 0)").pcie.has_value());
  EXPECT_EQ(one(R"(, "model": 5)").name, one("").name);
}

// Both call a GPU by its driver's number in the registry.
TEST(IokitProbe, IsJoinedWithMetalsDevices) {
  const auto registry = "[" + PciEntry(0x8086, 0x3e9b, 0x030000, "0:2:0") + "," +
                        PciEntry(0x1002, 0x7340, 0x030000, "3:0:0") + "," + Accelerator("4294967968", 1, "") +
                        "," + Accelerator("4294967969", 0, "") + "]";
  const auto metal = tests::MetalMachine(FAKE_METAL_LIBRARY, R"(
      {"name": "AMD Radeon Pro 5500M", "attributes": {"apple_family": 0, "mac2": 1, "location": 1}},
      {"name": "Intel UHD Graphics 630", "attributes": {"apple_family": 0, "mac2": 1, "low_power": 1}})")
                         .Survey();
  ASSERT_EQ(metal.devices.size(), 2U);
  const std::vector<probe::ProbeReport> reports = {RegistryMachine(registry).Survey(), metal};
  const auto devices = probe::unify::Unify(reports);
  ASSERT_EQ(devices.size(), 3U) << "the processor, and each GPU once";
  const auto seen = [&](std::size_t place) {
    const auto& views = devices[place].views;
    return views.size() == 1 ? views[0].device.name + " by " + views[0].matched_by : "not one view";
  };
  EXPECT_EQ(devices[0].id, "pci:0000:00:02.0");
  EXPECT_EQ(seen(0), "Intel UHD Graphics 630 by registry");
  EXPECT_EQ(devices[1].id, "pci:0000:03:00.0");
  EXPECT_EQ(seen(1), "AMD Radeon Pro 5500M by registry");
}

TEST(IokitProbe, HoldsNothingAfterwards) {
  for (const std::string& registry : {PortableOf2019(), std::string(kChip)}) {
    EXPECT_EQ(RegistryMachine(registry).Run([](const auto& files, const auto& environment) {
      int devices = 0;
      probe::iokit::Describe().probe({files, environment, std::nullopt, [&](const probe::ProbeEvent& event) {
                                        devices +=
                                            std::holds_alternative<probe::HardwareDevice>(event) ? 1 : 0;
                                      }});
      void* library = dlopen(FAKE_IOKIT_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
      const auto held = reinterpret_cast<long (*)()>(dlsym(library, "fake_iokit_held"));
      return fmt::format("{}: {} held", devices > 0, held());
    }),
              "true: 0 held");
  }
}

}  // namespace
