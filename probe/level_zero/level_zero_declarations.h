// SPDX-License-Identifier: MIT
// The few declarations of oneAPI Level Zero that are called. Names, numbers and layouts are those of the
// specification 1.17 (github.com/oneapi-src/level-zero, include/ze_api.h and zes_api.h); tests/abi compares
// them with an installed header. A structure begins with its type and a pointer to extensions, by which
// later versions add to it: its own layout stays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace probe::level_zero {

using ZeResult = std::uint32_t;
using ZeDriver = struct ZeDriverTag*;
using ZeDevice = struct ZeDeviceTag*;
using ZeContext = struct ZeContextTag*;
using ZeQueue = struct ZeQueueTag*;
using ZeList = struct ZeListTag*;
using ZeFence = struct ZeFenceTag*;
using ZeEventPool = struct ZeEventPoolTag*;
using ZeEvent = struct ZeEventTag*;
using ZeModule = struct ZeModuleTag*;
using ZeBuildLog = struct ZeBuildLogTag*;
using ZeKernel = struct ZeKernelTag*;
using ZesDriver = struct ZesDriverTag*;
using ZesDevice = struct ZesDeviceTag*;
using ZesMemory = struct ZesMemoryTag*;
using ZesFrequency = struct ZesFrequencyTag*;
using ZeUuid = std::array<std::uint8_t, 16>;

inline constexpr ZeResult kZeSuccess = 0;
inline constexpr ZeResult kZeNotReady = 1;
inline constexpr ZeResult kZeDeviceLost = 0x70000001;
inline constexpr ZeResult kZeOutOfHostMemory = 0x70000002;
inline constexpr ZeResult kZeOutOfDeviceMemory = 0x70000003;
inline constexpr ZeResult kZeModuleBuildFailure = 0x70000004;
inline constexpr ZeResult kZeInsufficientPermissions = 0x70010000;
inline constexpr ZeResult kZeUninitialized = 0x78000001;
inline constexpr ZeResult kZeUnsupportedFeature = 0x78000003;
inline constexpr ZeResult kZeInvalidArgument = 0x78000004;
inline constexpr ZeResult kZeInvalidNullHandle = 0x78000005;
inline constexpr ZeResult kZeUnsupportedSize = 0x78000009;
inline constexpr ZeResult kZeInvalidKernelName = 0x78000011;
inline constexpr ZeResult kZeInvalidGroupSize = 0x78000013;
inline constexpr ZeResult kZeInvalidArgumentIndex = 0x78000015;
inline constexpr ZeResult kZeInvalidArgumentSize = 0x78000016;

inline constexpr std::uint32_t kZeInitGpuOnly = 1;
inline constexpr std::uint32_t kZeInitDriverGpu = 1;
enum ZeDeviceType : int { kZeGpu = 1, kZeCpu = 2 };
inline constexpr std::uint32_t kZeIntegrated = 1;
inline constexpr std::uint32_t kZeErrorCorrection = 4;
inline constexpr std::uint32_t kZeModuleFp16 = 1;
inline constexpr std::uint32_t kZeModuleFp64 = 2;
inline constexpr std::uint32_t kZeModuleDp4a = 8;
inline constexpr std::uint32_t kZeQueueCompute = 1;
inline constexpr std::uint32_t kZeQueueCopy = 2;
inline constexpr int kZeQueueAsynchronous = 2;
inline constexpr std::uint32_t kZeEventHostVisible = 1;
inline constexpr std::uint32_t kZeEventTimestamps = 4;
inline constexpr std::uint32_t kZeScopeHost = 4;
inline constexpr int kZeSpirv = 0;
inline constexpr int kZesFrequencyGpu = 0;
// Why a clock is held back, zes_freq_throttle_reason_flags_t.
inline constexpr std::uint32_t kZesAveragePowerCap = 1;
inline constexpr std::uint32_t kZesBurstPowerCap = 2;
inline constexpr std::uint32_t kZesCurrentLimit = 4;
inline constexpr std::uint32_t kZesThermalLimit = 8;
inline constexpr std::uint32_t kZesSupplyAlert = 16;

struct ZeDriverProperties {
  std::uint32_t type = 0x1;
  void* next = nullptr;
  ZeUuid uuid{};
  std::uint32_t version = 0;
};
struct ZeDriverTypes {
  std::uint32_t type = 0x00020021;
  const void* next = nullptr;
  std::uint32_t flags = kZeInitDriverGpu;
};
struct ZeExtension {
  std::array<char, 256> name;
  std::uint32_t version;
};
struct ZeDeviceProperties {
  std::uint32_t type = 0x00020006;  // since 1.2: the timer's resolution is in cycles a second
  void* next = nullptr;
  int kind = 0;
  std::uint32_t vendor = 0, device = 0;
  std::uint32_t flags = 0;
  std::uint32_t subdevice = 0;
  std::uint32_t clock_mhz = 0;
  std::uint64_t max_allocation = 0;
  std::uint32_t max_contexts = 0;
  std::uint32_t max_priority = 0;
  std::uint32_t threads_per_eu = 0, simd_width = 0, eus_per_subslice = 0, subslices_per_slice = 0, slices = 0;
  std::uint64_t timer_hz = 0;
  std::uint32_t timestamp_bits = 0;
  std::uint32_t kernel_timestamp_bits = 0;
  ZeUuid uuid{};
  std::array<char, 256> name{};
};
struct ZeIpVersion {
  std::uint32_t type = 0x1000f;
  const void* next = nullptr;
  std::uint32_t version = 0;
};
struct ZeComputeProperties {
  std::uint32_t type = 0x4;
  void* next = nullptr;
  std::uint32_t max_group = 0;
  std::array<std::uint32_t, 3> max_sizes{};
  std::array<std::uint32_t, 3> max_counts{};
  std::uint32_t local_memory = 0;
  std::uint32_t subgroup_sizes = 0;
  std::array<std::uint32_t, 8> subgroup_size{};
};
struct ZeModuleProperties {
  std::uint32_t type = 0x5;
  void* next = nullptr;
  std::uint32_t spirv_version = 0;
  std::uint32_t flags = 0;
  std::uint32_t fp16_flags = 0, fp32_flags = 0, fp64_flags = 0;
  std::uint32_t max_arguments = 0;
  std::uint32_t printf_bytes = 0;
  ZeUuid native_kernel{};
};
struct ZeQueueGroup {
  std::uint32_t type = 0x6;
  void* next = nullptr;
  std::uint32_t flags = 0;
  std::size_t fill_pattern = 0;
  std::uint32_t queues = 0;
};
struct ZeMemoryProperties {
  std::uint32_t type = 0x7;
  void* next = nullptr;
  std::uint32_t flags = 0;
  std::uint32_t clock_mhz = 0;
  std::uint32_t bus_bits = 0;
  std::uint64_t bytes = 0;
  std::array<char, 256> name{};
};
struct ZeCacheProperties {
  std::uint32_t type = 0x9;
  void* next = nullptr;
  std::uint32_t flags = 0;
  std::size_t bytes = 0;
};
struct ZePciAddress {
  std::uint32_t domain = 0, bus = 0, device = 0, function = 0;
};
struct ZePciSpeed {
  std::int32_t generation = 0, lanes = 0;
  std::int64_t bytes_per_s = 0;
};
struct ZePciProperties {
  std::uint32_t type = 0x10008;
  void* next = nullptr;
  ZePciAddress address;
  ZePciSpeed speed;
};
struct ZeContextDescription {
  std::uint32_t type = 0xd;
  const void* next = nullptr;
  std::uint32_t flags = 0;
};
struct ZeQueueDescription {
  std::uint32_t type = 0xe;
  const void* next = nullptr;
  std::uint32_t ordinal = 0, index = 0;
  std::uint32_t flags = 0;
  int mode = kZeQueueAsynchronous;
  int priority = 0;
};
struct ZeListDescription {
  std::uint32_t type = 0xf;
  const void* next = nullptr;
  std::uint32_t ordinal = 0;
  std::uint32_t flags = 0;
};
struct ZeEventPoolDescription {
  std::uint32_t type = 0x10;
  const void* next = nullptr;
  std::uint32_t flags = 0;
  std::uint32_t count = 0;
};
struct ZeEventDescription {
  std::uint32_t type = 0x11;
  const void* next = nullptr;
  std::uint32_t index = 0;
  std::uint32_t signal = kZeScopeHost;
  std::uint32_t wait = 0;
};
struct ZeTimestamps {
  std::uint64_t start = 0, end = 0;
};
struct ZeKernelTimestamps {
  ZeTimestamps global, context;
};
struct ZeDeviceMemoryDescription {
  std::uint32_t type = 0x15;
  const void* next = nullptr;
  std::uint32_t flags = 0;
  std::uint32_t ordinal = 0;
};
struct ZeHostMemoryDescription {
  std::uint32_t type = 0x16;
  const void* next = nullptr;
  std::uint32_t flags = 0;
};
struct ZeModuleDescription {
  std::uint32_t type = 0x1b;
  const void* next = nullptr;
  int format = kZeSpirv;
  std::size_t bytes = 0;
  const std::uint8_t* module = nullptr;
  const char* options = nullptr;
  const void* constants = nullptr;
};
struct ZeKernelDescription {
  std::uint32_t type = 0x1d;
  const void* next = nullptr;
  std::uint32_t flags = 0;
  const char* name = nullptr;
};
struct ZeGroups {
  std::uint32_t x = 1, y = 1, z = 1;
};
struct ZesPciProperties {
  std::uint32_t type = 0x2;
  void* next = nullptr;
  ZePciAddress address;
  ZePciSpeed speed;
  std::uint8_t counts_bandwidth = 0, counts_packets = 0, counts_replays = 0;
};
struct ZesMemoryState {
  std::uint32_t type = 0x1e;
  const void* next = nullptr;
  int health = 0;
  std::uint64_t free = 0;
  std::uint64_t size = 0;
};

struct ZesFrequencyProperties {
  std::uint32_t type = 0x9;
  void* next = nullptr;
  int domain = 0;
  std::uint8_t is_part = 0;
  std::uint32_t part = 0;
  std::uint8_t can_control = 0, has_throttle_events = 0;
  double least_mhz = 0, most_mhz = 0;
};
struct ZesFrequencyState {
  std::uint32_t type = 0x1b;
  const void* next = nullptr;
  double volts = 0;
  double request_mhz = 0, tdp_mhz = 0, efficient_mhz = 0, actual_mhz = 0;
  std::uint32_t throttle_reasons = 0;
};

// Signatures only; nothing of this name is ever linked.
namespace functions {
ZeResult zeInit(std::uint32_t flags);
ZeResult zeInitDrivers(std::uint32_t* count, ZeDriver* drivers, ZeDriverTypes* types);
ZeResult zeDriverGet(std::uint32_t* count, ZeDriver* drivers);
ZeResult zeDriverGetApiVersion(ZeDriver driver, std::uint32_t* version);
ZeResult zeDriverGetProperties(ZeDriver driver, ZeDriverProperties* properties);
ZeResult zeDriverGetExtensionProperties(ZeDriver driver, std::uint32_t* count, ZeExtension* extensions);
ZeResult zeDeviceGet(ZeDriver driver, std::uint32_t* count, ZeDevice* devices);
ZeResult zeDeviceGetSubDevices(ZeDevice device, std::uint32_t* count, ZeDevice* parts);
ZeResult zeDeviceGetProperties(ZeDevice device, ZeDeviceProperties* properties);
ZeResult zeDeviceGetComputeProperties(ZeDevice device, ZeComputeProperties* properties);
ZeResult zeDeviceGetModuleProperties(ZeDevice device, ZeModuleProperties* properties);
ZeResult zeDeviceGetCommandQueueGroupProperties(ZeDevice device, std::uint32_t* count, ZeQueueGroup* groups);
ZeResult zeDeviceGetMemoryProperties(ZeDevice device, std::uint32_t* count, ZeMemoryProperties* memories);
ZeResult zeDeviceGetCacheProperties(ZeDevice device, std::uint32_t* count, ZeCacheProperties* caches);
ZeResult zeDevicePciGetPropertiesExt(ZeDevice device, ZePciProperties* properties);
ZeResult zeContextCreate(ZeDriver driver, const ZeContextDescription* description, ZeContext* context);
ZeResult zeCommandQueueCreate(ZeContext context, ZeDevice device, const ZeQueueDescription* description,
                              ZeQueue* queue);
ZeResult zeCommandQueueExecuteCommandLists(ZeQueue queue, std::uint32_t count, ZeList* lists, ZeFence fence);
ZeResult zeCommandQueueSynchronize(ZeQueue queue, std::uint64_t timeout_ns);
ZeResult zeCommandListCreate(ZeContext context, ZeDevice device, const ZeListDescription* description,
                             ZeList* list);
ZeResult zeCommandListClose(ZeList list);
ZeResult zeCommandListReset(ZeList list);
ZeResult zeCommandListAppendBarrier(ZeList list, ZeEvent signal, std::uint32_t waits, ZeEvent* wait);
ZeResult zeCommandListAppendMemoryCopy(ZeList list, void* to, const void* from, std::size_t bytes,
                                       ZeEvent signal, std::uint32_t waits, ZeEvent* wait);
ZeResult zeCommandListAppendLaunchKernel(ZeList list, ZeKernel kernel, const ZeGroups* groups, ZeEvent signal,
                                         std::uint32_t waits, ZeEvent* wait);
ZeResult zeEventPoolCreate(ZeContext context, const ZeEventPoolDescription* description, std::uint32_t count,
                           ZeDevice* devices, ZeEventPool* pool);
ZeResult zeEventCreate(ZeEventPool pool, const ZeEventDescription* description, ZeEvent* event);
ZeResult zeEventHostReset(ZeEvent event);
ZeResult zeEventQueryKernelTimestamp(ZeEvent event, ZeKernelTimestamps* timestamps);
ZeResult zeMemAllocDevice(ZeContext context, const ZeDeviceMemoryDescription* description, std::size_t bytes,
                          std::size_t alignment, ZeDevice device, void** memory);
ZeResult zeMemAllocHost(ZeContext context, const ZeHostMemoryDescription* description, std::size_t bytes,
                        std::size_t alignment, void** memory);
ZeResult zeMemFree(ZeContext context, void* memory);
ZeResult zeModuleCreate(ZeContext context, ZeDevice device, const ZeModuleDescription* description,
                        ZeModule* module, ZeBuildLog* log);
ZeResult zeModuleBuildLogGetString(ZeBuildLog log, std::size_t* bytes, char* text);
ZeResult zeModuleBuildLogDestroy(ZeBuildLog log);
ZeResult zeKernelCreate(ZeModule module, const ZeKernelDescription* description, ZeKernel* kernel);
ZeResult zeKernelSetGroupSize(ZeKernel kernel, std::uint32_t x, std::uint32_t y, std::uint32_t z);
ZeResult zeKernelSetArgumentValue(ZeKernel kernel, std::uint32_t index, std::size_t bytes, const void* value);
ZeResult zesInit(std::uint32_t flags);
ZeResult zesDriverGet(std::uint32_t* count, ZesDriver* drivers);
ZeResult zesDeviceGet(ZesDriver driver, std::uint32_t* count, ZesDevice* devices);
ZeResult zesDevicePciGetProperties(ZesDevice device, ZesPciProperties* properties);
ZeResult zesDeviceEnumMemoryModules(ZesDevice device, std::uint32_t* count, ZesMemory* memories);
ZeResult zesMemoryGetState(ZesMemory memory, ZesMemoryState* state);
ZeResult zesDeviceEnumFrequencyDomains(ZesDevice device, std::uint32_t* count, ZesFrequency* frequencies);
ZeResult zesFrequencyGetProperties(ZesFrequency frequency, ZesFrequencyProperties* properties);
ZeResult zesFrequencyGetState(ZesFrequency frequency, ZesFrequencyState* state);
ZeResult zesDriverGetDeviceByUuidExp(ZesDriver driver, ZeUuid uuid, ZesDevice* device, std::uint8_t* is_part,
                                     std::uint32_t* part);
}  // namespace functions

}  // namespace probe::level_zero
