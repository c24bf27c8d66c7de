// SPDX-License-Identifier: MIT
// A fake libcuda.so.1: initialisation and what it says of its devices.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/cuda/state.h"

namespace fakes::cuda {
namespace {

[[gnu::constructor]] void OnLoad() { ReachLoad(); }
[[gnu::destructor]] void OnUnload() { fakes::ReachTeardown(); }

bool initialised = false;

const Slot* At(nv::CuDevice device) {
  const auto index = static_cast<std::size_t>(device);
  return device >= 0 && index < Visible().size() ? &Visible()[index] : nullptr;
}

struct AttributeRow {
  int number;
  const char* attribute;
  std::int64_t otherwise;
};
constexpr AttributeRow kAttributes[] = {
    {nv::kCuIntegrated, "integrated", 0},
    {nv::kCuComputeMode, "compute_mode", 0},
    {nv::kCuKernelTimeout, "kernel_timeout", 0},
    {nv::kCuEccEnabled, "ecc", 1},
    {nv::kCuMemoryBusBits, "memory_bus_bits", 5120},
    {nv::kCuL2Bytes, "l2_bytes", 4 << 20},
    {nv::kCuRegistersPerBlock, "registers_per_block", 65536},
    {nv::kCuThreadsPerMultiprocessor, "threads_per_multiprocessor", 2048},
    {nv::kCuSharedMemoryPerBlock, "shared_memory_per_block", 49152},
    {nv::kCuSharedMemoryPerBlockOptin, "shared_memory_per_block_optin", 232448},
    {nv::kCuSharedMemoryPerMultiprocessor, "shared_memory_per_multiprocessor", 233472},
};

int UuidOf(nv::CuUuid* uuid, const Device& device) {
  std::copy(device.uuid.begin(), device.uuid.end(), uuid->bytes.begin());
  return kSuccess;
}

}  // namespace

int Ready(Point point, std::optional<std::uint32_t> device) {
  if (!initialised) return kNotInitialised;
  return Reach(point, device).value_or(kSuccess);
}

const Slot* SlotOf(nv::CuDevice device) { return At(device); }

}  // namespace fakes::cuda

using namespace fakes::cuda;  // NOLINT: the entry points below are C
using fakes::Point;

FAKE_CUDA cuInit(unsigned int) {
  if (const auto error = fakes::Reach(Point::kInit)) return *error;
  std::this_thread::sleep_for(std::chrono::seconds(GetOfDriver("init_s", 0)));
  if (Visible().empty() && GetOfDriver("starts_empty", 0) == 0) return kNoDevice;
  initialised = true;
  return kSuccess;
}
FAKE_CUDA cuDriverGetVersion(int* version) {
  *version = static_cast<int>(GetOfDriver("driver_cuda", 13000));
  return kSuccess;
}
FAKE_CUDA cuDeviceGetCount(int* count) {
  *count = GetOfDriver("starts_empty", 0) == 0 ? static_cast<int>(Visible().size()) : 0;
  return Ready(Point::kEnumerate, std::nullopt);
}
FAKE_CUDA cuDeviceGet(nv::CuDevice* device, int ordinal) {
  *device = ordinal;
  return At(ordinal) == nullptr ? kInvalidDevice : kSuccess;
}
FAKE_CUDA cuDeviceGetName(char* name, int bytes, nv::CuDevice device) {
  if (At(device) == nullptr) return kInvalidDevice;
  if (const int code = Ready(Point::kProperties, At(device)->index); code != kSuccess) return code;
  std::snprintf(name, static_cast<std::size_t>(bytes), "%s", At(device)->gpu->name.c_str());
  return kSuccess;
}
FAKE_CUDA cuDeviceGetAttribute(int* value, int attribute, nv::CuDevice id) {
  const Slot* slot = At(id);
  if (slot == nullptr) return kInvalidDevice;
  const auto capability = static_cast<int>(Get(*slot->gpu, "capability", 90));
  switch (attribute) {
    case nv::kCuMaxThreadsPerBlock:
      *value = static_cast<int>(slot->gpu->max_workgroup_size);
      return kSuccess;
    case nv::kCuWarpSize:
      *value = 32;
      return kSuccess;
    case nv::kCuClockKhz:
      *value = static_cast<int>(slot->gpu->clock_mhz * 1000);
      return kSuccess;
    case nv::kCuMemoryClockKhz:
      *value = static_cast<int>(Get(*slot->gpu, "memory_clock_mhz", 2000)) * 1000;
      return kSuccess;
    case nv::kCuMultiprocessors:
      *value = static_cast<int>(slot->self().compute_units);
      return kSuccess;
    case nv::kCuCapabilityMajor:
      *value = capability / 10;
      return kSuccess;
    case nv::kCuCapabilityMinor:
      *value = capability % 10;
      return kSuccess;
    default:
      break;
  }
  for (const AttributeRow& row : kAttributes) {
    if (row.number != attribute) continue;
    *value = static_cast<int>(Get(*slot->gpu, row.attribute, row.otherwise));
    return kSuccess;
  }
  return kInvalidValue;
}
FAKE_CUDA cuDeviceTotalMem_v2(std::size_t* bytes, nv::CuDevice device) {
  if (At(device) == nullptr) return kInvalidDevice;
  *bytes = At(device)->self().memory_total_bytes;
  return kSuccess;
}
FAKE_CUDA cuDeviceGetPCIBusId(char* text, int bytes, nv::CuDevice device) {
  if (At(device) == nullptr) return kInvalidDevice;
  const fakes::PciBus pci = At(device)->gpu->pci.value_or(fakes::PciBus{});
  std::snprintf(text, static_cast<std::size_t>(bytes), "%04x:%02x:%02x.%x", pci.domain, pci.bus, pci.device,
                pci.function);
  return kSuccess;
}
FAKE_CUDA cuDeviceGetUuid(nv::CuUuid* uuid, nv::CuDevice device) {
  return At(device) == nullptr ? kInvalidDevice : UuidOf(uuid, *At(device)->gpu);
}
FAKE_CUDA cuDeviceGetUuid_v2(nv::CuUuid* uuid, nv::CuDevice device) {
  return At(device) == nullptr ? kInvalidDevice : UuidOf(uuid, At(device)->self());
}
FAKE_CUDA cuDeviceCanAccessPeer(int* can, nv::CuDevice device, nv::CuDevice peer) {
  if (At(device) == nullptr || At(peer) == nullptr) return kInvalidDevice;
  *can = Get(*At(device)->gpu, "nvlinks", 0) > 0 && Get(*At(peer)->gpu, "nvlinks", 0) > 0 ? 1 : 0;
  return kSuccess;
}
