// SPDX-License-Identifier: MIT
// What the fake's devices say of themselves.
#include <cstdio>
#include <cstring>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/level_zero/state.h"

namespace fakes::level_zero {
namespace {

constexpr std::uint32_t kTypeWithCycles = 0x00020006;

// What hangs behind a structure: none but the version of the hardware's IP is known.
void Extend(void* next, const Slot& slot) {
  auto* ip = static_cast<rt::ZeIpVersion*>(next);
  if (ip == nullptr || ip->type != rt::ZeIpVersion{}.type) return;
  const auto release = static_cast<std::uint32_t>(Get(*slot.gpu, "ip", 1255));
  ip->version = release / 100 << 22U | release % 100 << 14U | 8U;
}

std::uint32_t CountUnits(const Slot& slot) { return slot.self().compute_units; }

}  // namespace
}  // namespace fakes::level_zero

using namespace fakes::level_zero;  // NOLINT: the entry points below are C

FAKE_ZE zeDeviceGetProperties(rt::ZeDevice device, rt::ZeDeviceProperties* out) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr) return rt::kZeInvalidNullHandle;
  if (const auto error = fakes::Reach(fakes::Point::kProperties, slot->index))
    return static_cast<std::uint32_t>(*error);
  if (out->type != kTypeWithCycles) return rt::kZeInvalidArgument;
  const fakes::Device& gpu = *slot->gpu;
  out->kind = gpu.type == fakes::DeviceType::kCpu ? rt::kZeCpu : rt::kZeGpu;
  out->vendor = gpu.vendor_id;
  out->device = gpu.device_id;
  out->flags = gpu.type == fakes::DeviceType::kIntegrated ? rt::kZeIntegrated : rt::kZeErrorCorrection;
  out->clock_mhz = gpu.clock_mhz;
  out->max_allocation = slot->self().max_buffer_bytes;
  out->slices = static_cast<std::uint32_t>(Get(gpu, "slices", 1));
  out->eus_per_subslice = static_cast<std::uint32_t>(Get(gpu, "eus", 8));
  out->subslices_per_slice = CountUnits(*slot) / out->slices / out->eus_per_subslice;
  out->threads_per_eu = 8;
  out->simd_width = 8;
  out->timer_hz = 19'200'000;
  out->kernel_timestamp_bits = 32;
  out->timestamp_bits = 64;
  out->uuid = UuidOf(*slot);
  std::snprintf(out->name.data(), out->name.size(), "%s", gpu.name.c_str());
  Extend(out->next, *slot);
  return rt::kZeSuccess;
}
FAKE_ZE zeDeviceGetSubDevices(rt::ZeDevice device, std::uint32_t* count, rt::ZeDevice*) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr) return rt::kZeInvalidNullHandle;
  *count = slot->tiles > 1 ? slot->tiles : 0;
  return rt::kZeSuccess;
}
FAKE_ZE zeDeviceGetComputeProperties(rt::ZeDevice device, rt::ZeComputeProperties* out) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr || out->type != rt::ZeComputeProperties{}.type) return rt::kZeInvalidArgument;
  out->max_group = slot->gpu->max_workgroup_size;
  out->max_sizes = {slot->gpu->max_workgroup_size, slot->gpu->max_workgroup_size,
                    slot->gpu->max_workgroup_size};
  out->local_memory = slot->gpu->shared_memory_bytes;
  // Of the releases since Xe-HPC the smallest is 16.
  const bool is_wide = Get(*slot->gpu, "ip", 1255) >= 1260;
  out->subgroup_sizes = is_wide ? 2 : 3;
  out->subgroup_size =
      is_wide ? std::array<std::uint32_t, 8>{32, 16} : std::array<std::uint32_t, 8>{32, 16, 8};
  return rt::kZeSuccess;
}
FAKE_ZE zeDeviceGetModuleProperties(rt::ZeDevice device, rt::ZeModuleProperties* out) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr || out->type != rt::ZeModuleProperties{}.type) return rt::kZeInvalidArgument;
  out->spirv_version = 1U << 16U | 2U;
  out->flags = (slot->gpu->fp16 ? rt::kZeModuleFp16 : 0U) | (slot->gpu->fp64 ? rt::kZeModuleFp64 : 0U) |
               (Get(*slot->gpu, "dp4a", 1) != 0 ? rt::kZeModuleDp4a : 0U);
  return rt::kZeSuccess;
}
FAKE_ZE zeDeviceGetCommandQueueGroupProperties(rt::ZeDevice device, std::uint32_t* count,
                                               rt::ZeQueueGroup* groups) {
  if (SlotOf(device) == nullptr) return rt::kZeInvalidNullHandle;
  // One that copies alone comes first.
  return Reply(count, groups != nullptr, 2, [&](std::uint32_t i) {
    groups[i].flags = i == 0 ? rt::kZeQueueCopy : rt::kZeQueueCompute | rt::kZeQueueCopy;
    groups[i].queues = i == 0 ? 2 : 1;
  });
}
FAKE_ZE zeDeviceGetMemoryProperties(rt::ZeDevice device, std::uint32_t* count, rt::ZeMemoryProperties* out) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr) return rt::kZeInvalidNullHandle;
  return Reply(count, out != nullptr, 1, [&](std::uint32_t) {
    out->bytes = slot->self().memory_total_bytes;
    out->bus_bits = 256;
    out->clock_mhz = 2250;
    std::strcpy(out->name.data(), "GDDR6");
  });
}
FAKE_ZE zeDeviceGetCacheProperties(rt::ZeDevice device, std::uint32_t* count, rt::ZeCacheProperties* out) {
  if (SlotOf(device) == nullptr) return rt::kZeInvalidNullHandle;
  return Reply(count, out != nullptr, 1, [&](std::uint32_t) { out->bytes = 16U << 20U; });
}
FAKE_ZE zeDevicePciGetPropertiesExt(rt::ZeDevice device, rt::ZePciProperties* out) {
  const Slot* slot = SlotOf(device);
  if (slot == nullptr || out->type != rt::ZePciProperties{}.type) return rt::kZeInvalidArgument;
  if (!slot->gpu->pci || Get(*slot->gpu, "no_pci", 0) != 0) return rt::kZeUnsupportedFeature;
  const fakes::PciBus& pci = *slot->gpu->pci;
  out->address = {pci.domain, pci.bus, pci.device, pci.function};
  return rt::kZeSuccess;
}
