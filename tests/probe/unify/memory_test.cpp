// SPDX-License-Identifier: MIT
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/probe/unify/machine.h"

namespace probe::unify {
namespace {

using tests::At;
using tests::Device;
using tests::Hardware;
using tests::Host;
using tests::kGiB;
using tests::Machine;

TEST(Memory, AnApusCarveOutAndGttAreApart) {
  Machine machine;
  machine.Add(Host(32 * kGiB));  // half of it free
  auto apu = Hardware("0000:64:00.0", 0x1002, 0x15bf, DeviceKind::kIntegrated);
  apu.vram_bytes = 4 * kGiB;
  apu.memory_free_bytes = 3 * kGiB;
  apu.gtt_bytes = 29 * kGiB;
  machine.Add(apu);
  auto vulkan = At(Device("vulkan", "radv", 0, DeviceKind::kIntegrated), "0000:64:00.0", 0x1002, 0x15bf);
  vulkan.memory_total_bytes = 33 * kGiB;
  machine.Add(vulkan);
  const auto devices = machine.Unify();
  EXPECT_EQ(devices[0].memory.total_bytes, 4 * kGiB);
  EXPECT_EQ(devices[0].memory.gtt_bytes, 29 * kGiB);
  EXPECT_EQ(devices[0].memory.free_bytes, 3 * kGiB);
  EXPECT_EQ(devices[0].memory.usable_bytes, 19 * kGiB) << "carve-out and what the host has free";
  EXPECT_TRUE(devices[0].conflicts.empty());
}

TEST(Memory, GttInUseIsNotUsable) {
  Machine machine;
  machine.Add(Host(64 * kGiB));
  auto apu = Hardware("0000:64:00.0", 0x1002, 0x15bf, DeviceKind::kIntegrated);
  apu.vram_bytes = kGiB;
  apu.gtt_bytes = 8 * kGiB;
  apu.facts.push_back({"gtt_used_bytes", std::to_string(2 * kGiB)});
  EXPECT_EQ(machine.Add(apu).Unify()[0].memory.usable_bytes, 7 * kGiB);
}

TEST(Memory, ADiscreteCardsGttIsNotItsMemory) {
  Machine machine;
  machine.Add(Host());
  auto card = Hardware("0000:03:00.0", 0x1002, 0x744c);
  card.vram_bytes = 24 * kGiB;
  card.gtt_bytes = 30 * kGiB;
  card.memory_free_bytes = 20 * kGiB;
  const auto memory = machine.Add(card).Unify()[0].memory;
  EXPECT_EQ(memory.total_bytes, 24 * kGiB);
  EXPECT_EQ(memory.usable_bytes, 20 * kGiB);
  EXPECT_EQ(memory.gtt_bytes, std::nullopt);
}

TEST(Memory, AnIntegratedGpuCanNotUseMoreThanTheHostHasFree) {
  Machine machine;
  machine.Add(Host(16 * kGiB)).Add(Hardware("0000:00:02.0", 0x8086, 0x9a49, DeviceKind::kIntegrated));
  auto vulkan = At(Device("vulkan", "anv", 0, DeviceKind::kIntegrated), "0000:00:02.0", 0x8086, 0x9a49);
  vulkan.memory_total_bytes = 15 * kGiB;
  const auto memory = machine.Add(vulkan).Unify()[0].memory;
  EXPECT_EQ(memory.total_bytes, 15 * kGiB);
  EXPECT_EQ(memory.usable_bytes, 8 * kGiB);
}

TEST(Memory, DriversThatClaimOtherSizesAreConflicts) {
  Machine machine;
  auto card = Hardware("0000:03:00.0", 0x1002, 0x744c);
  card.vram_bytes = 24 * kGiB;
  auto honest = At(Device("hip", "ROCm"), "0000:03:00.0", 0x1002, 0x744c);
  honest.memory_total_bytes = 24 * kGiB - kGiB / 4;
  auto liar = At(Device("opencl", "X"), "0000:03:00.0", 0x1002, 0x744c);
  liar.memory_total_bytes = 48 * kGiB;
  liar.memory_free_bytes = 47 * kGiB;
  const auto devices = machine.Add(card).Add(honest).Add(liar).Unify();
  EXPECT_THAT(devices[0].conflicts,
              ::testing::ElementsAre(Conflict{"memory_total_bytes", "opencl", std::to_string(48 * kGiB)}));
  EXPECT_EQ(devices[0].memory.total_bytes, 24 * kGiB);
  EXPECT_EQ(devices[0].memory.free_bytes, std::nullopt);
}

// A container's APU: one runtime counts the part that the firmware set apart, the other all that is lent.
TEST(Memory, IsNeverTheSizeOfOnePartAndWhatIsFreeOfAnother) {
  Machine machine;
  machine.Add(Host(24 * kGiB));  // half of it free
  auto part = At(Device("hip", "ROCm", 0, DeviceKind::kIntegrated), "0000:64:00.0", 0x1002, 0x15bf);
  part.memory_total_bytes = kGiB / 2;
  part.memory_free_bytes = 410ULL << 20U;
  auto whole = At(Device("vulkan", "radv", 0, DeviceKind::kIntegrated), "0000:64:00.0", 0x1002, 0x15bf);
  whole.memory_total_bytes = 15 * kGiB + kGiB / 2;
  machine.Add(part).Add(whole);
  const auto memory = machine.Unify()[0].memory;
  EXPECT_EQ(memory.total_bytes, 15 * kGiB + kGiB / 2);
  EXPECT_EQ(memory.free_bytes, std::nullopt) << "410 MiB are free of something else";
  EXPECT_EQ(memory.usable_bytes, 12 * kGiB) << "what the host has free";
}

TEST(Memory, OfDriversThatCountTheSameTheOneThatSaysWhatIsFree) {
  Machine machine;
  const auto card = [](std::string_view runtime, std::uint64_t total, std::optional<std::uint64_t> free) {
    auto device = At(Device(runtime, "X"), "0000:03:00.0", 0x10de, 0x2684);
    device.memory_total_bytes = total;
    device.memory_free_bytes = free;
    return device;
  };
  machine.Add(card("opencl", 24 * kGiB, std::nullopt)).Add(card("cuda", 23 * kGiB, 20 * kGiB));
  machine.Add(card("vulkan", 23 * kGiB + 1, 21 * kGiB));
  const auto memory = machine.Unify()[0].memory;
  EXPECT_EQ(memory.total_bytes, 23 * kGiB);
  EXPECT_EQ(memory.free_bytes, 20 * kGiB);
}

TEST(Memory, OfTheKernelWithoutWhatIsFreeIsTheDriversThatCountsTheSame) {
  Machine machine;
  auto card = Hardware("0000:03:00.0", 0x1002, 0x744c);
  card.vram_bytes = 24 * kGiB;
  auto same = At(Device("hip", "ROCm"), "0000:03:00.0", 0x1002, 0x744c);
  same.memory_total_bytes = 24 * kGiB - 1;
  same.memory_free_bytes = 22 * kGiB;
  auto part = At(Device("vulkan", "radv"), "0000:03:00.0", 0x1002, 0x744c);
  part.memory_total_bytes = kGiB;
  part.memory_free_bytes = kGiB / 2;
  const auto memory = machine.Add(card).Add(same).Add(part).Unify()[0].memory;
  EXPECT_EQ(memory.total_bytes, 24 * kGiB - 1);
  EXPECT_EQ(memory.free_bytes, 22 * kGiB);
}

TEST(Memory, OfTheKernelStaysTheKernelsWhereADriverSaysLess) {
  Machine machine;
  auto card = Hardware("0000:03:00.0", 0x1002, 0x744c);
  card.vram_bytes = 24 * kGiB;
  card.memory_free_bytes = 20 * kGiB;
  auto vulkan = At(Device("vulkan", "radv"), "0000:03:00.0", 0x1002, 0x744c);
  vulkan.memory_total_bytes = 24 * kGiB;
  vulkan.memory_free_bytes = 256ULL << 20U;  // of one heap
  const auto memory = machine.Add(card).Add(vulkan).Unify()[0].memory;
  EXPECT_EQ(memory.free_bytes, 20 * kGiB);
  EXPECT_EQ(memory.usable_bytes, 20 * kGiB);
}

TEST(Memory, TheProcessorIsBoundByItsGroup) {
  Machine machine;
  auto host = Host(32 * kGiB);
  host.processor->memory_limit_bytes = 4 * kGiB;
  machine.Add(host);
  auto pocl = Device("opencl", "PoCL", 0, DeviceKind::kSoftware);
  pocl.memory_total_bytes = 100 * kGiB;
  const auto memory = machine.Add(pocl).Unify()[0].memory;
  EXPECT_EQ(memory.total_bytes, 32 * kGiB);
  EXPECT_EQ(memory.free_bytes, 16 * kGiB);
  EXPECT_EQ(memory.usable_bytes, 4 * kGiB);
}

}  // namespace
}  // namespace probe::unify
