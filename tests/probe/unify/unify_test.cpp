// SPDX-License-Identifier: MIT
#include "probe/unify/unify.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/core/hidden.h"
#include "tests/probe/unify/machine.h"

namespace probe::unify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using tests::At;
using tests::Device;
using tests::Hardware;
using tests::Host;
using tests::Ids;
using tests::Machine;
using tests::MakeUuid;
using tests::Views;

TEST(Unify, TheProcessorAlwaysExists) {
  const auto devices = Unify({});
  ASSERT_THAT(Ids(devices), ElementsAre("cpu:0"));
  EXPECT_EQ(devices[0].kind, DeviceKind::kCpu);
  EXPECT_EQ(devices[0].name, "CPU");
}

TEST(Unify, SoftwareDevicesAreViewsOfTheProcessor) {
  Machine machine;
  machine.Add(Host()).Add(Device("cpu", "native", 0, DeviceKind::kCpu));
  machine.Add(Device("vulkan", "llvmpipe", 0, DeviceKind::kSoftware));
  machine.Add(Device("opencl", "Portable Computing Language", 0, DeviceKind::kCpu));
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("cpu:0"));
  EXPECT_EQ(devices[0].name, "Host processor");
  EXPECT_THAT(Views(devices[0]), ElementsAre("cpu/native/0 by only_candidate",
                                             "opencl/Portable Computing Language/0 by software",
                                             "vulkan/llvmpipe/0 by software"));
}

TEST(Unify, OneCardThroughSeveralRuntimesIsOneDevice) {
  Machine machine;
  machine.Add(Host()).Add(Hardware("0000:01:00.0", 0x10de, 0x2684));
  auto cuda = At(Device("cuda", "NVIDIA"), "0000:01:00.0");
  cuda.identity.uuid = MakeUuid(7);
  machine.Add(cuda)
      .Add(At(Device("vulkan", "NVIDIA"), "0000:01:00.0"))
      .Add(At(Device("vulkan", "NVK"), "0000:01:00.0"));
  auto opencl = Device("opencl", "NVIDIA CUDA");
  opencl.identity.uuid = MakeUuid(7);
  machine.Add(opencl);
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0000:01:00.0", "cpu:0"));
  EXPECT_THAT(Views(devices[0]), ElementsAre("cuda/NVIDIA/0 by pci", "opencl/NVIDIA CUDA/0 by uuid",
                                             "vulkan/NVIDIA/0 by pci", "vulkan/NVK/0 by pci"));
}

TEST(Unify, TwoIdenticalCardsStayApart) {
  Machine machine;
  for (const auto* pci : {"0000:01:00.0", "0000:41:00.0"}) machine.Add(Hardware(pci, 0x10de, 0x2684));
  for (const std::uint32_t card : {0U, 1U}) {
    // CUDA orders them the other way round.
    auto cuda = At(Device("cuda", "NVIDIA", card), card == 0 ? "0000:41:00.0" : "0000:01:00.0");
    cuda.identity.uuid = MakeUuid(card == 0 ? 2 : 1);
    cuda.memory_free_bytes = 1000U + card;
    cuda.memory_total_bytes = 24 * tests::kGiB;
    machine.Add(cuda);
    auto opencl = Device("opencl", "NVIDIA CUDA", card);
    opencl.identity.uuid = MakeUuid(card == 0 ? 1 : 2);
    machine.Add(opencl);
  }
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0000:01:00.0", "pci:0000:41:00.0", "cpu:0"));
  EXPECT_THAT(Views(devices[0]), ElementsAre("cuda/NVIDIA/1 by pci", "opencl/NVIDIA CUDA/0 by uuid"));
  EXPECT_THAT(Views(devices[1]), ElementsAre("cuda/NVIDIA/0 by pci", "opencl/NVIDIA CUDA/1 by uuid"));
  EXPECT_EQ(devices[0].memory.free_bytes, 1001U);
  EXPECT_EQ(devices[1].memory.free_bytes, 1000U);
}

TEST(Unify, IdenticalCardsWithoutIdentityAreNeverPairedByPosition) {
  Machine machine;
  for (const auto* pci : {"0000:01:00.0", "0000:41:00.0"}) machine.Add(Hardware(pci, 0x10de, 0x2684));
  for (const std::uint32_t card : {0U, 1U}) {
    auto device = Device("opencl", "NVIDIA CUDA", card);
    device.vendor = "NVIDIA Corporation";
    machine.Add(device);
  }
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("opencl:nvidia-cuda:0", "opencl:nvidia-cuda:1", "pci:0000:01:00.0",
                                        "pci:0000:41:00.0", "cpu:0"));
  EXPECT_THAT(devices[0].conflicts,
              ElementsAre(Conflict{"identity", "opencl", "may be pci:0000:01:00.0 or pci:0000:41:00.0"}));
  EXPECT_THAT(devices[2].views, IsEmpty());
}

TEST(Unify, TwoDevicesOfADriverCanNotBothBeTheOnlyCard) {
  Machine machine;
  machine.Add(Hardware("0000:01:00.0", 0x10de, 0x2684));
  for (const std::uint32_t card : {0U, 1U}) {
    auto device = Device("opencl", "NVIDIA CUDA", card);
    device.vendor = "NVIDIA Corporation";
    machine.Add(device);
  }
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices),
              ElementsAre("opencl:nvidia-cuda:0", "opencl:nvidia-cuda:1", "pci:0000:01:00.0", "cpu:0"));
  EXPECT_THAT(devices[0].conflicts, ElementsAre(Conflict{"identity", "opencl", "may be pci:0000:01:00.0"}));
}

TEST(Unify, OneUuidForAllCardsIdentifiesNone) {
  Machine machine;
  machine.Add(Hardware("0000:01:00.0", 0x1002, 0x744c)).Add(Hardware("0000:41:00.0", 0x1002, 0x744c));
  for (const std::uint32_t card : {0U, 1U}) {
    auto device =
        At(Device("vulkan", "AMD", card), card == 0 ? "0000:01:00.0" : "0000:41:00.0", 0x1002, 0x744c);
    device.identity.uuid = MakeUuid(9);
    machine.Add(device);
  }
  auto other = Device("opencl", "AMD");
  other.identity.uuid = MakeUuid(9);
  machine.Add(other);
  const auto devices = machine.Unify();
  EXPECT_THAT(devices[0].views, SizeIs(1));
  EXPECT_THAT(devices[1].views, SizeIs(1));
}

// All zeros, or memory that nobody wrote.
TEST(Unify, AUuidOfOneByteThatIsNoneIsNoIdentity) {
  for (const std::uint8_t byte : {std::uint8_t{0}, std::uint8_t{0xff}, std::uint8_t{0xfe}}) {
    Machine machine;
    for (const char* runtime : {"vulkan", "opencl"}) {
      auto device = Device(runtime, "AMD");
      device.name = runtime;
      device.identity.uuid.emplace().fill(byte);
      machine.Add(device);
    }
    EXPECT_THAT(machine.Unify(), SizeIs(byte == 0xfe ? 2 : 3)) << "the processor is one of them";
  }
}

TEST(Unify, OneUuidOfTwoVendorsIsTwoDevicesWithTwoIds) {
  Machine machine;
  for (const auto& [driver, vendor] : {std::pair("AMD", 0x1002U), std::pair("NVIDIA", 0x10deU)}) {
    auto device = Device("vulkan", driver);
    device.identity.uuid = MakeUuid(9);
    device.identity.ids = probe::PciIds{vendor, 0x1234, {}, {}, {}};
    machine.Add(device);
  }
  const auto ids = Ids(machine.Unify());
  ASSERT_THAT(ids, SizeIs(3));
  EXPECT_NE(ids[0], ids[1]);
}

TEST(Unify, TheOnlyCandidateOfVendorAndKind) {
  Machine machine;
  machine.Add(Hardware("0000:00:02.0", 0x8086, 0x9a49, DeviceKind::kIntegrated));
  machine.Add(Hardware("0000:03:00.0", 0x8086, 0x56a0));
  auto device = Device("opencl", "Intel(R) OpenCL", 0, DeviceKind::kIntegrated);
  device.vendor = "Intel(R) Corporation";
  device.identity.uuid = MakeUuid(3);
  machine.Add(device);
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0000:00:02.0", "pci:0000:03:00.0", "cpu:0"));
  EXPECT_THAT(Views(devices[0]), ElementsAre("opencl/Intel(R) OpenCL/0 by only_candidate"));
}

TEST(Unify, ADeviceOfUnknownKindIsNotTheProcessorOfThatVendor) {
  Machine machine;
  auto device = Device("opencl", "Intel", 0, DeviceKind::kUnknown);
  device.vendor = "Intel(R) Corporation";
  machine.Add(Host()).Add(device);
  EXPECT_THAT(Ids(machine.Unify()), ElementsAre("opencl:intel:0", "cpu:0"));
}

TEST(Unify, APhantomOfAnotherModelIsNotTheRealCard) {
  Machine machine;
  machine.Add(Hardware("0000:00:02.0", 0x1002, 0x164e, DeviceKind::kIntegrated));
  auto phantom = At(Device("vulkan", "radv"), "0000:00:00.0", 0x1002, 0x73bf);
  phantom.memory_total_bytes = 0;
  machine.Add(phantom);
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0000:00:02.0", "vulkan:radv:0", "cpu:0"));
  EXPECT_THAT(devices[0].views, IsEmpty());
  EXPECT_EQ(devices[1].memory.total_bytes, std::nullopt);
  EXPECT_EQ(devices[1].vendor, "AMD");
}

TEST(Unify, AnAddressOfAnotherVendorsCardIsNotBelieved) {
  Machine machine;
  machine.Add(Hardware("0000:03:00.0", 0x10de, 0x2684));
  machine.Add(At(Device("opencl", "Intel"), "0000:03:00.0", 0x8086, 0x56a0));
  machine.Add(At(Device("level_zero", "Intel"), "0000:03:00.0", 0x8086, 0x56a0));
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("level_zero:intel:0", "pci:0000:03:00.0", "cpu:0"));
  EXPECT_THAT(devices[0].views, SizeIs(2));
  EXPECT_THAT(devices[1].views, IsEmpty());
}

TEST(Unify, ADomainThatTheInterfaceCanNotCarryIsForgiven) {
  Machine machine;
  machine.Add(Hardware("0001:03:00.0", 0x10de, 0x2684));
  machine.Add(At(Device("opencl", "NVIDIA CUDA"), "0000:03:00.0"));
  EXPECT_THAT(Ids(machine.Unify()), ElementsAre("pci:0001:03:00.0", "cpu:0"));
}

TEST(Unify, PartitionsHaveTheirOwnIdMemoryAndParent) {
  Machine machine;
  auto card = Hardware("0000:17:00.0", 0x10de, 0x20b0);
  card.vram_bytes = 40 * tests::kGiB;
  machine.Add(card);
  for (const std::uint32_t slice : {0U, 1U}) {
    auto device = At(Device("cuda", "NVIDIA", slice), "0000:17:00.0", 0x10de, 0x20b0);
    device.identity.partition = "mig" + std::to_string(slice);
    device.identity.uuid = MakeUuid(static_cast<std::uint8_t>(slice + 1));
    device.memory_total_bytes = 5 * tests::kGiB;
    machine.Add(device);
  }
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices),
              ElementsAre("pci:0000:17:00.0", "pci:0000:17:00.0#mig0", "pci:0000:17:00.0#mig1", "cpu:0"));
  EXPECT_EQ(devices[0].memory.total_bytes, 40 * tests::kGiB);
  EXPECT_THAT(devices[0].views, IsEmpty());
  EXPECT_EQ(devices[1].parent_id, "pci:0000:17:00.0");
  EXPECT_EQ(devices[1].memory.total_bytes, 5 * tests::kGiB);
  EXPECT_THAT(Views(devices[1]), ElementsAre("cuda/NVIDIA/0 by parent"));
}

// Of one that is left of a card not every runtime says that it is none.
TEST(Unify, WhatIsShownAsTheCardIsThePartitionOfItsUuid) {
  const auto ids = [](std::uint8_t uuid, std::optional<std::uint8_t> of_card) {
    Machine machine;
    auto card = Hardware("0000:17:00.0", 0x8086, 0x0bd5);
    if (of_card) card.identity.uuid = MakeUuid(*of_card);
    auto tile = At(Device("level_zero", "Intel"), "0000:17:00.0", 0x8086, 0x0bd5);
    tile.identity.partition = "tile1";
    tile.identity.uuid = MakeUuid(2);
    auto other = At(Device("sycl", "Intel"), "0000:17:00.0", 0x8086, 0x0bd5);
    other.identity.uuid = MakeUuid(uuid);
    std::vector<std::string> seen;
    for (const auto& device : machine.Add(card).Add(tile).Add(other).Unify()) {
      for (const auto& view : device.views) seen.push_back(device.id + " " + view.device.runtime);
    }
    return seen;
  };
  const std::string card = "pci:0000:17:00.0", tile = card + "#tile1";
  EXPECT_THAT(ids(2, std::nullopt), UnorderedElementsAre(tile + " level_zero", tile + " sycl"));
  EXPECT_THAT(ids(3, std::nullopt), UnorderedElementsAre(tile + " level_zero", card + " sycl"));
  EXPECT_THAT(ids(2, 2), UnorderedElementsAre(tile + " level_zero", card + " sycl"));
}

TEST(Unify, DriversWithoutIdentityShareADeviceByNameOnlyWhereItIsUnique) {
  Machine machine;
  const auto named = [](std::string_view runtime, std::uint32_t ordinal, std::string_view name) {
    auto device = Device(runtime, "X", ordinal);
    device.name = name;
    return device;
  };
  machine.Add(named("opencl", 0, "Adreno 740")).Add(named("vulkan", 0, "Adreno (TM) 740"));
  machine.Add(named("opencl", 1, "Twin")).Add(named("opencl", 2, "Twin")).Add(named("vulkan", 1, "Twin"));
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("opencl:x:0", "opencl:x:1", "opencl:x:2", "vulkan:x:1", "cpu:0"));
  EXPECT_THAT(Views(devices[0]), ElementsAre("opencl/X/0 by name", "vulkan/X/0 by name"));
  EXPECT_THAT(Views(devices[1]), ElementsAre("opencl/X/1 by none"));
}

TEST(Unify, NameAndMemoryAreTheLastResort) {
  Machine machine;
  auto small = Hardware("0000:01:00.0", 0x1ed5, 0x0201);
  small.vram_bytes = 8 * tests::kGiB;
  auto large = Hardware("0000:02:00.0", 0x1ed5, 0x0201);
  large.vram_bytes = 16 * tests::kGiB;
  auto device = Device("opencl", "MT");
  device.memory_total_bytes = 15 * tests::kGiB;
  machine.Add(small).Add(large).Add(device);
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0000:01:00.0", "pci:0000:02:00.0", "cpu:0"));
  EXPECT_THAT(Views(devices[1]), ElementsAre("opencl/MT/0 by name"));
}

TEST(Unify, SourcesOfOneCardAreMergedAndDisagreementsKept) {
  Machine machine;
  auto sysfs = Hardware("0000:01:00.0", 0x10de, 0x2684);
  sysfs.numa_node = 0;
  HardwareDevice hwloc;
  hwloc.source = "hwloc";
  hwloc.identity.pci = sysfs.identity.pci;
  hwloc.numa_node = 1;
  hwloc.facts.push_back({"local_cpus", "0-7"});
  machine.Add(sysfs).Add(hwloc);
  const auto devices = machine.Unify();
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[0].hardware->name, "Card");
  EXPECT_THAT(devices[0].hardware->facts, Contains(Fact{"local_cpus", "0-7"}));
  EXPECT_THAT(devices[0].conflicts, ElementsAre(Conflict{"numa_node", "sysfs", "0"}));
}

TEST(Unify, TwoSourcesDescribeOneProcessor) {
  Machine machine;
  auto cpu = Host();
  cpu.processor->threads = 8;
  HardwareDevice hwloc;
  hwloc.source = "hwloc";
  hwloc.kind = DeviceKind::kCpu;
  hwloc.processor.emplace();
  hwloc.processor->cores = 4;
  hwloc.processor->threads = 8;
  hwloc.processor->caches.push_back({3, "unified", 32U << 20U, 8, 1});
  machine.Add(cpu).Add(hwloc);
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("cpu:0"));
  EXPECT_EQ(devices[0].hardware->processor->cores, 4U);
  EXPECT_THAT(devices[0].hardware->processor->caches, SizeIs(1));
  EXPECT_THAT(devices[0].conflicts, IsEmpty());
}

TEST(Unify, ADriversOverrideOfTheTargetIsAConflict) {
  Machine machine;
  auto card = Hardware("0000:03:00.0", 0x1002, 0x73df);
  card.architecture = "gfx1031";
  auto hip = At(Device("hip", "ROCm"), "0000:03:00.0", 0x1002, 0x73df);
  hip.architecture = "gfx1030";
  auto vulkan = At(Device("vulkan", "radv"), "0000:03:00.0", 0x1002, 0x73df);
  vulkan.architecture = "navi22";
  machine.Add(card).Add(hip).Add(vulkan);
  EXPECT_THAT(machine.Unify()[0].conflicts, ElementsAre(Conflict{"architecture", "hip", "gfx1030"}));
}

TEST(Unify, ADriverNamesWhatTheNumbersLeaveOpen) {
  Machine machine;
  auto family = Hardware("0000:03:00.0", 0x1002, 0x73bf);
  family.name = "Radeon RX 6800/6800 XT / 6900 XT (Navi 21)";
  family.facts.push_back({"name_basis", "pci_table_family"});
  auto radv = At(Device("vulkan", "radv"), "0000:03:00.0", 0x1002, 0x73bf);
  radv.name = "AMD Radeon RX 6800 XT (RADV NAVI21)";
  auto hip = At(Device("hip", "ROCm"), "0000:03:00.0", 0x1002, 0x73bf);
  hip.name = "AMD Radeon RX 6800 XT";
  machine.Add(family).Add(radv).Add(hip);
  EXPECT_EQ(machine.Unify()[0].name, "AMD Radeon RX 6800 XT");
  Machine bare;
  bare.Add(family);
  EXPECT_EQ(bare.Unify()[0].name, family.name);
}

TEST(Unify, AGenericNameSaysLessThanTheNumbers) {
  Machine machine;
  auto family = Hardware("0000:07:00.0", 0x1002, 0x66a1);
  family.name = "Radeon Pro VII/Radeon Instinct MI50 (Vega 20)";
  family.facts.push_back({"name_basis", "pci_table_family"});
  auto hip = At(Device("hip", "ROCm"), "0000:07:00.0", 0x1002, 0x66a1);
  hip.name = "AMD Radeon Graphics";
  machine.Add(family).Add(hip);
  EXPECT_EQ(machine.Unify()[0].name, family.name);
  auto radv = At(Device("vulkan", "radv"), "0000:07:00.0", 0x1002, 0x66a1);
  radv.name = "AMD Instinct MI50 (RADV VEGA20)";
  machine.Add(radv);
  EXPECT_EQ(machine.Unify()[0].name, radv.name) << "longer, and no generic one";
}

TEST(Unify, HiddenDevicesNameTheVariable) {
  Machine machine;
  auto device = At(Device("cuda", "NVIDIA"), "0000:01:00.0");
  device.facts.push_back({"hidden_by", "CUDA_VISIBLE_DEVICES"});
  machine.Add(device);
  EXPECT_EQ(machine.Unify()[0].views[0].environment_hidden, std::nullopt) << "the variable is not set";
  machine.Report("cuda").environment.push_back({"CUDA_VISIBLE_DEVICES", "1"});
  EXPECT_EQ(machine.Unify()[0].views[0].environment_hidden, "CUDA_VISIBLE_DEVICES");
}

TEST(Unify, WhatAVariableHidesIsAFactOfADeviceAndMakesNone) {
  Machine machine;
  machine.Add(Hardware("0000:01:00.0", 0x10de, 0x2684));
  for (const char* address : {"0000:01:00.0", "0000:02:00.0"}) {
    machine.Report("cuda").hardware.push_back(
        HiddenHardware("cuda", *ParsePciAddress(address), "CUDA_VISIBLE_DEVICES"));
  }
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0000:01:00.0", "cpu:0"));
  EXPECT_THAT(devices[0].hardware->facts, Contains(Fact{"hidden_by", "CUDA_VISIBLE_DEVICES"}));
  EXPECT_THAT(devices[0].conflicts, IsEmpty());
  auto& report = machine.Report("cuda");
  report.outcome = Outcome::kOk;
  Apply(Failure{Outcome::kHidden, {"cuInit", 100, "CUDA_ERROR_NO_DEVICE", ""}}, report);
  Conclude(report);
  EXPECT_EQ(report.outcome, Outcome::kHidden) << "it has found nothing";
}

TEST(Unify, WhatARuntimeDoesNotShowIsADeviceWhereItHasAName) {
  Machine machine;
  auto named = UnreachedHardware("cuda", *ParsePciAddress("0000:01:00.0"), {{}, {}, "lost", "it is"});
  named.name = "Card";
  auto& report = machine.Report("cuda");
  report.hardware = {named,
                     UnreachedHardware("cuda", *ParsePciAddress("0000:02:00.0"), {{}, {}, "lost", "it is"})};
  const auto devices = machine.Unify();
  ASSERT_THAT(Ids(devices), ElementsAre("pci:0000:01:00.0", "cpu:0"));
  EXPECT_EQ(devices[0].name, "Card");
  EXPECT_FALSE(HasFound(report));
}

TEST(Unify, EveryVariableThatHidesStandsOnce) {
  Machine machine;
  machine.Add(Hardware("0000:01:00.0", 0x1002, 0x744c));
  for (const auto& [module, variable] :
       {std::pair("hip", "ROCR_VISIBLE_DEVICES"), std::pair("opencl", "ROCR_VISIBLE_DEVICES"),
        std::pair("opencl", "GPU_DEVICE_ORDINAL")}) {
    machine.Report(module).hardware.push_back(
        HiddenHardware(module, *ParsePciAddress("0000:01:00.0"), variable));
  }
  const auto devices = machine.Unify();
  std::vector<std::string> variables;
  for (const Fact& fact : devices[0].hardware->facts) {
    if (fact.key == "hidden_by") variables.push_back(fact.value);
  }
  EXPECT_THAT(variables, testing::UnorderedElementsAre("ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"));
}

TEST(Unify, DriversOfOneNameShareNoId) {
  Machine machine;
  for (const char* card : {"first", "second", "third"}) {
    auto device = Device("opencl", "Same", 0);
    device.name = card;
    machine.Add(device);
  }
  EXPECT_THAT(Ids(machine.Unify()), ElementsAre("opencl:same:0", "opencl:same:1", "opencl:same:2", "cpu:0"));
}

TEST(Unify, HardwareOffThePciBusHasAStableId) {
  Machine machine;
  HardwareDevice v3d;
  v3d.source = "sysfs";
  v3d.name = "Broadcom VideoCore GPU";
  v3d.vendor = "Broadcom";
  v3d.kind = DeviceKind::kIntegrated;
  v3d.facts.push_back({"platform_device", "fd500000.gpu"});
  machine.Add(v3d);
  EXPECT_THAT(Ids(machine.Unify()), ElementsAre("platform:fd500000-gpu", "cpu:0"));
}

TEST(Unify, EightCardsInAnyOrder) {
  Machine machine;
  for (std::uint32_t card = 0; card < 8; ++card) {
    const std::string pci = "0000:" + std::to_string(10 + card) + ":00.0";
    machine.Add(Hardware(pci, 0x10de, card < 4 ? 0x2330 : 0x2331));
    machine.Add(At(Device("cuda", "NVIDIA", 7 - card), pci, 0x10de, card < 4 ? 0x2330 : 0x2331));
    machine.Add(At(Device("vulkan", "NVIDIA", card), pci, 0x10de, card < 4 ? 0x2330 : 0x2331));
  }
  const auto devices = machine.Unify();
  ASSERT_THAT(devices, SizeIs(9));
  for (std::uint32_t card = 0; card < 8; ++card) {
    EXPECT_EQ(devices[card].id, "pci:0000:" + std::to_string(10 + card) + ":00.0");
    EXPECT_THAT(devices[card].views, SizeIs(2));
  }
}

}  // namespace
}  // namespace probe::unify
