// SPDX-License-Identifier: MIT
#include "tests/fakes/metal/device.h"

#include "tests/fakes/common/misbehave.h"

namespace fakes::metal {
namespace {

[[gnu::constructor]] void OnLoad() { ReachLoad(); }
[[gnu::destructor]] void OnUnload() { fakes::ReachTeardown(); }

rt::Id ArchitectureName(Object*, Sel) { return Autorelease(NewString("applegpu_g13g")); }
ClassObject& ArchitectureClass() {
  static auto* const type = new ClassObject("MTLArchitecture", {{"name", Of(ArchitectureName)}});
  return *type;
}

rt::Id Name(DeviceObject* device, Sel) {
  if (fakes::Reach(Point::kProperties, device->index)) return nullptr;
  return Autorelease(NewString(device->scenario.name));
}
rt::Id Architecture(DeviceObject*, Sel) { return Autorelease(new Object(&ArchitectureClass())); }
std::uint64_t RegistryId(DeviceObject* device, Sel) { return 0x1000002a0 + device->index; }
UInteger LocationNumber(DeviceObject* device, Sel) { return device->index; }
Boolean HasUnifiedMemory(DeviceObject* device, Sel) { return device->scenario.unified_memory ? 1 : 0; }
UInteger WorkingSet(DeviceObject* device, Sel) { return device->scenario.memory_total_bytes; }
UInteger MaxBuffer(DeviceObject* device, Sel) { return device->scenario.max_buffer_bytes; }
MtlSize MaxGroup(DeviceObject* device, Sel) {
  const UInteger most = device->scenario.max_workgroup_size;
  return {most, most, most};
}
UInteger MaxGroupMemory(DeviceObject* device, Sel) { return device->scenario.shared_memory_bytes; }
UInteger Location(DeviceObject* device, Sel) {
  return static_cast<UInteger>(Get(device->scenario, "location", 0));
}
Boolean Flag(const DeviceObject* device, const char* attribute) {
  return static_cast<Boolean>(Get(device->scenario, attribute, 0));
}
Boolean IsLowPower(DeviceObject* device, Sel) { return Flag(device, "low_power"); }
Boolean IsHeadless(DeviceObject* device, Sel) { return Flag(device, "headless"); }
Boolean IsRemovable(DeviceObject* device, Sel) { return Flag(device, "removable"); }
Boolean SupportsFamily(DeviceObject* device, Sel, Integer family) {
  const auto apple = Get(device->scenario, "apple_family", 7);
  if (family > 1000 && family < 2000) return family - 1000 <= apple ? 1 : 0;
  if (family == rt::kMtlGpuFamilyMac2) return apple >= 7 ? 1 : Flag(device, "mac2");
  if (family == rt::kMtlGpuFamilyMetal3) return apple >= 7 ? 1 : 0;
  return family == rt::kMtlGpuFamilyMetal4 ? Flag(device, "metal4") : 0;
}

ClassObject& DeviceClass() {
  static auto* const type = [] {
    auto* made =
        new ClassObject("MTLDevice", {{"name", Of(Name)},
                                      {"registryID", Of(RegistryId)},
                                      {"location", Of(Location)},
                                      {"locationNumber", Of(LocationNumber)},
                                      {"hasUnifiedMemory", Of(HasUnifiedMemory)},
                                      {"supportsFamily:", Of(SupportsFamily)},
                                      {"isLowPower", Of(IsLowPower)},
                                      {"isHeadless", Of(IsHeadless)},
                                      {"isRemovable", Of(IsRemovable)},
                                      {"maxThreadgroupMemoryLength", Of(MaxGroupMemory)},
                                      {"maxThreadsPerThreadgroup", Of(MaxGroup)},
                                      {"newCommandQueue", Of(NewQueue)},
                                      {"newBufferWithLength:options:", Of(NewBuffer)},
                                      {"newLibraryWithSource:options:error:", Of(NewLibrary)},
                                      {"newComputePipelineStateWithFunction:error:", Of(NewPipeline)}});
    if (Macos() >= kMacosOfBfloat) made->methods["architecture"] = Of(Architecture);
    if (GetOfDriver("tells_no_sizes", 0) == 0) {
      made->methods["recommendedMaxWorkingSetSize"] = Of(WorkingSet);
      made->methods["maxBufferLength"] = Of(MaxBuffer);
    }
    return made;
  }();
  return *type;
}

void* Contents(BufferObject* buffer, Sel) {
  return buffer->shared ? MemoryAt(buffer->address).data() : nullptr;
}
ClassObject& BufferClass() {
  static auto* const type = new ClassObject("MTLBuffer", {{"contents", Of(Contents)}});
  return *type;
}

// The devices are the system's: it holds them as long as it lives.
const std::vector<Object*>& AllDevices() {
  static const auto* const all = [] {
    auto* made = new std::vector<Object*>;
    for (std::uint32_t i = 0; i < Current().devices.size(); ++i)
      made->push_back(new DeviceObject(&DeviceClass(), Current().devices[i], i));
    return made;
  }();
  return *all;
}

}  // namespace

BufferObject::BufferObject(DeviceObject& given_device, DeviceAddress given_address, std::uint64_t given_bytes,
                           bool given_shared)
    : Object(&BufferClass()),
      device(given_device),
      address(given_address),
      bytes(given_bytes),
      shared(given_shared) {}
void BufferObject::Empty() {
  fakes::ReachTeardown(device.index);
  if (!ReleaseMemory(address)) Die("a buffer's memory is gone already");
}

rt::Id NewBuffer(DeviceObject* device, Sel, UInteger bytes, UInteger options) {
  const Device& scenario = device->scenario;
  if (fakes::Reach(Point::kAllocate, device->index) || bytes == 0 || bytes > scenario.max_buffer_bytes ||
      bytes > scenario.allocation_limit_bytes.value_or(UINT64_MAX) ||
      ReservedBytes(device->index) + bytes > scenario.memory_total_bytes) {
    return nullptr;
  }
  const DeviceAddress address = ReserveMemory(bytes, device->index);
  if (address == 0) return nullptr;
  return IdOf(new BufferObject(*device, address, bytes, options == rt::kMtlResourceStorageModeShared));
}

std::int64_t Get(const Device& device, const std::string& attribute, std::int64_t otherwise) {
  const auto found = device.attributes.find(attribute);
  return found == device.attributes.end() ? otherwise : found->second;
}
std::int64_t Macos() {
  constexpr std::int64_t kFirst = 11, kDefault = 15;
  const auto macos = GetOfDriver("macos", kDefault);
  if (macos < kFirst) Die("a macOS of which nobody asks for anything");
  return macos;
}
std::int64_t GetOfDriver(const std::string& attribute, std::int64_t otherwise) {
  const auto found = Current().attributes.find(attribute);
  return found == Current().attributes.end() ? otherwise : found->second;
}

}  // namespace fakes::metal

using namespace fakes::metal;  // NOLINT: the entry points below are C

FAKE_METAL rt::Id MTLCopyAllDevices() {
  if (fakes::Reach(fakes::Point::kInit) || fakes::Reach(fakes::Point::kEnumerate)) return nullptr;
  Object* array = NewArray({});
  for (Object* device : AllDevices()) Add(array, device);
  return IdOf(array);
}

// For tests: how often devices are held beside the system.
FAKE_METAL long fake_metal_devices_held() {
  long held = 0;
  for (const Object* device : AllDevices()) held += device->references - 1;
  return held;
}
// How many the system itself has.
FAKE_METAL long fake_metal_devices() { return static_cast<long>(AllDevices().size()); }
