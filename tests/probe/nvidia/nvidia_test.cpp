// SPDX-License-Identifier: MIT
#include "probe/nvidia/nvidia.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/probe/tree.h"

namespace probe::nvidia {
namespace {

TEST(NvidiaSigns, AreTheBusTheGpusOwnNodesAndTheKernelsDriver) {
  const auto may = [](const std::function<void(::tests::Tree&)>& build) {
    ::tests::Tree tree;
    build(tree);
    return MayHaveGpu(ReadSigns(tree.Files()));
  };
  const auto device = [](::tests::Tree& tree, const std::string& vendor, const std::string& code) {
    tree.Write("/sys/bus/pci/devices/0000:01:00.0/vendor", vendor + "\n")
        .Write("/sys/bus/pci/devices/0000:01:00.0/class", code + "\n");
  };
  EXPECT_FALSE(may([](auto&) {}));
  EXPECT_FALSE(may([](auto& tree) { tree.Write("/dev/nvidiactl", "").Write("/dev/nvidia-uvm", ""); }));
  EXPECT_FALSE(may([&](auto& tree) { device(tree, "0x1002", "0x030000"); })) << "another maker's";
  EXPECT_FALSE(may([&](auto& tree) { device(tree, "0x10de", "0x040300"); })) << "a sound device";
  EXPECT_TRUE(may([&](auto& tree) { device(tree, "0x10de", "0x030200"); }));
  EXPECT_TRUE(may([&](auto& tree) { device(tree, "0x10de", "0x030000"); }));
  EXPECT_TRUE(may([](auto& tree) { tree.Write("/dev/nvidia0", ""); })) << "a container without /sys";
  EXPECT_TRUE(may([](auto& tree) { tree.Write("/dev/dxg", ""); })) << "WSL";
  EXPECT_TRUE(may([](auto& tree) { tree.Write("/dev/nvhost-ctrl", ""); })) << "Tegra";
  EXPECT_TRUE(may([](auto& tree) { tree.Write("/dev/nvmap", ""); })) << "Tegra";
  EXPECT_TRUE(may([](auto& tree) { tree.Directory("/proc/driver/nvidia/gpus/0000:01:00.0"); }));
}

TEST(NvidiaSigns, KnowNvswitchByTheBusOrByItsNodes) {
  constexpr const char* kBridge = "/sys/bus/pci/devices/0000:c4:00.0";
  ::tests::Tree none, bus, nodes;
  none.Write(std::string(kBridge) + "/vendor", "0x8086\n")
      .Write(std::string(kBridge) + "/class", "0x068000\n");
  EXPECT_FALSE(ReadSigns(none.Files()).nvswitch);
  bus.Write(std::string(kBridge) + "/vendor", "0x10de\n")
      .Write(std::string(kBridge) + "/class", "0x068000\n");
  EXPECT_TRUE(ReadSigns(bus.Files()).nvswitch);
  EXPECT_FALSE(ReadSigns(bus.Files()).card_on_bus);
  nodes.Write("/dev/nvidia-nvswitch0", "");
  EXPECT_TRUE(ReadSigns(nodes.Files()).nvswitch);
}

// "01 02": by their buses.
std::string Given(const ::tests::Tree& tree) {
  std::string out;
  for (const FileGpu& gpu : GivenGpus(tree.Files()))
    out += (out.empty() ? "" : " ") + ToString(gpu.address).substr(5, 2);
  return out;
}

// A container's files may show all that its host has.
TEST(GivenGpus, AreThoseWhoseNodesAreHere) {
  ::tests::Tree tree;
  for (const char* number : {"2", "1"}) {
    tree.Write(std::string("/proc/driver/nvidia/gpus/0000:0") + number + ":00.0/information",
               std::string("Model: \t NVIDIA A100\nGPU UUID: \t GPU-00112233-4455-6677-8899-aabbccddee0") +
                   number + "\nDevice Minor: \t " + number + "\n");
  }
  EXPECT_EQ(Given(tree), "");
  tree.Write("/dev/nvidia2", "");
  EXPECT_EQ(Given(tree), "02");
  tree.Write("/dev/nvidia1", "");
  EXPECT_EQ(Given(tree), "01 02");
  const auto first = GivenGpus(tree.Files()).at(0);
  EXPECT_EQ(first.name, "NVIDIA A100");
  EXPECT_EQ(ToString(*first.uuid), "00112233-4455-6677-8899-aabbccddee01");
}

TEST(GivenGpus, AreThoseOnTheBusWhereEachMustHaveOneOfTheNodes) {
  ::tests::Tree tree;
  for (const char* number : {"1", "2", "3"}) {
    const std::string card = std::string("/sys/bus/pci/devices/0000:0") + number + ":00.0";
    tree.Write(card + "/vendor", "0x10de\n").Write(card + "/class", "0x030200\n");
    tree.Write(card + "/uevent", *number == '3' ? "DRIVER=vfio-pci\n" : "DRIVER=nvidia\nPCI_CLASS=30200\n");
  }
  tree.Write("/dev/nvidiactl", "").Write("/dev/nvidia0", "");
  EXPECT_EQ(Given(tree), "") << "nobody knows whose node it is";
  tree.Write("/dev/nvidia1", "");
  EXPECT_EQ(Given(tree), "01 02");
}

TEST(GpuAddresses, AreThoseOfTheBusWhereTheDriversOwnFilesAreHidden) {
  ::tests::Tree tree;
  for (const char* number : {"1", "2"}) {
    const std::string card = std::string("/sys/bus/pci/devices/0000:0") + number + ":00.0";
    tree.Write(card + "/vendor", "0x10de\n").Write(card + "/class", "0x030200\n");
    tree.Write(card + "/uevent", *number == '2' ? "DRIVER=vfio-pci\n" : "DRIVER=nvidia\n");
  }
  ASSERT_EQ(GpuAddresses(tree.Files()).size(), 1U);
  EXPECT_EQ(GpuAddresses(tree.Files())[0].bus, 1U);
  tree.Directory("/proc/driver/nvidia/gpus/0000:07:00.0");
  ASSERT_EQ(GpuAddresses(tree.Files()).size(), 1U);
  EXPECT_EQ(GpuAddresses(tree.Files())[0].bus, 7U);
}

}  // namespace
}  // namespace probe::nvidia
