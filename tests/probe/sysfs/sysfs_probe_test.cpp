// SPDX-License-Identifier: MIT
#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/probe/sysfs/facts.h"
#include "tests/probe/tree.h"

namespace probe::sysfs {
Module Describe();
namespace {

using ::testing::Contains;
using ::testing::Not;
using tests::FactOf;

std::string Bus(std::string_view address) { return "/sys/bus/pci/devices/" + std::string(address); }

// A PCI function as the kernel shows it.
tests::Tree& Pci(tests::Tree& tree, std::string_view address, std::string_view vendor,
                 std::string_view device, std::string_view code = "0x030000") {
  const std::string directory = Bus(address);
  return tree.Write(directory + "/vendor", std::string(vendor) + "\n")
      .Write(directory + "/device", std::string(device) + "\n")
      .Write(directory + "/class", std::string(code) + "\n");
}

HardwareDevice Only(const tests::Tree& tree) {
  const auto report = tests::Run(Describe(), tree);
  EXPECT_EQ(report.hardware.size(), 1U);
  return report.hardware.empty() ? HardwareDevice{} : report.hardware[0];
}

TEST(Sysfs, DescribesAnAmdCard) {
  tests::Tree tree;
  const std::string directory = Bus("0000:0c:00.0");
  Pci(tree, "0000:0c:00.0", "0x1002", "0x73bf").Write(directory + "/revision", "0xc1\n");
  tree.Write(directory + "/subsystem_vendor", "0x1da2\n").Write(directory + "/subsystem_device", "0x440e\n");
  tree.Link(directory + "/driver", "../../../bus/pci/drivers/amdgpu").Write(directory + "/numa_node", "1\n");
  tree.Write(directory + "/mem_info_vram_total", "17163091968\n")
      .Write(directory + "/mem_info_vram_used", "91968\n");
  tree.Write(directory + "/mem_info_gtt_total", "16786171904\n").Write(directory + "/removable", "fixed\n");
  tree.Write(directory + "/current_link_speed", "8.0 GT/s PCIe\n")
      .Write(directory + "/current_link_width", "8\n");
  tree.Write(directory + "/max_link_speed", "16.0 GT/s PCIe\n").Write(directory + "/max_link_width", "16\n");
  tree.Write(directory + "/pp_dpm_sclk", "0: 500Mhz *\n1: 2250Mhz\n");
  tree.Directory(directory + "/drm/card0")
      .Directory(directory + "/drm/renderD128")
      .Write("/dev/dri/renderD128", "");
  const HardwareDevice device = Only(tree);
  EXPECT_EQ(device.name, "Radeon RX 6800 XT");
  EXPECT_EQ(device.vendor, "AMD");
  EXPECT_EQ(device.kind, DeviceKind::kDiscrete);
  EXPECT_EQ(device.kernel_driver, "amdgpu");
  EXPECT_EQ(ToString(*device.identity.pci), "0000:0c:00.0");
  EXPECT_EQ(device.identity.ids, (PciIds{0x1002, 0x73bf, 0x1da2, 0x440e, 0xc1}));
  EXPECT_EQ(device.vram_bytes, 17163091968U);
  EXPECT_EQ(device.memory_free_bytes, 17163000000U);
  EXPECT_EQ(device.gtt_bytes, 16786171904U);
  EXPECT_EQ(device.pcie, (PcieLink{3, 8, 4, 16}));
  EXPECT_EQ(device.numa_node, 1U);
  EXPECT_EQ(device.removable, false);
  EXPECT_THAT(device.nodes, ::testing::ElementsAre(DeviceNode{"/dev/dri/renderD128", true, true}));
  EXPECT_EQ(FactOf(device, "drm_card"), "card0");
  EXPECT_EQ(FactOf(device, "clock_max_hz"), "2250000000");
  EXPECT_EQ(device.architecture, std::nullopt) << "only the machine itself says what a card's target is";
}

TEST(Sysfs, FallsBackToUeventAndModalias) {
  tests::Tree tree;
  tree.Write("/sys/class/drm/card1/device/uevent",
             "DRIVER=nvidia\nPCI_CLASS=30000\nPCI_ID=10DE:2704\nPCI_SUBSYS_ID=1462:5110\nPCI_SLOT_NAME=0000:"
             "09:00.0\n");
  Pci(tree, "0000:02:00.0", "0x1002", "0x6818");
  std::filesystem::remove(tree.Path(Bus("0000:02:00.0") + "/device"));
  tree.Write(Bus("0000:02:00.0") + "/modalias", "pci:v00001002d00006818sv0000174Bsd0000E217bc03sc00i00\n");
  const auto report = tests::Run(Describe(), tree);
  ASSERT_EQ(report.hardware.size(), 2U);
  EXPECT_EQ(report.hardware[0].name, "Radeon HD 7870 GHz Edition");
  EXPECT_EQ(report.hardware[0].identity.ids->subsystem_device, 0xe217U);
  EXPECT_EQ(report.hardware[1].name, "GeForce RTX 4080");
  EXPECT_EQ(report.hardware[1].kernel_driver, "nvidia");
  EXPECT_EQ(report.hardware[1].identity.ids->subsystem_vendor, 0x1462U);
}

TEST(Sysfs, AnUnknownCardIsNamedByItsNumbers) {
  tests::Tree tree;
  Pci(tree, "0000:01:00.0", "0x10de", "0x7fff");
  EXPECT_EQ(Only(tree).name, "NVIDIA device 10de:7fff");
  tests::Tree stranger;
  Pci(stranger, "0000:01:00.0", "0xabcd", "0x0001");
  const HardwareDevice device = Only(stranger);
  EXPECT_EQ(device.name, "PCI device abcd:0001");
  EXPECT_EQ(device.kind, DeviceKind::kUnknown);
  EXPECT_EQ(device.vendor, std::nullopt);
}

TEST(Sysfs, EmptyUeventsLeaveADeviceThatSaysWhatItIsNot) {
  tests::Tree tree;
  tree.Write("/sys/class/drm/card0/device/uevent", "")
      .Write("/sys/class/drm/card0/device/vendor", "0x1002\n");
  const HardwareDevice device = Only(tree);
  EXPECT_EQ(device.name, "unidentified AMD device card0");
  EXPECT_EQ(device.identity, Identity{});
}

// A card that the loaded module did not bind; one that is bound, or that no module is there for, is none.
TEST(Sysfs, ACardThatTheLoadedDriverDidNotTakeIsSaidToBeLeft) {
  struct Row {
    const char* vendor;
    const char* device;
    const char* module;
    const char* state;  // "": built into the kernel
    bool bound;
    bool left;
  };
  for (const auto& [vendor, device, module, state, bound, left] :
       {Row{"0x10de", "0x2b85", "nvidia", "live", false, true},
        {"0x10de", "0x2b85", "nvidia", "live", true, false},
        {"0x10de", "0x2b85", "nvidia", "coming", false, false},
        {"0x10de", "0x2b85", "amdgpu", "live", false, false},
        {"0x1002", "0x73bf", "amdgpu", "", false, true},
        {"0x1a03", "0x2000", "amdgpu", "live", false, false}}) {
    tests::Tree tree;
    Pci(tree, "0000:01:00.0", vendor, device);
    tree.Write("/sys/module/" + std::string(module) + "/version", "550.54.14\n");
    if (*state != '\0') tree.Write("/sys/module/" + std::string(module) + "/initstate", state);
    if (bound) tree.Link(Bus("0000:01:00.0") + "/driver", "../../../bus/pci/drivers/" + std::string(module));
    const auto told = Only(tree);
    EXPECT_EQ(FactOf(told, "left_by_driver"), left ? module : "") << vendor << " " << module << " " << state;
    EXPECT_EQ(FactOf(told, "left_by_version"), left ? "550.54.14" : "");
  }
}

TEST(Sysfs, OtherFunctionsOfTheBusAreNotCards) {
  tests::Tree tree;
  Pci(tree, "0000:00:00.0", "0x8086", "0x4621", "0x060000");
  Pci(tree, "0000:00:04.0", "0x8086", "0x461d", "0x118000");  // thermal framework, same class as some NPUs
  Pci(tree, "0000:00:1f.3", "0x8086", "0x51c8", "0x040300");
  tree.Directory("/sys/class/drm/card0-HDMI-A-1").Write("/sys/class/drm/version", "drm 1.1.0\n");
  const auto report = tests::Run(Describe(), tree);
  EXPECT_TRUE(report.hardware.empty());
  EXPECT_EQ(report.outcome, Outcome::kNoDevice);
  EXPECT_FALSE(report.error);
}

TEST(Sysfs, AMachineWithoutABusSaysSoForNothingFollowsFromNoCardThere) {
  tests::Tree tree;
  tree.Directory("/sys/class/drm").Directory("/sys/bus/pci/devices");
  const auto report = tests::Run(Describe(), tree);
  EXPECT_EQ(report.outcome, Outcome::kNoDevice);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "no_bus");
  tests::Tree unmounted;
  for (const std::string folder : {"/sys", "/sys/class"}) {  // of an image
    const auto empty = tests::Run(Describe(), unmounted.Directory(folder));
    ASSERT_TRUE(empty.error);
    EXPECT_TRUE(empty.error->Is(OwnError::kNoSysfs));
  }
}

TEST(Sysfs, NpusAndManagementGraphicsAndVirtualDisplays) {
  tests::Tree tree;
  Pci(tree, "0000:c5:00.1", "0x1022", "0x1502", "0x118000").Directory(Bus("0000:c5:00.1") + "/accel/accel0");
  Pci(tree, "0000:03:00.0", "0x1a03", "0x2000");
  Pci(tree, "0000:00:02.0", "0x1af4", "0x1050");
  Pci(tree, "0000:65:00.0", "0xabcd", "0x1234", "0x120000");
  const auto report = tests::Run(Describe(), tree);
  ASSERT_EQ(report.hardware.size(), 4U);
  EXPECT_EQ(report.hardware[0].kind, DeviceKind::kVirtual);
  EXPECT_EQ(report.hardware[1].kind, DeviceKind::kManagement);
  EXPECT_EQ(report.hardware[2].kind, DeviceKind::kAccelerator);
  EXPECT_EQ(report.hardware[3].kind, DeviceKind::kAccelerator);
  EXPECT_THAT(report.hardware[3].name, ::testing::HasSubstr("NPU"));
  EXPECT_THAT(report.hardware[3].nodes, Contains(DeviceNode{"/dev/accel/accel0", false, false}));
}

TEST(Sysfs, AVirtioDisplayIsFoundBehindItsPciFunction) {
  tests::Tree tree;
  const std::string function = "/sys/devices/pci0000:00/0000:00:01.0";
  tree.Write(function + "/vendor", "0x1af4\n").Write(function + "/device", "0x1050\n");
  tree.Write(function + "/class", "0x030000\n").Directory(function + "/virtio0/drm/card0");
  tree.Link(Bus("0000:00:01.0"), "../../../devices/pci0000:00/0000:00:01.0");
  tree.Link(function + "/virtio0/drm/card0/device", "../../../virtio0");
  tree.Link("/sys/class/drm/card0", "../../devices/pci0000:00/0000:00:01.0/virtio0/drm/card0");
  const HardwareDevice device = Only(tree);
  EXPECT_EQ(ToString(*device.identity.pci), "0000:00:01.0");
  EXPECT_EQ(FactOf(device, "drm_card"), "card0");
}

TEST(Sysfs, GpusThatAreNoPciDevices) {
  tests::Tree tree;
  tree.Write("/sys/devices/platform/soc/fd500000.gpu/uevent", "DRIVER=v3d\nOF_NAME=gpu\n");
  tree.Link("/sys/class/drm/card0/device", "../../../devices/platform/soc/fd500000.gpu");
  tree.Link("/sys/class/drm/renderD128/device", "../../../devices/platform/soc/fd500000.gpu");
  const HardwareDevice device = Only(tree);
  EXPECT_EQ(device.name, "Broadcom VideoCore GPU");
  EXPECT_EQ(device.kind, DeviceKind::kIntegrated);
  EXPECT_EQ(FactOf(device, "platform_device"), "fd500000.gpu");
  EXPECT_EQ(device.nodes.size(), 1U);
}

TEST(Sysfs, PartitionsCountUnderTheirCard) {
  tests::Tree tree;
  Pci(tree, "0000:0a:00.0", "0x1002", "0x74a2", "0x120000");
  for (int part = 0; part < 4; ++part) {
    tree.Write("/sys/class/kfd/kfd/topology/nodes/" + std::to_string(part + 2) + "/properties",
               "simd_count 80\nsimd_per_cu 4\nvendor_id 4098\ndevice_id 29858\ngfx_target_version "
               "90402\nlocation_id " +
                   std::to_string(0x0a00 + part) + "\n");
  }
  for (int part = 1; part < 4; ++part) {
    const std::string name = "amdgpu_xcp_" + std::to_string(part);
    tree.Directory("/sys/devices/platform/" + name);
    tree.Link("/sys/class/drm/renderD" + std::to_string(128 + part) + "/device",
              "../../../devices/platform/" + name);
  }
  const HardwareDevice device = Only(tree);
  EXPECT_EQ(device.name, "Instinct MI308X");
  EXPECT_EQ(device.architecture, "gfx942");
  EXPECT_EQ(FactOf(device, "compute_partitions"), "4");
  EXPECT_EQ(FactOf(device, "compute_units"), "80");
}

TEST(Sysfs, NvidiaWithoutDrmHasItsUuidFromTheDriver) {
  tests::Tree tree;
  Pci(tree, "0000:01:00.0", "0x10de", "0x7fff");
  tree.Write(
      "/proc/driver/nvidia/gpus/0000:01:00.0/information",
      "Model: \t\t NVIDIA Graphics Device\nIRQ: 1\nGPU UUID: \t GPU-01234567-89ab-cdef-0123-456789abcdef\n"
      "Device Minor: \t 3\n");
  tree.Write("/dev/nvidiactl", "").Write("/dev/nvidia3", "");
  const HardwareDevice device = Only(tree);
  EXPECT_EQ(device.name, "NVIDIA device 10de:7fff") << "the driver's placeholder is no name";
  EXPECT_EQ(ToString(*device.identity.uuid), "01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_THAT(device.nodes, Contains(DeviceNode{"/dev/nvidia3", true, true}));
  EXPECT_THAT(device.nodes, Contains(DeviceNode{"/dev/nvidia-uvm", false, false}));
}

TEST(Sysfs, ACardsOwnSwitchDoesNotHideTheSlot) {
  tests::Tree tree;
  const std::string slot = "/sys/devices/pci0000:00/0000:00:01.0";
  const std::string up = slot + "/0000:01:00.0";
  const std::string card = up + "/0000:02:01.0/0000:03:00.0";
  for (const std::string& directory : {slot, up, up + "/0000:02:01.0", card}) {
    tree.Write(directory + "/vendor", "0x8086\n");
  }
  tree.Write(card + "/device", "0x56a0\n").Write(card + "/class", "0x030000\n");
  tree.Write(card + "/current_link_speed", "2.5 GT/s PCIe\n").Write(card + "/current_link_width", "1\n");
  tree.Write(up + "/current_link_speed", "16.0 GT/s PCIe\n").Write(up + "/current_link_width", "16\n");
  tree.Link(Bus("0000:03:00.0"), "../../.." + card.substr(4));
  EXPECT_EQ(Only(tree).pcie, (PcieLink{4, 16, std::nullopt, std::nullopt}));
}

TEST(Sysfs, AnInternalLinkOfAnIntelCardIsNotTakenForTheSlots) {
  tests::Tree tree;
  const std::string directory = Bus("0000:03:00.0");
  Pci(tree, "0000:03:00.0", "0x8086", "0x56a5").Write(directory + "/current_link_speed", "2.5 GT/s PCIe\n");
  tree.Write(directory + "/current_link_width", "1\n");
  const HardwareDevice device = Only(tree);
  EXPECT_EQ(device.pcie, std::nullopt);
  EXPECT_EQ(FactOf(device, "pcie_internal_link"), "yes");
}

TEST(Sysfs, SurvivesHostileFiles) {
  tests::Tree tree;
  const std::string directory = Bus("0000:01:00.0");
  Pci(tree, "0000:01:00.0", "0x10de", "0x2684");
  tree.Write(directory + "/uevent", std::string(100000, '\xff')).Directory(directory + "/revision");
  tree.Write(directory + "/mem_info_vram_total", "99999999999999999999999999")
      .Link(directory + "/driver", "driver");
  tree.Write(directory + "/numa_node", "-9223372036854775808")
      .Write(directory + "/current_link_width", "4294967295");
  tree.Write(directory + "/product_name", "\x1b]0;evil\x07\n")
      .Write(directory + "/pp_dpm_sclk", "0: Mhz\n: 1Mhz\nMhz: ");
  tree.Link(directory + "/drm/renderD999999999999", "/").Link("/sys/class/drm/card0", "card0");
  tree.Write("/sys/class/drm/cardXYZ/device/vendor", "1").Write(Bus("not-an-address") + "/class", "0x030000");
  tree.Write(Bus("0000:02:00.0") + "/class", "").Write(Bus("0000:02:00.0") + "/vendor", "0x");
  tree.Write("/proc/driver/nvidia/gpus/../x/information", "Model")
      .Write("/proc/driver/nvidia/gpus/zz/information", ":");
  const auto report = tests::Run(Describe(), tree);
  ASSERT_GE(report.hardware.size(), 1U);
  for (const HardwareDevice& device : report.hardware) {
    EXPECT_THAT(device.name, Not(::testing::HasSubstr("\x1b")));
    EXPECT_EQ(device.vram_bytes, std::nullopt);
    EXPECT_EQ(device.numa_node, std::nullopt);
  }
}

// A tree whose links point out of it shows nothing of this machine.
TEST(Sysfs, LinksOutOfTheTreeStayInside) {
  tests::Tree outside;
  Pci(outside, "0000:01:00.0", "0x10de", "0x2684");
  tests::Tree tree;
  tree.Link("/sys/bus/pci/devices", outside.Path("/sys/bus/pci/devices"));
  tree.Link("/sys/class/drm", "../../../../../../../../../../.." + outside.Path("/sys/bus/pci/devices"));
  EXPECT_TRUE(tests::Run(Describe(), tree).hardware.empty());
}

}  // namespace
}  // namespace probe::sysfs
