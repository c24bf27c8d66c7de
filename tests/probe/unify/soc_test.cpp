// SPDX-License-Identifier: MIT
// GPUs of systems on a chip and what runtimes say of them: one device with several views.
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/probe/unify/machine.h"

namespace probe::unify {
namespace {

using ::testing::ElementsAre;
using tests::Device;
using tests::Host;
using tests::Ids;
using tests::Machine;
using tests::MakeUuid;
using tests::Views;

HardwareDevice Soc(std::string_view platform, std::string_view name, std::string_view vendor,
                   std::string_view render = "") {
  HardwareDevice out;
  out.source = "sysfs";
  out.name = name;
  out.vendor = vendor;
  out.kind = DeviceKind::kIntegrated;
  out.facts = {{"name_basis", "device_tree"}, {"platform_device", std::string(platform)}};
  if (!render.empty()) out.facts.push_back({"drm_render", std::string(render)});
  return out;
}

RuntimeDevice Integrated(std::string_view runtime, std::string_view driver, std::string_view name,
                         std::string_view vendor) {
  auto out = Device(runtime, driver, 0, DeviceKind::kIntegrated);
  out.name = name;
  out.vendor = vendor;
  return out;
}

RuntimeDevice WithNode(RuntimeDevice device, std::string_view render) {
  device.facts.push_back({"drm_render", std::string(render)});
  return device;
}

RuntimeDevice WithVendor(RuntimeDevice device, std::uint32_t vendor, std::uint32_t number) {
  device.identity.ids = PciIds{vendor, number, {}, {}, {}};
  return device;
}

HardwareDevice Pi5() { return Soc("1002000000.v3d", "VideoCore VII", "Broadcom", "226:128"); }

// Names as Mesa's drivers give them: src/broadcom/vulkan/v3dv_device.c, src/gallium/drivers/v3d/v3d_screen.c.
RuntimeDevice V3dv() {
  auto out = WithVendor(Integrated("vulkan", "V3DV Mesa", "V3D 7.1.7.0", "Broadcom"), 0x14e4, 0x55701c33);
  out.identity.uuid = MakeUuid(5);
  return out;
}

TEST(SocUnify, ADrmNodeTellsWhichGpuItIs) {
  Machine machine;
  machine.Add(Host()).Add(Pi5()).Add(WithNode(V3dv(), "226:128"));
  machine.Add(Device("vulkan", "llvmpipe", 1, DeviceKind::kSoftware));
  machine.Add(Integrated("opencl", "rusticl", "V3D 7.1.7.0", "Broadcom"));
  machine.Add(Device("opencl", "Portable Computing Language", 0, DeviceKind::kSoftware));
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("platform:1002000000-v3d", "cpu:0"));
  EXPECT_EQ(devices[0].name, "VideoCore VII");
  EXPECT_THAT(Views(devices[0]),
              ElementsAre("opencl/rusticl/0 by only_candidate", "vulkan/V3DV Mesa/0 by drm"));
}

TEST(SocUnify, WithoutANodeByTheVendorAndKind) {
  Machine machine;
  machine.Add(Host()).Add(Pi5()).Add(V3dv());
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("platform:1002000000-v3d", "cpu:0"));
  EXPECT_THAT(Views(devices[0]), ElementsAre("vulkan/V3DV Mesa/0 by only_candidate"));
}

// Two boards' worth of GPUs in one machine: a node decides where vendor and kind do not.
TEST(SocUnify, NodesTellTwoOfAKindApart) {
  Machine machine;
  machine.Add(Soc("a.gpu", "Mali-G610", "Arm", "226:128")).Add(Soc("b.gpu", "Mali-G610", "Arm", "226:129"));
  for (const std::uint32_t i : {0U, 1U}) {
    auto panvk = WithNode(Integrated("vulkan", "panvk", "Mali-G610", "Arm"), i == 0 ? "226:129" : "226:128");
    panvk.ordinal = i;
    machine.Add(WithVendor(std::move(panvk), 0x13b5, 0xa8670000));
  }
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("platform:a-gpu", "platform:b-gpu", "cpu:0"));
  EXPECT_THAT(Views(devices[0]), ElementsAre("vulkan/panvk/1 by drm"));
  EXPECT_THAT(Views(devices[1]), ElementsAre("vulkan/panvk/0 by drm"));
}

// Honeykrisp gives Mesa as the vendor, which no GPU is made by (src/asahi/vulkan/hk_physical_device.c).
TEST(SocUnify, AnAppleGpuIsTheOneThatMesaNames) {
  for (const std::string_view node : {"", "226:128"}) {
    Machine machine;
    machine.Add(Host()).Add(Soc("206400000.gpu", "Apple M1 GPU", "Apple", "226:128"));
    auto vulkan = Integrated("vulkan", "Honeykrisp", "Apple M1 (G13G B1)", "Mesa");
    vulkan.identity.uuid = MakeUuid(3);
    machine.Add(node.empty() ? vulkan : WithNode(vulkan, node));
    machine.Add(Integrated("opencl", "rusticl", "Apple M1 (G13G B1)", "Apple"));
    const auto devices = machine.Unify();
    ASSERT_THAT(Ids(devices), ElementsAre("platform:206400000-gpu", "cpu:0")) << node;
    EXPECT_EQ(devices[0].name, "Apple M1 GPU");
    EXPECT_EQ(devices[0].views.size(), 2U);
  }
}

// A Jetson: CUDA's address is the host bridge's, and a driver that nobody knows names no vendor.
TEST(SocUnify, ATegraIsWhatCudaAndVulkanReach) {
  Machine machine;
  machine.Add(Host()).Add(Soc("17000000.gpu", "Orin GPU (ga10b)", "NVIDIA"));
  auto cuda = Integrated("cuda", "NVIDIA", "Orin", "NVIDIA Corporation");
  cuda.identity.pci = ParsePciAddress("0000:00:00.0");
  cuda.identity.uuid = MakeUuid(7);
  cuda.facts.push_back({"integrated", "1"});
  machine.Add(cuda);
  auto vulkan =
      WithVendor(Integrated("vulkan", "NVIDIA", "NVIDIA Tegra Orin (nvgpu)", "NVIDIA"), 0x10de, 0x97ba03d7);
  vulkan.identity.uuid = MakeUuid(9);
  machine.Add(vulkan).Add(Integrated("opencl", "pocl", "Orin", "someone"));
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("platform:17000000-gpu", "cpu:0"));
  EXPECT_EQ(devices[0].kind, DeviceKind::kIntegrated);
  EXPECT_THAT(Views(devices[0]),
              ElementsAre("cuda/NVIDIA/0 by only_candidate", "opencl/pocl/0 by only_candidate",
                          "vulkan/NVIDIA/0 by only_candidate"));
}

// A Snapdragon: numbers that are no device's of a bus, and a name of OpenCL's that says nothing of Vulkan's.
// As Turnip and rusticl tell them of a 702, and Qualcomm's own drivers of their Adrenos.
TEST(SocUnify, AnAdrenoIsWhatMesasAndQualcommsDriversReach) {
  const auto vulkan = [](std::string_view driver, std::string_view name) {
    auto out = WithVendor(Integrated("vulkan", driver, name, "Qualcomm"), 0x5143, 0x07000200);
    out.identity.uuid = MakeUuid(11);
    return out;
  };
  const auto turnip = vulkan("turnip Mesa driver", "Turnip Adreno (TM) 702");
  const auto rusticl = Integrated("opencl", "rusticl", "FD702", "Qualcomm");
  const auto own = vulkan("Qualcomm Technologies Inc. Adreno Vulkan Driver", "Adreno (TM) 702");
  const auto own_opencl = Integrated("opencl", "QUALCOMM Snapdragon(TM)", "QUALCOMM Adreno(TM)", "QUALCOMM");
  for (const bool node : {true, false}) {
    for (const bool mesa : {true, false}) {
      Machine machine;
      machine.Add(Host()).Add(Soc("5900000.gpu", "Adreno 702", "Qualcomm", node ? "226:128" : ""));
      machine.Add(node ? WithNode(mesa ? turnip : own, "226:128") : mesa ? turnip : own);
      machine.Add(mesa ? rusticl : own_opencl).Add(Device("vulkan", "llvmpipe", 1, DeviceKind::kSoftware));
      const auto devices = machine.Unify();
      ASSERT_THAT(Ids(devices), ElementsAre("platform:5900000-gpu", "cpu:0")) << node << mesa;
      EXPECT_EQ(devices[0].name, "Adreno 702");
      EXPECT_EQ(devices[0].kind, DeviceKind::kIntegrated);
      EXPECT_EQ(devices[0].views.size(), 2U);
    }
  }
}

TEST(SocUnify, AnotherVendorsDeviceIsNotTheChips) {
  Machine machine;
  machine.Add(Host()).Add(Pi5());
  // A driver that pretends, and one that knows neither maker nor kind.
  machine.Add(WithNode(WithVendor(Integrated("vulkan", "radv", "AMD Radeon Graphics", "AMD"), 0x1002, 0x15bf),
                       "226:128"));
  machine.Add(Device("opencl", "card", 0, DeviceKind::kDiscrete));
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices),
              ElementsAre("opencl:card:0", "platform:1002000000-v3d", "vulkan:radv:0", "cpu:0"));
  EXPECT_TRUE(devices[1].views.empty());
}

TEST(SocUnify, ACardBesideTheChipKeepsItsOwnViews) {
  Machine machine;
  machine.Add(Host()).Add(Pi5()).Add(tests::Hardware("0001:01:00.0", 0x1002, 0x744c));
  machine.Add(tests::At(Device("vulkan", "radv"), "0001:01:00.0", 0x1002, 0x744c));
  machine.Add(WithNode(V3dv(), "226:128"));
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0001:01:00.0", "platform:1002000000-v3d", "cpu:0"));
  EXPECT_THAT(Views(devices[0]), ElementsAre("vulkan/radv/0 by pci"));
  EXPECT_THAT(Views(devices[1]), ElementsAre("vulkan/V3DV Mesa/0 by drm"));
}

}  // namespace
}  // namespace probe::unify
