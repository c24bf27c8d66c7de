// SPDX-License-Identifier: MIT
// GPUs of systems on a chip, as the kernels of such boards show them.
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/sysfs/card.h"
#include "tests/probe/sysfs/facts.h"
#include "tests/probe/tree.h"

namespace probe::sysfs {
Module Describe();
namespace {

using tests::FactOf;

// A device of the platform bus. `compatible` as a device tree has it, particular first.
struct Board {
  tests::Tree tree;

  Board& Compatible(const std::vector<std::string>& strings) {
    std::string text;
    for (const std::string& one : strings) text.append(one).push_back('\0');
    tree.Write("/proc/device-tree/compatible", text);
    return *this;
  }
  Board& Device(const std::string& name, const std::string& driver,
                const std::vector<std::string>& compatible) {
    std::string text = driver.empty() ? "" : "DRIVER=" + driver + "\n";
    text += "OF_NAME=gpu\n";
    for (std::size_t i = 0; i < compatible.size(); ++i)
      text += "OF_COMPATIBLE_" + std::to_string(i) + "=" + compatible[i] + "\n";
    tree.Write("/sys/devices/platform/soc/" + name + "/uevent", text);
    tree.Link("/sys/bus/platform/devices/" + name, "../../../devices/platform/soc/" + name);
    return *this;
  }
  // A node of the DRM class, of a device that was added.
  Board& Node(const std::string& device, const std::string& node, const std::string& number) {
    const std::string folder = "/sys/devices/platform/soc/" + device + "/drm/" + node;
    tree.Write(folder + "/dev", number + "\n").Link(folder + "/device", "../../../" + device);
    tree.Link("/sys/class/drm/" + node, "../../devices/platform/soc/" + device + "/drm/" + node);
    return *this;
  }
  [[nodiscard]] std::vector<HardwareDevice> All() const { return tests::Run(Describe(), tree).hardware; }
  [[nodiscard]] HardwareDevice Only() const {
    const auto all = All();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? HardwareDevice{} : all.front();
  }
};

// linux, arch/arm64/boot/dts/broadcom/bcm2712.dtsi; drivers/gpu/drm/v3d and vc4.
TEST(SocGpu, OfARaspberryPiIsItsRenderNodesAndNotTheDisplays) {
  Board board;
  board.Compatible({"raspberrypi,5-model-b", "brcm,bcm2712"});
  board.Device("axi:gpu", "vc4-drm", {"brcm,bcm2712-vc6"}).Node("axi:gpu", "card0", "226:0");
  board.Device("1002000000.v3d", "v3d", {"brcm,2712-v3d"});
  board.Node("1002000000.v3d", "card1", "226:1").Node("1002000000.v3d", "renderD128", "226:128");
  const auto device = board.Only();
  EXPECT_EQ(device.name, "VideoCore VII");
  EXPECT_EQ(device.vendor, "Broadcom");
  EXPECT_EQ(device.kind, DeviceKind::kIntegrated);
  EXPECT_EQ(device.kernel_driver, "v3d");
  EXPECT_EQ(FactOf(device, "drm_render"), "226:128");
  EXPECT_EQ(FactOf(device, "drm_primary"), "226:1");
  EXPECT_EQ(FactOf(device, "display_driver"), "vc4-drm");
  EXPECT_EQ(FactOf(device, "platform_device"), "1002000000.v3d");
  EXPECT_EQ(FactOf(device, "name_basis"), "device_tree");
}

// Before the fourth one driver draws and renders: its node is the GPU's, which only draws.
TEST(SocGpu, OfAnEarlyRaspberryPiHasTheDisplaysNode) {
  Board board;
  board.Device("soc:gpu", "vc4-drm", {"brcm,bcm2835-vc4"});
  board.Node("soc:gpu", "card0", "226:0").Node("soc:gpu", "renderD128", "226:128");
  board.Device("3fc00000.v3d", "vc4_v3d", {"brcm,bcm2835-v3d"});
  const auto device = board.Only();
  EXPECT_EQ(device.name, "VideoCore IV");
  EXPECT_EQ(FactOf(device, "drm_render"), "226:128");
  EXPECT_EQ(FactOf(device, "compute_driver"), "none");
  EXPECT_EQ(FactOf(device, "no_runtime"), "no runtime computes on a VideoCore IV");
}

TEST(SocGpu, OfAnAppleChipIsNamedByTheTree) {
  Board board;
  board.Compatible({"apple,j293", "apple,t8103", "apple,arm-platform"});
  board.Device("display-subsystem", "apple-drm", {"apple,display-subsystem"});
  board.Node("display-subsystem", "card1", "226:1");
  board.Device("206400000.gpu", "asahi", {"apple,agx-t8103", "apple,agx-g13g"});
  board.Node("206400000.gpu", "card0", "226:0").Node("206400000.gpu", "renderD128", "226:128");
  const auto device = board.Only();
  EXPECT_EQ(device.name, "Apple M1 GPU");
  EXPECT_EQ(device.vendor, "Apple");
  EXPECT_EQ(FactOf(device, "architecture_family"), "AGX G13G");
}

// nvgpu has no DRM node; what has one draws, though it calls its node a render node.
TEST(SocGpu, OfATegraIsFoundWithoutADrmNode) {
  Board board;
  board.Compatible({"nvidia,p3768-0000+p3767-0000", "nvidia,p3767-0000", "nvidia,tegra234"});
  board.Device("17000000.gpu", "gk20a", {"nvidia,ga10b"});
  board.Device("13800000.display", "nv_platform", {"nvidia,tegra234-display"});
  board.Node("13800000.display", "card0", "226:0").Node("13800000.display", "renderD128", "226:128");
  board.Device("13e00000.host1x", "tegra-host1x", {"nvidia,tegra234-host1x"});
  board.Node("13e00000.host1x", "card1", "226:1").Node("13e00000.host1x", "renderD129", "226:129");
  board.tree.Write("/dev/nvmap", "").Write("/dev/nvhost-ctrl-gpu", "");
  const auto device = board.Only();
  EXPECT_EQ(device.name, "Orin GPU (ga10b)");
  EXPECT_EQ(device.vendor, "NVIDIA");
  EXPECT_EQ(device.kind, DeviceKind::kIntegrated);
  EXPECT_EQ(device.kernel_driver, "gk20a");
  EXPECT_EQ(FactOf(device, "table_target"), "sm_87");
  EXPECT_THAT(device.nodes, ::testing::ElementsAre(DeviceNode{"/dev/nvmap", true, true},
                                                   DeviceNode{"/dev/nvhost-ctrl-gpu", true, true}));
  EXPECT_EQ(FactOf(device, "drm_render"), "");
}

TEST(SocGpu, OfARockchipIsNamedByTheChip) {
  Board board;
  board.Compatible({"radxa,rock-5b", "rockchip,rk3588"});
  board.Device("display-subsystem", "rockchip-drm", {"rockchip,display-subsystem"});
  board.Node("display-subsystem", "card0", "226:0");
  board.Device("fb000000.gpu", "panthor", {"rockchip,rk3588-mali", "arm,mali-valhall-csf"});
  board.Node("fb000000.gpu", "card1", "226:1").Node("fb000000.gpu", "renderD128", "226:128");
  const auto device = board.Only();
  EXPECT_EQ(device.name, "Mali-G610 (RK3588)");
  EXPECT_EQ(device.kernel_driver, "panthor");
  EXPECT_EQ(device.vendor, "Arm");
}

// The maker's kernel: Arm's own driver, a tree that does not name the GPU, a display driver with a render
// node, and an NPU with one.
TEST(SocGpu, OfAMakersKernelIsTheSame) {
  Board board;
  board.Compatible({"radxa,rock-5b", "rockchip,rk3588"});
  board.Device("display-subsystem", "rockchip-drm", {"rockchip,display-subsystem"});
  board.Node("display-subsystem", "card0", "226:0").Node("display-subsystem", "renderD128", "226:128");
  board.Device("fb000000.gpu", "mali", {"arm,mali-bifrost"}).tree.Write("/dev/mali0", "");
  board.Device("fdab0000.npu", "RKNPU", {"rockchip,rk3588-rknpu"});
  board.Node("fdab0000.npu", "card1", "226:1").Node("fdab0000.npu", "renderD129", "226:129");
  const auto all = board.All();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "Rockchip NPU");
  EXPECT_EQ(all[0].kind, DeviceKind::kAccelerator);
  EXPECT_EQ(all[1].name, "Mali-G610 (RK3588)");
  EXPECT_THAT(all[1].nodes, ::testing::ElementsAre(DeviceNode{"/dev/mali0", true, true}));
}

// One DRM device for display and GPU, in the name of the display.
TEST(SocGpu, OfASnapdragonIsOneDevice) {
  Board board;
  board.Device("ae01000.display-controller", "msm_dpu", {"qcom,sc7280-dpu"});
  board.Node("ae01000.display-controller", "card0", "226:0")
      .Node("ae01000.display-controller", "renderD128", "226:128");
  board.Device("3d00000.gpu", "adreno", {"qcom,adreno-635.0", "qcom,adreno"});
  const auto device = board.Only();
  EXPECT_EQ(device.name, "Adreno 635");
  EXPECT_EQ(device.kernel_driver, "adreno");
  EXPECT_EQ(FactOf(device, "drm_render"), "226:128");
  EXPECT_EQ(FactOf(device, "platform_device"), "3d00000.gpu");
}

TEST(SocGpu, WithoutAKernelDriverIsThereStill) {
  Board board;
  board.Compatible({"xunlong,orangepi-5", "rockchip,rk3588s"});
  board.Device("fb000000.gpu", "", {"rockchip,rk3588-mali", "arm,mali-valhall-csf"});
  const auto device = board.Only();
  EXPECT_EQ(device.name, "Mali-G610 (RK3588)");
  EXPECT_EQ(device.kind, DeviceKind::kIntegrated);
  EXPECT_EQ(device.kernel_driver, std::nullopt);
}

TEST(SocGpu, DisplayControllersAloneAreNoGpu) {
  Board board;
  board.Device("axi:gpu", "vc4-drm", {"brcm,bcm2712-vc6"}).Node("axi:gpu", "card0", "226:0");
  board.Device("gpu-sram", "", {"mmio-sram"});
  const auto device = board.Only();
  EXPECT_EQ(device.name, "Broadcom display controller");
  EXPECT_EQ(device.kind, DeviceKind::kVirtual);
}

TEST(SocGpu, NodesWithoutAPossibleNumberHaveNone) {
  Board board;
  board.Device("1002000000.v3d", "v3d", {"brcm,2712-v3d"});
  board.Node("1002000000.v3d", "renderD128", "226:128;").Node("1002000000.v3d", "card0", "no number");
  const auto device = board.Only();
  EXPECT_EQ(FactOf(device, "drm_render"), "");
  EXPECT_EQ(FactOf(device, "drm_primary"), "");
}

TEST(SocNames, AreThoseOfTheTree) {
  const auto name = [](std::vector<std::string> own, std::vector<std::string> board = {}) {
    const auto facts = FindSocFacts(own, board);
    return facts ? facts->name : std::string("-");
  };
  EXPECT_EQ(name({"brcm,2711-v3d"}), "VideoCore VI");
  EXPECT_EQ(name({"brcm,7278-v3d"}), "Broadcom VideoCore GPU");
  EXPECT_EQ(name({"brcm,bcm2712-vc6"}), "-") << "a display";
  EXPECT_EQ(name({"apple,agx-t6021", "apple,agx-g14x"}), "Apple M2 Max GPU");
  EXPECT_EQ(name({"apple,agx-t9999"}), "Apple GPU");
  EXPECT_EQ(name({"nvidia,gv11b"}), "Xavier GPU (gv11b)");
  EXPECT_EQ(name({"nvidia,gp10b"}), "Tegra X2 GPU (gp10b)");
  EXPECT_EQ(name({"nvidia,tegra210-gm20b", "nvidia,gm20b"}), "Tegra X1 GPU (gm20b)");
  EXPECT_EQ(name({"rockchip,rk3399-mali", "arm,mali-t860"}), "Mali-T860 (RK3399)");
  EXPECT_EQ(name({"vendor,other-mali", "arm,mali-t860"}), "Mali-T860");
  EXPECT_EQ(name({"allwinner,sun50i-a64-mali", "arm,mali-400"}), "Mali-400");
  EXPECT_EQ(name({"arm,mali-bifrost"}), "Arm Mali GPU");
  EXPECT_EQ(name({"qcom,adreno-43050a01", "qcom,adreno"}), "Qualcomm Adreno GPU");
  EXPECT_EQ(name({"img,img-axe", "img,img-rogue"}), "PowerVR GPU");
  EXPECT_EQ(name({"rockchip,display-subsystem"}, {"rockchip,rk3588"}), "-");
  EXPECT_EQ(name({}), "-");
}

}  // namespace
}  // namespace probe::sysfs
