// SPDX-License-Identifier: MIT
// What no runtime of this program reaches, as the kernel shows it: each family by its name and for what it
// is.
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/core/other_devices.h"
#include "tests/probe/sysfs/facts.h"
#include "tests/probe/tree.h"

namespace probe::sysfs {
Module Describe();
namespace {

using tests::FactOf;

std::string Bus(std::string_view address) { return "/sys/bus/pci/devices/" + std::string(address); }

tests::Tree& Pci(tests::Tree& tree, std::string_view address, std::string_view vendor,
                 std::string_view device, std::string_view code) {
  const std::string directory = Bus(address);
  return tree.Write(directory + "/vendor", std::string(vendor) + "\n")
      .Write(directory + "/device", std::string(device) + "\n")
      .Write(directory + "/class", std::string(code) + "\n");
}

std::vector<HardwareDevice> All(const tests::Tree& tree) { return tests::Run(Describe(), tree).hardware; }

struct Known {
  std::string_view vendor, device, code;  // as the kernel writes them
  std::string_view name;
  DeviceKind kind;
  Purpose what;
  std::string_view family;
};

// The class is that of lspci or of the driver's source: many are filed as no accelerator.
constexpr auto kAccelerator = DeviceKind::kAccelerator;
const std::vector<Known> kKnown = {
    {"0x8086", "0x7d1d", "0x120000", "Intel NPU (Meteor Lake)", kAccelerator, Purpose::kNpu, "intel_npu"},
    {"0x8086", "0xd71d", "0x120000", "Intel NPU (Nova Lake)", kAccelerator, Purpose::kNpu, "intel_npu"},
    {"0x1022", "0x1502", "0x118000", "AMD XDNA NPU (Phoenix/Hawk Point)", kAccelerator, Purpose::kNpu,
     "amd_npu"},
    {"0x1022", "0x17f2", "0x118000", "AMD XDNA NPU", kAccelerator, Purpose::kNpu, "amd_npu"},
    {"0x1da3", "0x1063", "0x120000", "Habana Gaudi 3", kAccelerator, Purpose::kAiAccelerator, "habana_gaudi"},
    {"0x1da3", "0x1fff", "0x120000", "Habana device 1da3:1fff", kAccelerator, Purpose::kAiAccelerator,
     "habana_gaudi"},
    {"0x19e5", "0xd802", "0x120000", "Huawei Ascend 910B", kAccelerator, Purpose::kAiAccelerator,
     "huawei_ascend"},
    {"0xcabc", "0x0370", "0x0b4000", "Cambricon MLU370-S4", kAccelerator, Purpose::kAiAccelerator,
     "cambricon_mlu"},
    {"0x1ed5", "0x0301", "0x030000", "Moore Threads MTT S90", DeviceKind::kDiscrete, Purpose::kGpu,
     "moore_threads_gpu"},
    {"0x1ed5", "0x0fff", "0x030200", "Moore Threads device 1ed5:0fff", DeviceKind::kDiscrete, Purpose::kGpu,
     "moore_threads_gpu"},
    {"0x1e52", "0xb140", "0x120000", "Tenstorrent Blackhole", kAccelerator, Purpose::kAiAccelerator,
     "tenstorrent"},
    {"0x1d0f", "0x7364", "0x088000", "AWS Trainium2", kAccelerator, Purpose::kAiAccelerator, "aws_neuron"},
    {"0x1ae0", "0x0063", "0xff0000", "Google TPU v5e", kAccelerator, Purpose::kAiAccelerator, "google_tpu"},
    {"0x1ac1", "0x089a", "0x0000ff", "Coral Edge TPU", kAccelerator, Purpose::kNpu, "coral_pci"},
    {"0x1ac1", "0x089a", "0x0880ff", "Coral Edge TPU", kAccelerator, Purpose::kNpu, "coral_pci"},
    {"0x1e60", "0x2864", "0x0b4000", "Hailo-8", kAccelerator, Purpose::kNpu, "hailo"},
    {"0x1e60", "0x26a2", "0x0b4000", "Hailo device 1e60:26a2", kAccelerator, Purpose::kNpu, "hailo"},
    {"0x17cb", "0xa080", "0x120000", "Qualcomm Cloud AI 80", kAccelerator, Purpose::kAiAccelerator,
     "qualcomm_qaic"},
    {"0x17cb", "0xa110", "0x120000", "Qualcomm Cloud AI 200", kAccelerator, Purpose::kAiAccelerator,
     "qualcomm_qaic"},
    {"0x1ae0", "0x0056", "0xff0000", "Google TPU", kAccelerator, Purpose::kAiAccelerator, "google_tpu"},
    {"0x10ee", "0x5005", "0x120000", "Alveo U250 FPGA card", kAccelerator, Purpose::kFpga, "xilinx_alveo"},
    {"0x10ee", "0x5004", "0x120000", "Alveo U250 FPGA card", kAccelerator, Purpose::kFpga,
     "xilinx_alveo_management"},
    {"0x10ee", "0x9038", "0x120000", "board with an FPGA of Xilinx (10ee:9038)", kAccelerator, Purpose::kFpga,
     "xilinx_fpga"},
    {"0x1172", "0x0000", "0xff0000", "board with an FPGA of Altera (1172:0000)", kAccelerator, Purpose::kFpga,
     "altera_fpga"},
    {"0x19e5", "0xa250", "0x120000", "HiSilicon compression engine", kAccelerator, Purpose::kAccelerator,
     "hisilicon_engine"},
    {"0x8086", "0x09c4", "0x120000", "Intel FPGA card with Arria 10 GX", kAccelerator, Purpose::kFpga,
     "intel_fpga"},
    {"0x1d82", "0x0401", "0x010802", "NETINT Quadra video transcoder", kAccelerator, Purpose::kVideo,
     "netint_quadra"},
    {"0x1d95", "0x0001", "0x120000", "Graphcore Colossus GC2", kAccelerator, Purpose::kAiAccelerator,
     "graphcore_ipu"},
    {"0x1f9d", "0x1100", "0x120000", "Axelera Metis", kAccelerator, Purpose::kAiAccelerator, "axelera"},
    {"0x1fe9", "0x0100", "0x120000", "MemryX MX3", kAccelerator, Purpose::kAiAccelerator, "memryx"},
    {"0x9999", "0x0a01", "0x030200", "MetaX C500", DeviceKind::kDiscrete, Purpose::kGpu, "metax_gpu"},
};

// The kinds that any maker's may be, and those that say what they are by it.
const std::vector<Known> kDisplays = {
    {"0x1a03", "0x2000", "0x030000", "ASPEED BMC graphics", DeviceKind::kManagement, Purpose::kManagement,
     ""},
    {"0x102b", "0x0538", "0x030000", "Matrox G200eH3 BMC graphics", DeviceKind::kManagement,
     Purpose::kManagement, ""},
    {"0x15ad", "0x0405", "0x030000", "VMware SVGA II virtual display", DeviceKind::kVirtual,
     Purpose::kVirtual, ""},
    {"0x1b36", "0x0100", "0x030000", "QXL virtual display", DeviceKind::kVirtual, Purpose::kVirtual, ""},
    {"0x1234", "0x1111", "0x038000", "bochs/QEMU standard virtual display", DeviceKind::kVirtual,
     Purpose::kVirtual, ""},
    {"0x1af4", "0x1050", "0x038000", "virtio virtual display", DeviceKind::kVirtual, Purpose::kVirtual,
     "virtio_gpu"},
    {"0x1414", "0x008e", "0x030200", "GPU of the Windows host", DeviceKind::kVirtual, Purpose::kVirtual,
     "windows_gpu"},
    {"0x1414", "0x5353", "0x030000", "Hyper-V virtual display", DeviceKind::kVirtual, Purpose::kVirtual, ""},
    {"0x80ee", "0xbeef", "0x030000", "VirtualBox virtual display", DeviceKind::kVirtual, Purpose::kVirtual,
     ""},
    {"0x1013", "0x00b8", "0x030000", "Cirrus Logic GD 5446 (emulated)", DeviceKind::kVirtual,
     Purpose::kVirtual, ""},
    {"0xabcd", "0x1234", "0x120000", "PCI device abcd:1234", kAccelerator, Purpose::kAccelerator, ""},
};

void Check(const Known& known) {
  tests::Tree tree;
  Pci(tree, "0000:05:00.0", known.vendor, known.device, known.code);
  const auto all = All(tree);
  ASSERT_EQ(all.size(), 1U) << known.name;
  EXPECT_EQ(all[0].name, known.name);
  EXPECT_EQ(all[0].kind, known.kind) << known.name;
  const auto why = WhyNotMeasurable(all[0], all[0].kind);
  ASSERT_TRUE(why) << known.name;
  EXPECT_EQ(why->what, known.what) << known.name;
  EXPECT_EQ(why->family.value_or(""), known.family) << known.name;
  EXPECT_FALSE(why->reason.empty()) << known.name;
}

TEST(OtherDevices, EachIsNamedForWhatItIsAndSaysWhyItHasNoFigures) {
  for (const Known& known : kKnown) Check(known);
  for (const Known& known : kDisplays) Check(known);
}

TEST(OtherDevices, WhatAMakerOfThemBuildsBesideIsNone) {
  tests::Tree tree;
  Pci(tree, "0000:01:00.0", "0x1ed5", "0x03ff", "0x040300");  // the sound of a GPU
  Pci(tree, "0000:02:00.0", "0x1e52", "0x0001", "0x060400");  // a bridge
  Pci(tree, "0000:03:00.0", "0x1ae0", "0x0042", "0x020000");  // the network of a virtual machine
  Pci(tree, "0000:04:00.0", "0x1ae0", "0x001f", "0x010802");  // and its disk
  Pci(tree, "0000:05:00.0", "0x10ee", "0x5084", "0x020000");
  Pci(tree, "0000:06:00.0", "0x8086", "0x3456", "0x088000");  // of the processor
  Pci(tree, "0000:07:00.0", "0x1d0f", "0xec20", "0xff0000");
  EXPECT_TRUE(All(tree).empty());
}

TEST(OtherDevices, GpusOfARuntimeHereAndProcessorsAreNoneOfThem) {
  tests::Tree tree;
  Pci(tree, "0000:01:00.0", "0x10de", "0x2684", "0x030000");
  Pci(tree, "0000:02:00.0", "0x8086", "0x7d55", "0x030000");
  for (const auto& gpu : All(tree)) EXPECT_FALSE(WhyNotMeasurable(gpu, gpu.kind)) << gpu.name;
  EXPECT_FALSE(WhyNotMeasurable(HardwareDevice{}, DeviceKind::kCpu));
  EXPECT_FALSE(WhyNotMeasurable(HardwareDevice{}, DeviceKind::kUnknown));
}

TEST(OtherDevices, OnUsbAreKnownByTheirNumbersBeforeAndAfterTheirFirmware) {
  tests::Tree tree;
  const auto usb = [&](const std::string& place, std::string_view vendor, std::string_view product) {
    const auto directory = "/sys/bus/usb/devices/" + place;
    tree.Write(directory + "/idVendor", std::string(vendor) + "\n");
    tree.Write(directory + "/idProduct", std::string(product) + "\n");
  };
  usb("1-2", "1a6e", "089a");
  usb("2-1.4", "18d1", "9302");
  usb("2-3", "03e7", "2485");
  usb("2-4", "18d1", "4ee7");  // a telephone of the same maker
  tree.Write("/sys/bus/usb/devices/1-2:1.0/bInterfaceNumber", "00\n");
  tree.Write("/sys/bus/usb/devices/usb1/idVendor", "no number\n");
  const auto all = All(tree);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "Coral USB Accelerator (Edge TPU)");
  EXPECT_EQ(all[0].vendor, "Google");
  EXPECT_EQ(all[0].kind, DeviceKind::kAccelerator);
  EXPECT_EQ(FactOf(all[0], kUsbDeviceFact), "1-2");
  EXPECT_EQ(FactOf(all[0], kUsbIdFact), "1a6e:089a");
  EXPECT_EQ(all[1].name, all[0].name);
  EXPECT_EQ(all[2].name, "Movidius Myriad X (Neural Compute Stick 2 or OAK camera)");
  const auto why = WhyNotMeasurable(all[2], all[2].kind);
  ASSERT_TRUE(why && why->programs.size() == 1U);
  EXPECT_EQ(why->programs[0].target, "openvino");
  EXPECT_EQ(why->programs[0].how, "device MYRIAD of 2022.3 or older");
}

TEST(OtherDevices, BehindANodeOfClassMiscAreOneDevice) {
  tests::Tree tree;
  tree.Directory("/sys/class/misc/fastrpc-cdsp").Directory("/sys/class/misc/fastrpc-cdsp-secure");
  tree.Directory("/sys/class/misc/fastrpc-adsp").Directory("/sys/class/misc/fuse");
  const auto all = All(tree);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "Qualcomm Hexagon NPU");
  EXPECT_EQ(FactOf(all[0], kMiscFact), "fastrpc-cdsp");
  EXPECT_EQ(FactOf(all[0], "device_nodes"), "/dev/fastrpc-cdsp");
  const auto why = WhyNotMeasurable(all[0], all[0].kind);
  EXPECT_EQ(why ? why->family.value_or("") : "", "qualcomm_hexagon");
}

TEST(OtherDevices, OfAChipAreKnownByTheirKernelDriver) {
  tests::Tree tree;
  tree.Write("/sys/devices/platform/soc/4b000000.npu/uevent", "DRIVER=ethosu\nOF_NAME=npu\n");
  tree.Link("/sys/class/accel/accel0/device", "../../../devices/platform/soc/4b000000.npu");
  const auto all = All(tree);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "Arm Ethos-U NPU");
  EXPECT_EQ(all[0].kind, DeviceKind::kAccelerator);
  EXPECT_EQ(FactOf(all[0], "platform_device"), "4b000000.npu");
  const auto ethos = WhyNotMeasurable(all[0], all[0].kind);
  EXPECT_EQ(ethos ? ethos->family.value_or("") : "", "arm_ethos");
  HardwareDevice npu;
  npu.kernel_driver = "rocket";
  npu.kind = DeviceKind::kAccelerator;
  const auto why = WhyNotMeasurable(npu, npu.kind);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->family, "rockchip_npu_rocket");
  EXPECT_THAT(why->runtime.value_or(""),
              ::testing::StartsWith("TensorFlow Lite with Mesa's Teflon delegate"));
  npu.kernel_driver = "RKNPU";
  const auto own = WhyNotMeasurable(npu, npu.kind);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->family, "rockchip_npu");
  EXPECT_THAT(own->drivers, ::testing::ElementsAre("RKNPU"));
}

// By hand from their makers' pages, not from the table: which runtime a device has and which programs serve
// it.
TEST(OtherDevices, EachGenerationNamesItsOwnRuntimeAndProgramsAlone) {
  struct Row {
    std::uint32_t vendor, device;
    std::string_view runtime;  // what it begins with
    std::vector<std::string> programs;
  };
  const std::vector<Row> rows = {
      {0x8086, 0x643e, "OpenVINO", {"openvino", "onnxruntime"}},
      {0x1da3, 0x1020, "Intel Gaudi software", {"pytorch", "vllm"}},
      {0x1da3, 0x0001, "its maker's software", {}},
      {0x1da3, 0x0030, "its maker's software", {}},
      {0xcabc, 0x0370, "Neuware", {"pytorch"}},
      {0xcabc, 0x0270, "Neuware", {}},
      {0x1e52, 0xb140, "TT-Metalium", {"vllm", "jax"}},
      {0x1e52, 0xfaca, "an old TT-Metalium", {}},
      {0x1d0f, 0x7064, "the AWS Neuron SDK", {"pytorch"}},
      {0x1d0f, 0x7264, "the AWS Neuron SDK", {"pytorch", "jax", "vllm"}},
      {0x1d0f, 0x7564, "the AWS Neuron SDK", {"pytorch", "jax", "vllm"}},
      {0x1ed5, 0x0100, "MUSA", {}},
      {0x1ed5, 0x0201, "MUSA", {"llama.cpp", "pytorch"}},
      {0x1ed5, 0x0323, "MUSA", {"llama.cpp", "pytorch", "vllm"}},
      {0x1d87, 0x1808, "RKNN of the first generation (rknn-toolkit)", {}},
      {0x1d82, 0x0202, "", {}},
      {0x1d82, 0x0401, "NETINT's libxcoder", {}},
      {0x19e5, 0xa255, "", {}},
      {0x1414, 0x008e, "", {}},
  };
  for (const Row& row : rows) {
    const auto* other = FindOtherByPci({row.vendor, row.device, {}, {}, {}}, std::nullopt);
    ASSERT_NE(other, nullptr) << row.device;
    HardwareDevice hardware;
    hardware.identity.ids = PciIds{row.vendor, row.device, {}, {}, {}};
    const auto why = WhyNotMeasurable(hardware, KindOf(other->what));
    ASSERT_TRUE(why) << row.device;
    EXPECT_EQ(why->runtime.has_value(), !row.runtime.empty()) << row.device;
    EXPECT_THAT(why->runtime.value_or(""), ::testing::StartsWith(std::string(row.runtime))) << row.device;
    std::vector<std::string> programs;
    for (const auto& program : why->programs) programs.push_back(program.target);
    EXPECT_EQ(programs, row.programs) << row.device;
  }
}

TEST(OtherDevices, WhatStandsForAGpuOfTheHostIsNotSaidToBeNothing) {
  HardwareDevice lent;
  lent.identity.ids = PciIds{0x1414, 0x008e, {}, {}, {}};
  const auto why = WhyNotMeasurable(lent, DeviceKind::kVirtual);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason, "it stands for the host's GPU as Windows lends it");
}

TEST(OtherDevices, OfANumberThatIsTooNewAreKnownByTheirKernelDriver) {
  tests::Tree tree;
  Pci(tree, "0000:05:00.0", "0x17cb", "0xa1ff", "0xff0000");
  EXPECT_TRUE(All(tree).empty());
  tree.Link(Bus("0000:05:00.0") + "/driver", "../../../../bus/pci/drivers/qaic");
  const auto all = All(tree);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, DeviceKind::kAccelerator);
  const auto why = WhyNotMeasurable(all[0], all[0].kind);
  EXPECT_EQ(why ? why->family.value_or("") : "", "qualcomm_qaic");
}

TEST(OtherDevices, TheTwoFunctionsOfAnFpgaCardAreOneDevice) {
  tests::Tree tree;
  Pci(tree, "0000:05:00.0", "0x10ee", "0x5004", "0x120000");
  Pci(tree, "0000:05:00.1", "0x10ee", "0x5005", "0x120000");
  Pci(tree, "0000:06:00.0", "0x10ee", "0x5005", "0x120000");  // as a guest has it
  const auto all = All(tree);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(ToString(*all[0].identity.pci), "0000:05:00.1");
  const auto why = WhyNotMeasurable(all[0], all[0].kind);
  ASSERT_TRUE(why);
  EXPECT_THAT(why->drivers, ::testing::ElementsAre("xocl"));
}

// Of a chip whose GPU draws alone the table of kernel drivers says it.
TEST(OtherDevices, AGpuThatNothingComputesOnSaysSo) {
  HardwareDevice gpu;
  gpu.kind = DeviceKind::kIntegrated;
  gpu.facts = {{"no_runtime", "no runtime computes on a VideoCore IV"}};
  const auto why = WhyNotMeasurable(gpu, gpu.kind);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->what, Purpose::kGpu);
  EXPECT_EQ(why->reason, "no runtime computes on a VideoCore IV");
}

TEST(OtherDevices, TheirNodesAreNamedAndNotOpened) {
  tests::Tree tree;
  Pci(tree, "0000:05:00.0", "0x1e52", "0x401e", "0x120000")
      .Directory(Bus("0000:05:00.0") + "/tenstorrent/tenstorrent!0");
  Pci(tree, "0000:06:00.0", "0x1ac1", "0x089a", "0x0880ff").Directory(Bus("0000:06:00.0") + "/apex/apex_0");
  const auto all = All(tree);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(FactOf(all[0], "device_nodes"), "/dev/tenstorrent/0");
  EXPECT_EQ(FactOf(all[1], "device_nodes"), "/dev/apex_0");
  EXPECT_TRUE(all[0].nodes.empty()) << "one that is listed there was opened";
}

// Closing it would reset the device of some drivers.
TEST(OtherDevices, ANodeOfClassAccelIsNotOpened) {
  tests::Tree tree;
  Pci(tree, "0000:05:00.0", "0x1da3", "0x1020", "0x120000").Directory(Bus("0000:05:00.0") + "/accel/accel0");
  tree.Write("/dev/accel/accel0", "");
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(watch, 0);
  ASSERT_GE(inotify_add_watch(watch, tree.Path("/dev/accel/accel0").c_str(), IN_OPEN), 0);
  const auto all = All(tree);
  std::array<char, 4096> events{};
  EXPECT_EQ(read(watch, events.data(), events.size()), -1) << "it was opened";
  close(watch);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].nodes, ::testing::ElementsAre(DeviceNode{"/dev/accel/accel0", true, true}));
}

}  // namespace
}  // namespace probe::sysfs
