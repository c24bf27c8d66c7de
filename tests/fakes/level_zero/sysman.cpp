// SPDX-License-Identifier: MIT
// The fake's system management: every GPU of the scenario, whatever the variables leave.
#include <cstddef>
#include <string>

#include "tests/fakes/level_zero/state.h"

namespace fakes::level_zero {
namespace {

bool is_started = false;

const Device* GpuOf(const void* handle) {
  for (const Device& gpu : Current().devices) {
    if (&gpu == handle) return &gpu;
  }
  return nullptr;
}

// A domain's handle is a part of its GPU's facts.
struct Domain {
  const Device* gpu = nullptr;
  bool is_memory = false;
};
Domain DomainOf(const void* handle) {
  for (const Device& gpu : Current().devices) {
    if (handle == &gpu.vendor || handle == &gpu.name) return {&gpu, handle == &gpu.vendor};
  }
  return {};
}

}  // namespace
}  // namespace fakes::level_zero

using namespace fakes::level_zero;  // NOLINT: the entry points below are C

FAKE_ZE zesInit(std::uint32_t) {
  if (GetOfDriver("no_sysman", 0) != 0) return rt::kZeUnsupportedFeature;
  is_started = true;
  return rt::kZeSuccess;
}
FAKE_ZE zesDriverGet(std::uint32_t* count, rt::ZesDriver* drivers) {
  if (!is_started) return rt::kZeUninitialized;
  return Reply(count, drivers != nullptr, 1, [&](std::uint32_t) {
    drivers[0] = reinterpret_cast<rt::ZesDriver>(const_cast<fakes::Scenario*>(&fakes::Current()));
  });
}
FAKE_ZE zesDeviceGet(rt::ZesDriver, std::uint32_t* count, rt::ZesDevice* devices) {
  const auto& gpus = fakes::Current().devices;
  return Reply(count, devices != nullptr, static_cast<std::uint32_t>(gpus.size()), [&](std::uint32_t i) {
    devices[i] = reinterpret_cast<rt::ZesDevice>(const_cast<fakes::Device*>(&gpus[i]));
  });
}
FAKE_ZE zesDevicePciGetProperties(rt::ZesDevice device, rt::ZesPciProperties* out) {
  const fakes::Device* gpu = GpuOf(device);
  if (gpu == nullptr || !gpu->pci) return rt::kZeUnsupportedFeature;
  out->address = {gpu->pci->domain, gpu->pci->bus, gpu->pci->device, gpu->pci->function};
  return rt::kZeSuccess;
}
FAKE_ZE zesDeviceEnumMemoryModules(rt::ZesDevice device, std::uint32_t* count, rt::ZesMemory* memories) {
  const fakes::Device* gpu = GpuOf(device);
  if (gpu == nullptr || !gpu->memory_free_bytes) return rt::kZeUnsupportedFeature;
  return Reply(count, memories != nullptr, 1,
               [&](std::uint32_t) { memories[0] = reinterpret_cast<rt::ZesMemory>(device); });
}
FAKE_ZE zesMemoryGetState(rt::ZesMemory memory, rt::ZesMemoryState* out) {
  const fakes::Device* gpu = GpuOf(memory);
  if (gpu == nullptr || out->type != rt::ZesMemoryState{}.type) return rt::kZeInvalidArgument;
  out->size = gpu->memory_total_bytes;
  out->free = gpu->memory_free_bytes.value_or(0);
  return rt::kZeSuccess;
}
// One domain of memory, one of the GPU.
FAKE_ZE zesDeviceEnumFrequencyDomains(rt::ZesDevice device, std::uint32_t* count, rt::ZesFrequency* domains) {
  const fakes::Device* gpu = GpuOf(device);
  if (gpu == nullptr) return rt::kZeInvalidNullHandle;
  return Reply(count, domains != nullptr, 2, [&](std::uint32_t i) {
    domains[i] =
        reinterpret_cast<rt::ZesFrequency>(const_cast<std::string*>(i == 0 ? &gpu->vendor : &gpu->name));
  });
}
FAKE_ZE zesFrequencyGetProperties(rt::ZesFrequency domain, rt::ZesFrequencyProperties* out) {
  const auto [gpu, is_memory] = DomainOf(domain);
  if (gpu == nullptr || out->type != rt::ZesFrequencyProperties{}.type) return rt::kZeInvalidArgument;
  out->domain = is_memory ? 1 : rt::kZesFrequencyGpu;
  out->most_mhz = is_memory ? 0 : gpu->clock_mhz;
  return rt::kZeSuccess;
}
FAKE_ZE zesFrequencyGetState(rt::ZesFrequency domain, rt::ZesFrequencyState* out) {
  const auto [gpu, is_memory] = DomainOf(domain);
  if (gpu == nullptr || is_memory || out->type != rt::ZesFrequencyState{}.type) return rt::kZeInvalidArgument;
  out->actual_mhz = static_cast<double>(Get(*gpu, "actual_mhz", gpu->clock_mhz));
  out->throttle_reasons = static_cast<std::uint32_t>(Get(*gpu, "throttled", 0));
  return rt::kZeSuccess;
}
FAKE_ZE zesDriverGetDeviceByUuidExp(rt::ZesDriver, rt::ZeUuid uuid, rt::ZesDevice* device,
                                    std::uint8_t* is_part, std::uint32_t* part) {
  for (const fakes::Device& gpu : fakes::Current().devices) {
    rt::ZeUuid whole = uuid;
    rt::ZeUuid own = gpu.uuid;
    own.back() = whole.back() = 0;
    if (whole != own || uuid.back() > gpu.partitions.size()) continue;
    *device = reinterpret_cast<rt::ZesDevice>(const_cast<fakes::Device*>(&gpu));
    *is_part = uuid.back() != 0 ? 1 : 0;
    *part = uuid.back() != 0 ? uuid.back() - 1U : 0;
    return rt::kZeSuccess;
  }
  return rt::kZeInvalidArgument;
}
