// SPDX-License-Identifier: MIT
// A fake libnvidia-ml.so.1. A device handle is a place in Handles().
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "probe/cuda/cuda_declarations.h"
#include "tests/fakes/cuda/machine.h"

namespace fakes::cuda {
namespace {

namespace nv = probe::cuda;

constexpr int kSuccess = 0;
constexpr int kInvalid = 2;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;

std::vector<Slot>& Handles() {
  static std::vector<Slot> handles;
  return handles;
}

nv::NvmlDevice Handle(const Slot& slot) {
  Handles().reserve(4096);
  Handles().push_back(slot);
  return reinterpret_cast<nv::NvmlDevice>(&Handles().back());
}

const Slot& Of(nv::NvmlDevice device) { return *reinterpret_cast<const Slot*>(device); }

int Text(const std::string& from, char* to, unsigned int bytes) {
  if (from.size() + 1 > bytes) return kInsufficientSize;
  std::memcpy(to, from.c_str(), from.size() + 1);
  return kSuccess;
}

// A figure that the scenario must give to be supported.
int Figure(nv::NvmlDevice device, const char* attribute, unsigned int* value) {
  const auto found = Of(device).gpu->attributes.find(attribute);
  if (found == Of(device).gpu->attributes.end() || Of(device).instance != nullptr) return kNotSupported;
  *value = static_cast<unsigned int>(found->second);
  return kSuccess;
}

}  // namespace
}  // namespace fakes::cuda

using namespace fakes::cuda;  // NOLINT: the entry points below are C
namespace nvd = probe::cuda;

#define FAKE_NVML extern "C" [[gnu::visibility("default")]] int

FAKE_NVML nvmlInit_v2() { return static_cast<int>(GetOfDriver("nvml_init", 0)); }
FAKE_NVML nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = static_cast<unsigned int>(ByAddress().size());
  return static_cast<int>(GetOfDriver("nvml_count", 0));
}
FAKE_NVML nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvd::NvmlDevice* device) {
  if (index >= ByAddress().size()) return kInvalid;
  if (GetOfDriver("nvml_by_index", 1) == 0) return kNotSupported;
  if (const auto code = Get(*ByAddress()[index].gpu, "nvml_handle", 0); code != kSuccess)
    return static_cast<int>(code);
  *device = Handle(ByAddress()[index]);
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetHandleByPciBusId_v2(const char* address, nvd::NvmlDevice* device) {
  unsigned int domain = 0, bus = 0, number = 0;
  if (std::sscanf(address, "%x:%x:%x", &domain, &bus, &number) != 3) return kInvalid;
  if (GetOfDriver("nvml_by_address", 1) == 0) return kNotSupported;
  for (const Slot& slot : ByAddress()) {
    const auto& pci = slot.gpu->pci;
    if (!pci || pci->domain != domain || pci->bus != bus || pci->device != number) continue;
    *device = Handle(slot);
    return kSuccess;
  }
  return kNotFound;
}
FAKE_NVML nvmlDeviceGetUUID(nvd::NvmlDevice device, char* text, unsigned int bytes) {
  return Text(UuidText(Of(device)), text, bytes);
}
FAKE_NVML nvmlSystemGetDriverVersion(char* text, unsigned int bytes) {
  return Text(fakes::Current().driver_version, text, bytes);
}
FAKE_NVML nvmlDeviceGetName(nvd::NvmlDevice device, char* text, unsigned int bytes) {
  return Text(Of(device).gpu->name, text, bytes);
}
FAKE_NVML nvmlDeviceGetPciInfo_v3(nvd::NvmlDevice device, nvd::NvmlPci* pci) {
  const fakes::PciBus bus = Of(device).gpu->pci.value_or(fakes::PciBus{});
  *pci = {};
  pci->domain = bus.domain;
  pci->bus = bus.bus;
  pci->device = bus.device;
  pci->pci_device_id =
      static_cast<unsigned int>(Get(*Of(device).gpu, "pci_device_id", 0x2335)) << 16U | 0x10deU;
  std::snprintf(pci->bus_id.data(), pci->bus_id.size(), "%08X:%02X:%02X.0", bus.domain, bus.bus, bus.device);
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetMemoryInfo(nvd::NvmlDevice device, nvd::NvmlMemory* memory) {
  const fakes::Device& self = Of(device).self();
  if (Get(self, "nvml_memory", 1) == 0) return kNotSupported;
  memory->total = self.memory_total_bytes;
  memory->free = self.memory_free_bytes.value_or(self.memory_total_bytes);
  memory->used = memory->total - memory->free;
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetUtilizationRates(nvd::NvmlDevice device, nvd::NvmlUtilization* rates) {
  *rates = {};
  return Figure(device, "utilization", &rates->gpu);
}
FAKE_NVML nvmlDeviceGetClockInfo(nvd::NvmlDevice device, unsigned int, unsigned int* mhz) {
  *mhz = static_cast<unsigned int>(Get(*Of(device).gpu, "clock_now_mhz", Of(device).gpu->clock_mhz));
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetMaxClockInfo(nvd::NvmlDevice device, unsigned int type, unsigned int* mhz) {
  if (type == nvd::kNvmlClockMemory) return Figure(device, "memory_clock_mhz", mhz);
  *mhz = Of(device).gpu->clock_mhz;
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetEnforcedPowerLimit(nvd::NvmlDevice device, unsigned int* mw) {
  return Figure(device, "power_limit_mw", mw);
}
FAKE_NVML nvmlDeviceGetPowerUsage(nvd::NvmlDevice device, unsigned int* mw) {
  return Figure(device, "power_mw", mw);
}
FAKE_NVML nvmlDeviceGetTemperature(nvd::NvmlDevice device, unsigned int sensor, unsigned int* celsius) {
  if (sensor != nvd::kNvmlTemperatureGpu) return kNotSupported;
  return Figure(device, "temperature_c", celsius);
}
FAKE_NVML nvmlDeviceGetPowerManagementDefaultLimit(nvd::NvmlDevice device, unsigned int* mw) {
  return Figure(device, "power_limit_default_mw", mw);
}
FAKE_NVML nvmlDeviceGetCurrentClocksThrottleReasons(nvd::NvmlDevice device, unsigned long long* reasons) {
  *reasons = static_cast<unsigned long long>(Get(*Of(device).gpu, "throttle_reasons", 0));
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetComputeRunningProcesses(nvd::NvmlDevice device, unsigned int* count, void*) {
  const unsigned int space = *count;
  const auto processes = Get(Of(device).self(), "processes", -1);
  if (processes < 0) return kNotSupported;
  *count = static_cast<unsigned int>(processes);
  return *count > space ? kInsufficientSize : kSuccess;
}
FAKE_NVML nvmlDeviceGetNvLinkState(nvd::NvmlDevice device, unsigned int link, unsigned int* active) {
  unsigned int links = 0;
  if (const int code = Figure(device, "nvlinks", &links); code != kSuccess) return code;
  if (link >= Get(*Of(device).gpu, "nvlink_places", 18)) return kInvalid;
  *active = link < links ? 1 : 0;
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetPersistenceMode(nvd::NvmlDevice device, unsigned int* enabled) {
  return Figure(device, "persistence", enabled);
}
FAKE_NVML nvmlDeviceGetMigMode(nvd::NvmlDevice device, unsigned int* current, unsigned int* pending) {
  *current = *pending = Of(device).gpu->partitions.empty() && Get(*Of(device).gpu, "mig", 0) == 0 ? 0 : 1;
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetMaxMigDeviceCount(nvd::NvmlDevice, unsigned int* count) {
  *count = 7;
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetMigDeviceHandleByIndex(nvd::NvmlDevice device, unsigned int index,
                                              nvd::NvmlDevice* instance) {
  const Slot slot = Of(device);
  if (index >= slot.gpu->partitions.size()) return kNotFound;
  *instance = Handle({slot.gpu, &slot.gpu->partitions[index], slot.index});
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetGpuInstanceId(nvd::NvmlDevice instance, unsigned int* id) {
  *id = static_cast<unsigned int>(Get(Of(instance).self(), "gpu_instance", 0));
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetComputeInstanceId(nvd::NvmlDevice instance, unsigned int* id) {
  *id = static_cast<unsigned int>(Get(Of(instance).self(), "compute_instance", 0));
  return kSuccess;
}
FAKE_NVML nvmlDeviceGetAttributes_v2(nvd::NvmlDevice instance, nvd::NvmlAttributes* attributes) {
  *attributes = {};
  attributes->multiprocessors = Of(instance).self().compute_units;
  attributes->memory_mib = Of(instance).self().memory_total_bytes >> 20U;
  return kSuccess;
}
