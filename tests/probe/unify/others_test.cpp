// SPDX-License-Identifier: MIT
// What no runtime of this program reaches: it says so until one does.
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/core/other_devices.h"
#include "tests/probe/unify/machine.h"

namespace probe::unify {
namespace {

using ::testing::ElementsAre;
using tests::At;
using tests::Device;
using tests::Hardware;
using tests::Host;
using tests::Ids;
using tests::Machine;

TEST(OthersUnify, AnNpuSaysWhyItIsNotMeasuredAndAGpuOfARuntimeHereSaysNothing) {
  Machine machine;
  machine.Add(Host()).Add(Hardware("0000:00:0b.0", 0x8086, 0x7d1d, DeviceKind::kAccelerator));
  machine.Add(Hardware("0000:01:00.0", 0x10de, 0x2684));
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0000:00:0b.0", "pci:0000:01:00.0", "cpu:0"));
  ASSERT_TRUE(devices[0].not_measurable);
  EXPECT_EQ(devices[0].not_measurable->family, "intel_npu");
  EXPECT_FALSE(devices[1].not_measurable);
  EXPECT_FALSE(devices[2].not_measurable);
}

TEST(OthersUnify, WhatARuntimeReachesIsMeasurable) {
  const auto gpu = Hardware("0000:0a:00.0", 0x1ed5, 0x0201);
  Machine alone;
  alone.Add(Host()).Add(gpu);
  for (const auto* runtime : {"vulkan", "opencl"}) alone.Report(runtime).outcome = Outcome::kAbsent;
  const auto unreached = alone.Unify();
  ASSERT_TRUE(unreached[0].not_measurable);
  EXPECT_EQ(unreached[0].not_measurable->what, Purpose::kGpu);
  Machine reached;
  reached.Add(Host()).Add(gpu).Add(At(Device("vulkan", "Moore Threads"), "0000:0a:00.0", 0x1ed5, 0x0201));
  EXPECT_FALSE(reached.Unify()[0].not_measurable);
}

// Its own driver brings runtimes that are here.
TEST(OthersUnify, AGpuThatARuntimeHereMightReachSaysNothingUntilThatWasAsked) {
  const auto says = [](std::optional<Outcome> vulkan) {
    Machine machine;
    machine.Add(Host()).Add(Hardware("0000:0a:00.0", 0x1ed5, 0x0201));
    machine.Report("opencl").outcome = Outcome::kAbsent;
    if (vulkan) machine.Report("vulkan").outcome = *vulkan;
    return machine.Unify()[0].not_measurable;
  };
  EXPECT_FALSE(says(std::nullopt)) << "nobody asked";
  EXPECT_FALSE(says(Outcome::kCrashed));
  EXPECT_FALSE(says(Outcome::kHidden));
  const auto why = says(Outcome::kNoDevice);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason, "MUSA is not measured; Vulkan and OpenCL of its driver would reach it");
}

TEST(OthersUnify, ADeviceOnUsbIsKnownByItsPlace) {
  HardwareDevice stick;
  stick.source = "sysfs";
  stick.name = "Coral USB Accelerator (Edge TPU)";
  stick.kind = DeviceKind::kAccelerator;
  stick.facts = {{std::string(kUsbIdFact), "1a6e:089a"}, {std::string(kUsbDeviceFact), "2-1.4"}};
  HardwareDevice dsp = stick;
  dsp.facts = {{std::string(kMiscFact), "fastrpc-cdsp"}};
  Machine machine;
  machine.Add(Host()).Add(stick).Add(dsp);
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("platform:fastrpc-cdsp", "usb:2-1.4", "cpu:0"));
  EXPECT_EQ(devices[0].not_measurable ? devices[0].not_measurable->family : "", "qualcomm_hexagon");
  EXPECT_EQ(devices[1].not_measurable ? devices[1].not_measurable->family : "", "coral_usb");
}

}  // namespace
}  // namespace probe::unify
