// SPDX-License-Identifier: MIT
// The fake's system management: every GPU of the scenario, whatever the variables leave.
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

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

// A domain's handle is a part of the facts of its GPU or of that one's tile.
struct Domain {
  const Device* gpu = nullptr;  // or the tile
  bool is_memory = false;
  std::optional<std::uint32_t> tile;
  double most_mhz = 0;
};
Domain DomainOf(const void* handle) {
  for (const Device& gpu : Current().devices) {
    const double most = gpu.clock_mhz;
    if (handle == &gpu.vendor || handle == &gpu.name) return {&gpu, handle == &gpu.vendor, {}, most};
    for (std::uint32_t i = 0; i < gpu.partitions.size(); ++i) {
      if (handle == &gpu.partitions[i].name) return {&gpu.partitions[i], false, i, most};
    }
  }
  return {};
}

}  // namespace
}  // namespace fakes::level_zero

using namespace fakes::level_zero;  // NOLINT: the entry points below are C

FAKE_ZE zesInit(std::uint32_t) {
  // Started by zeInit then, and not to be started anew.
  const char* inside = std::getenv("ZES_ENABLE_SYSMAN");
  if (inside != nullptr && std::string(inside) != "0") return rt::kZeUninitialized;
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
  out->size =
      static_cast<std::uint64_t>(Get(*gpu, "card_bytes", static_cast<std::int64_t>(gpu->memory_total_bytes)));
  out->free = gpu->memory_free_bytes.value_or(0);
  return rt::kZeSuccess;
}
// One domain of memory, one of the GPU or of each of its tiles.
FAKE_ZE zesDeviceEnumFrequencyDomains(rt::ZesDevice device, std::uint32_t* count, rt::ZesFrequency* domains) {
  const fakes::Device* gpu = GpuOf(device);
  if (gpu == nullptr) return rt::kZeInvalidNullHandle;
  std::vector<const std::string*> handles = {&gpu->vendor};
  for (const fakes::Device& tile : gpu->partitions) handles.push_back(&tile.name);
  if (gpu->partitions.empty()) handles.push_back(&gpu->name);
  return Reply(count, domains != nullptr, static_cast<std::uint32_t>(handles.size()), [&](std::uint32_t i) {
    domains[i] = reinterpret_cast<rt::ZesFrequency>(const_cast<std::string*>(handles[i]));
  });
}
FAKE_ZE zesFrequencyGetProperties(rt::ZesFrequency domain, rt::ZesFrequencyProperties* out) {
  const auto [gpu, is_memory, tile, most_mhz] = DomainOf(domain);
  if (gpu == nullptr || out->type != rt::ZesFrequencyProperties{}.type) return rt::kZeInvalidArgument;
  out->domain = is_memory ? 1 : rt::kZesFrequencyGpu;
  out->is_part = tile ? 1 : 0;
  out->part = tile.value_or(0);
  out->most_mhz = is_memory ? 0 : most_mhz;
  return rt::kZeSuccess;
}
FAKE_ZE zesFrequencyGetState(rt::ZesFrequency domain, rt::ZesFrequencyState* out) {
  const auto [gpu, is_memory, tile, most_mhz] = DomainOf(domain);
  if (gpu == nullptr || is_memory || out->type != rt::ZesFrequencyState{}.type) return rt::kZeInvalidArgument;
  out->actual_mhz = static_cast<double>(Get(*gpu, "actual_mhz", static_cast<std::int64_t>(most_mhz)));
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
