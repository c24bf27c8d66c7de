// SPDX-License-Identifier: MIT
// A fake libamdhip64: initialisation and what it says of its devices.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/hip/state.h"

namespace fakes::hip {
namespace {

[[gnu::constructor]] void OnLoad() { ReachLoad(); }
[[gnu::destructor]] void OnUnload() { fakes::ReachTeardown(); }

int current = 0;

struct AttributeRow {
  int number;
  const char* attribute;
  std::int64_t otherwise;
};
constexpr AttributeRow kAttributes[] = {
    {rt::kHipIntegrated, "integrated", 0},
    {rt::kHipEccEnabled, "ecc", 0},
    {rt::kHipMemoryBusBits, "memory_bus_bits", 384},
    {rt::kHipL2Bytes, "l2_bytes", 4 << 20},
    {rt::kHipLargeBar, "large_bar", 1},
    {rt::kHipManagedMemory, "managed_memory", 1},
    {rt::kHipRegistersPerBlock, "registers_per_block", 65536},
    {rt::kHipSharedMemoryPerBlock, "shared_memory_per_block", 65536},
    {rt::kHipThreadsPerMultiprocessor, "threads_per_multiprocessor", 2048},
};

// What depends on several facts of a device.
std::optional<std::int64_t> Computed(int attribute, const Slot& slot) {
  const std::int64_t units = slot.self().compute_units;
  switch (attribute) {
    case rt::kHipMaxThreadsPerBlock:
      return slot.gpu->max_workgroup_size;
    case rt::kHipWarpSize:
      return IsRdna(slot) ? 32 : 64;
    case rt::kHipClockKhz:
      return std::int64_t{slot.gpu->clock_mhz} * 1000;
    case rt::kHipMemoryClockKhz:
      return Get(*slot.gpu, "memory_clock_mhz", 1250) * 1000;
    case rt::kHipPhysicalMultiprocessors:  // pairs of units on RDNA, as AMD's says
    case rt::kHipMultiprocessors:
      return IsRdna(slot) ? std::max<std::int64_t>(units / 2, 1) : units;
    default:
      return std::nullopt;
  }
}

int WriteTarget(rt::HipProperties* properties, int device, std::size_t offset) {
  const Slot* slot = SlotAt(device);
  if (slot == nullptr) return kInvalidDevice;
  std::memset(properties->bytes.data(), 0, offset + rt::kHipArchitectureBytes);
  std::snprintf(properties->bytes.data(), 256, "%s", slot->self().name.c_str());
  const bool moved = GetOfDriver("target_garbage", 0) != 0;
  const std::string target = TargetOf(*slot) + (IsRdna(*slot) ? "" : ":sramecc+:xnack-");
  std::memcpy(properties->bytes.data() + offset + (moved ? 64 : 0), target.c_str(), target.size() + 1);
  return kSuccess;
}

}  // namespace

const Slot* SlotAt(int device) {
  const auto index = static_cast<std::size_t>(device);
  return device >= 0 && index < Visible().size() ? &Visible()[index] : nullptr;
}

const Slot* CurrentSlot() { return SlotAt(current); }
void SetCurrent(int device) { current = device; }

int& Broken() {
  static int code = kSuccess;
  return code;
}

int& LastError() {
  static int code = kSuccess;
  return code;
}

int Usable(Point point) {
  if (CurrentSlot() == nullptr) return kNoDevice;
  if (Broken() != kSuccess) return Broken();
  return Reach(point, CurrentSlot()->index).value_or(kSuccess);
}

}  // namespace fakes::hip

using namespace fakes::hip;  // NOLINT: the entry points below are C
using fakes::Point;

FAKE_HIP hipInit(unsigned int) {
  if (const auto error = fakes::Reach(Point::kInit)) return *error;
  return kSuccess;  // also without a device
}
FAKE_HIP hipRuntimeGetVersion(int* version) {
  *version = static_cast<int>(GetOfDriver("hip_version", 60241133));
  return kSuccess;
}
FAKE_HIP hipGetDeviceCount(int* count) {
  *count = static_cast<int>(Visible().size());
  if (const auto error = fakes::Reach(Point::kEnumerate)) return *error;
  return *count == 0 ? kNoDevice : kSuccess;
}
FAKE_HIP hipSetDevice(int device) {
  if (SlotAt(device) == nullptr) return Fail(kInvalidDevice);
  SetCurrent(device);
  return Usable(Point::kCreate);
}
FAKE_HIP hipDeviceGet(rt::HipDevice* device, int ordinal) {
  *device = ordinal;
  return SlotAt(ordinal) == nullptr ? kInvalidDevice : kSuccess;
}
FAKE_HIP hipDeviceGetName(char* name, int bytes, rt::HipDevice device) {
  const Slot* slot = SlotAt(device);
  if (slot == nullptr) return Fail(kInvalidDevice);
  if (const auto error = fakes::Reach(Point::kProperties, slot->index)) return *error;
  std::snprintf(name, static_cast<std::size_t>(bytes), "%s", slot->gpu->name.c_str());
  return kSuccess;
}
FAKE_HIP hipDeviceGetAttribute(int* value, int attribute, int device) {
  const Slot* slot = SlotAt(device);
  if (slot == nullptr) return Fail(kInvalidDevice);
  if (const auto known = Computed(attribute, *slot)) {
    *value = static_cast<int>(*known);
    return kSuccess;
  }
  for (const AttributeRow& row : kAttributes) {
    if (row.number != attribute) continue;
    *value = static_cast<int>(Get(*slot->gpu, row.attribute, row.otherwise));
    return kSuccess;
  }
  return Fail(kInvalidValue);
}
FAKE_HIP hipDeviceTotalMem(std::size_t* bytes, rt::HipDevice device) {
  if (SlotAt(device) == nullptr) return Fail(kInvalidDevice);
  *bytes = SlotAt(device)->self().memory_total_bytes;
  return kSuccess;
}
FAKE_HIP hipDeviceGetPCIBusId(char* text, int bytes, int device) {
  if (SlotAt(device) == nullptr) return Fail(kInvalidDevice);
  // The function is always 0, as in AMD's.
  const fakes::PciBus pci = SlotAt(device)->gpu->pci.value_or(fakes::PciBus{});
  std::snprintf(text, static_cast<std::size_t>(bytes), "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
  return kSuccess;
}
FAKE_HIP hipDeviceGetUuid(rt::HipUuid* uuid, rt::HipDevice device) {
  if (SlotAt(device) == nullptr) return Fail(kInvalidDevice);
  const std::string digits = UuidDigits(*SlotAt(device));
  std::copy(digits.begin(), digits.end(), uuid->bytes.begin());
  return kSuccess;
}
FAKE_HIP hipGetDeviceProperties(rt::HipProperties* properties, int device) {
  return WriteTarget(properties, device, rt::kHipArchitectureOffset5);
}
FAKE_HIP hipGetDevicePropertiesR0600(rt::HipProperties* properties, int device) {
  return WriteTarget(properties, device, rt::kHipArchitectureOffset6);
}
FAKE_HIP hipDeviceCanAccessPeer(int* can, int device, int peer) {
  if (SlotAt(device) == nullptr || SlotAt(peer) == nullptr) return Fail(kInvalidDevice);
  *can = Get(*SlotAt(device)->gpu, "peers", 0) > 0 && Get(*SlotAt(peer)->gpu, "peers", 0) > 0 ? 1 : 0;
  return kSuccess;
}
FAKE_HIP hipGetLastError() { return std::exchange(LastError(), kSuccess); }
FAKE_HIP hipDeviceSynchronize() { return CurrentSlot() == nullptr ? kNoDevice : Broken(); }
