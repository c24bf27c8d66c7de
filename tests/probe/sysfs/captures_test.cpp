// SPDX-License-Identifier: MIT
// Every recorded machine gives the right numbers, driver and kind, and nothing that it does not hold.
#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/probe/capture.h"
#include "tests/probe/tree.h"

namespace probe::sysfs {
Module Describe();
namespace {

constexpr DeviceKind kDiscrete = DeviceKind::kDiscrete;
constexpr DeviceKind kIntegrated = DeviceKind::kIntegrated;

struct Expected {
  std::string_view machine;
  std::string_view address;
  std::uint32_t vendor;
  std::uint32_t device;
  std::string_view driver;
  DeviceKind kind;
  std::string_view name;
  std::optional<std::uint64_t> vram_bytes = std::nullopt;
  std::optional<std::uint64_t> gtt_bytes = std::nullopt;
  std::optional<std::string> target = std::nullopt;
};

const Expected kLact[] = {
    {"amd/hd7870", "0000:01:00.0", 0x1002, 0x6818, "radeon", kDiscrete, "Radeon HD 7870 GHz Edition"},
    {"amd/phoenix", "0000:64:00.0", 0x1002, 0x15bf, "amdgpu", kIntegrated, "Radeon 780M", 4294967296,
     31433977856, "gfx1103"},
    {"amd/r7-240", "0000:01:00.0", 0x1002, 0x6617, "amdgpu", kDiscrete, "Radeon R7 240", 2147483648,
     4069261312},
    {"amd/r9-280", "0000:01:00.0", 0x1002, 0x679a, "amdgpu", kDiscrete, "R9 280"},
    {"amd/rx5500xt", "0000:04:00.0", 0x1002, 0x7340, "amdgpu", kDiscrete, "RX 5500"},
    {"amd/rx5700xt", "0000:28:00.0", 0x1002, 0x731f, "amdgpu", kDiscrete, "5700 XT"},
    {"amd/rx580", "0000:09:00.0", 0x1002, 0x67df, "amdgpu", kDiscrete, "Radeon RX 580", 4294967296,
     8342712320},
    {"amd/rx6600", "0000:12:00.0", 0x1002, 0x73ff, "amdgpu", kDiscrete, "RX 6600"},
    {"amd/rx6600xt", "0000:0b:00.0", 0x1002, 0x73ff, "amdgpu", kDiscrete, "6600 XT"},
    {"amd/rx6900xt", "0000:0c:00.0", 0x1002, 0x73bf, "amdgpu", kDiscrete, "Radeon RX 6900 XT", 17163091968,
     16786171904},
    {"amd/rx7600s", "0000:03:00.0", 0x1002, 0x7480, "amdgpu", kDiscrete, "7600S"},
    {"amd/rx7700s", "0000:03:00.0", 0x1002, 0x7480, "amdgpu", kDiscrete, "7700S"},
    {"amd/rx7800xt", "0000:03:00.0", 0x1002, 0x747e, "amdgpu", kDiscrete, "7800 XT"},
    {"amd/rx7900xtx", "0000:03:00.0", 0x1002, 0x744c, "amdgpu", kDiscrete, "7900 XTX"},
    {"amd/rx9070", "0000:03:00.0", 0x1002, 0x7550, "amdgpu", kDiscrete, "RX 9070"},
    {"amd/rx9070xt", "0000:0f:00.0", 0x1002, 0x7550, "amdgpu", kDiscrete, "9070 XT"},
    {"amd/vangogh", "0000:04:00.0", 0x1002, 0x163f, "amdgpu", kIntegrated, "Van Gogh", {}, {}, "gfx1033"},
    {"amd/vega56", "0000:0b:00.0", 0x1002, 0x687f, "amdgpu", kDiscrete, "Vega", 8573157376, 8342863872},
    {"intel/a380-i915", "0000:0b:00.0", 0x8086, 0x56a5, "i915", kDiscrete, "Intel Arc A380"},
    {"intel/a380-xe", "0000:08:00.0", 0x8086, 0x56a5, "xe", kDiscrete, "Intel Arc A380"},
    {"intel/b580", "0000:09:00.0", 0x8086, 0xe20b, "xe", kDiscrete, "Intel Arc B580"},
    {"intel/cometlake", "0000:00:02.0", 0x8086, 0x9b41, "i915", kIntegrated, "Intel UHD Graphics"},
    {"intel/tigerlake", "0000:00:02.0", 0x8086, 0x9a49, "xe", kIntegrated, "Intel Iris Xe Graphics"},
    {"nvidia/rtx4080", "0000:09:00.0", 0x10de, 0x2704, "nvidia", kDiscrete, "GeForce RTX 4080"},
};

std::map<std::string, std::string> Facts(const HardwareDevice& device) {
  std::map<std::string, std::string> facts;
  for (const Fact& fact : device.facts) facts[fact.key] = fact.value;
  return facts;
}

void Check(const Expected& expected, const std::vector<HardwareDevice>& hardware) {
  SCOPED_TRACE(expected.machine);
  ASSERT_EQ(hardware.size(), 1U);
  const HardwareDevice& device = hardware[0];
  EXPECT_EQ(Facts(device).contains("compute_driver"), expected.driver == "radeon");
  ASSERT_TRUE(device.identity.pci && device.identity.ids);
  EXPECT_EQ(ToString(*device.identity.pci), expected.address);
  EXPECT_EQ(device.identity.ids->vendor, expected.vendor);
  EXPECT_EQ(device.identity.ids->device, expected.device);
  EXPECT_EQ(device.kernel_driver.value_or(""), expected.driver);
  EXPECT_EQ(device.kind, expected.kind);
  EXPECT_THAT(device.name, ::testing::HasSubstr(expected.name));
  EXPECT_EQ(device.vram_bytes, expected.vram_bytes);
  EXPECT_EQ(device.gtt_bytes, expected.gtt_bytes);
  EXPECT_EQ(device.architecture, expected.target);
  for (const DeviceNode& node : device.nodes)
    EXPECT_FALSE(node.exists) << node.path << " is not in the capture";
}

TEST(Captures, LactMachines) {
  SKIP_WITHOUT_CAPTURE("lact-sysfs.tar.xz");
  tests::Tree tree;
  ASSERT_TRUE(tests::Unpack(tests::Capture("lact-sysfs.tar.xz"), tree.Path("/capture")));
  tree.Directory("/sys/class/kfd");
  const auto files = tree.Files();
  for (const Expected& expected : kLact) {
    const std::string machine = "/capture/tests/snapshots/" + std::string(expected.machine);
    std::filesystem::remove(tree.Path("/sys/class/drm"));
    std::filesystem::remove(tree.Path("/sys/class/kfd/kfd"));
    tree.Link("/sys/class/drm", machine).Link("/sys/class/kfd/kfd", machine + "/kfd");
    Check(expected, tests::Run(Describe(), files).hardware);
  }
}

TEST(Captures, KfdTopologiesAloneGiveCardsNotPartitions) {
  SKIP_WITHOUT_CAPTURE("rocm-kfd.tar.xz");
  tests::Tree tree;
  ASSERT_TRUE(
      tests::Unpack(tests::Capture("rocm-kfd.tar.xz"), tree.Path("/capture"), "testdata/*/topology/nodes"));
  tree.Link("/sys/class/kfd/kfd", "/capture/testdata/topology-parsing-mi308");
  const auto mi308 = tests::Run(Describe(), tree).hardware;
  ASSERT_EQ(mi308.size(), 8U);
  for (const HardwareDevice& card : mi308) {
    EXPECT_EQ(card.name, "Instinct MI308X");
    EXPECT_EQ(card.architecture, "gfx942");
    EXPECT_EQ(card.kernel_driver, "amdgpu");
    EXPECT_EQ(Facts(card)["compute_partitions"], "4");
    EXPECT_EQ(Facts(card)["compute_units"], "80");
    EXPECT_EQ(Facts(card)["xgmi_peers"], "7");
    EXPECT_EQ(card.vram_bytes, 206141652992U) << "of the four partitions together";
  }
  EXPECT_EQ(ToString(*mi308.back().identity.pci), "0001:c9:00.0");

  std::filesystem::remove(tree.Path("/sys/class/kfd/kfd"));
  tree.Link("/sys/class/kfd/kfd", "/capture/testdata/topology-parsing");
  const auto vega = tests::Run(Describe(), tree).hardware;
  ASSERT_EQ(vega.size(), 1U) << "both nodes say the same address";
  EXPECT_EQ(vega[0].identity.ids->device, 0x6860U);
  EXPECT_EQ(ToString(*vega[0].identity.pci), "0000:19:00.0");
  EXPECT_EQ(vega[0].architecture, std::nullopt) << "this kernel did not say";
  EXPECT_FALSE(Facts(vega[0]).contains("compute_partitions"));
}

// Machine, then address, vendor, device, driver ("" where the capture has none), kind of each device.
struct Ghw {
  std::string_view machine;
  std::vector<Expected> devices;
};

TEST(Captures, WholeMachines) {
  SKIP_WITHOUT_CAPTURE("ghw-sysfs.tar.xz");
  const Ghw machines[] = {
      {"linux-amd64-accel",
       {{"", "0000:00:01.0", 0x1af4, 0x1050, "virtio-pci", DeviceKind::kVirtual, "virtio"},
        {"", "0000:00:04.0", 0x1b36, 0x0005, "fake_pci_driver", DeviceKind::kVirtual, "QEMU test device"}}},
      {"linux-amd64-accel-nvidia",
       {{"", "0000:04:00.0", 0x1af4, 0x1050, "virtio-pci", DeviceKind::kVirtual, "virtio"},
        {"", "0000:06:00.0", 0x10de, 0x15f8, "nvidia", kDiscrete, "Tesla P100 PCIe 16GB"}}},
      {"linux-amd64-amd-ryzen-1600", {{"", "0000:0a:00.0", 0x1002, 0x6758, "", kDiscrete, "Radeon HD 6670"}}},
      {"linux-amd64-intel-i7-1270P",
       {{"", "0000:00:02.0", 0x8086, 0x46a6, "i915", kIntegrated, "Intel Iris Xe"}}}};
  tests::Tree archives;
  ASSERT_TRUE(tests::Unpack(tests::Capture("ghw-sysfs.tar.xz"), archives.Path("/")));
  for (const Ghw& machine : machines) {
    tests::Tree tree;
    ASSERT_TRUE(
        tests::Unpack(archives.Path("/ghw/" + std::string(machine.machine) + ".tar.gz"), tree.Path("/")));
    const auto hardware = tests::Run(Describe(), tree).hardware;
    ASSERT_EQ(hardware.size(), machine.devices.size()) << machine.machine;
    for (std::size_t i = 0; i < hardware.size(); ++i) Check(machine.devices[i], {hardware[i]});
  }
}

}  // namespace
}  // namespace probe::sysfs
