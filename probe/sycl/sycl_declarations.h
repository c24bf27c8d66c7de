// SPDX-License-Identifier: MIT
// The few declarations of the Unified Runtime (UR), which every SYCL program of DPC++ runs on, that are
// called. Names, numbers and layouts are those of its releases 0.10 to 0.12
// (github.com/oneapi-src/unified-runtime and intel/llvm, unified-runtime/include: ur_api.h); tests/abi
// compares them with the headers that a wheel of Intel's runtime has. Of what a release declares otherwise
// than the newest both are here; ResolveApi of sycl_api.h says which holds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace probe::sycl {

using UrResult = std::uint32_t;
using UrAdapter = struct UrAdapterTag*;
using UrPlatform = struct UrPlatformTag*;
using UrDevice = struct UrDeviceTag*;
using UrContext = struct UrContextTag*;
using UrQueue = struct UrQueueTag*;
using UrProgram = struct UrProgramTag*;
using UrKernel = struct UrKernelTag*;
using UrEvent = struct UrEventTag*;
using UrPool = struct UrPoolTag*;
using UrConfig = struct UrConfigTag*;

inline constexpr UrResult kUrSuccess = 0;
inline constexpr UrResult kUrInvalidValue = 4;
inline constexpr UrResult kUrDeviceNotFound = 18;
inline constexpr UrResult kUrDeviceLost = 20;
inline constexpr UrResult kUrDeviceRequiresReset = 21;
inline constexpr UrResult kUrUninitialized = 37;
inline constexpr UrResult kUrOutOfDeviceMemory = 39;
inline constexpr UrResult kUrProgramBuildFailure = 41;
inline constexpr UrResult kUrInvalidNullHandle = 46;
inline constexpr UrResult kUrInvalidWorkGroupSize = 15;
inline constexpr UrResult kUrInvalidKernelName = 29;
inline constexpr UrResult kUrInvalidKernelArgumentIndex = 30;
inline constexpr UrResult kUrInvalidKernelArgumentSize = 31;

enum UrBackend : std::uint32_t { kUrLevelZero = 1, kUrOpenCl = 2 };
enum UrDeviceType : std::uint32_t { kUrAll = 2, kUrGpu = 3, kUrCpu = 4 };

enum UrPlatformInfo : std::uint32_t { kUrPlatformName = 1, kUrPlatformVersion = 3, kUrPlatformBackend = 6 };
enum UrDeviceInfo : std::uint32_t {
  kUrType = 0,
  kUrVendorId = 1,
  kUrDeviceId = 2,
  kUrComputeUnits = 3,
  kUrWorkGroupSize = 6,
  kUrHalf = 8,
  kUrDouble = 9,
  kUrVectorWidthFloat = 22,
  kUrClockMhz = 25,
  kUrMaxAllocation = 28,
  kUrCacheBytes = 45,
  kUrMemoryBytes = 46,
  kUrFreeBytes = 47,
  kUrLocalBytes = 51,
  kUrUnifiedMemory = 53,
  kUrIlVersion = 65,
  kUrName = 66,
  kUrDriverVersion = 68,
  kUrRuntimeVersion = 71,
  kUrMostParts = 77,
  kUrSubgroupSizes = 82,
  kUrUuid = 88,
  kUrPciAddress = 89,
  kUrIpVersion = 113,
};
enum UrBuildInfo : std::uint32_t { kUrBuildLog = 2 };
enum UrProfilingInfo : std::uint32_t { kUrCommandStart = 2, kUrCommandEnd = 3 };

inline constexpr std::uint32_t kUrProfiling = 2;  // UR_QUEUE_FLAG_PROFILING_ENABLE
struct UrQueueProperties {
  std::uint32_t type = 14;
  void* next = nullptr;
  std::uint32_t flags = kUrProfiling;
};

// An argument of a launch that takes them itself.
enum UrArgumentType : std::uint32_t { kUrValueArgument = 0, kUrPointerArgument = 1 };
struct UrMemoryTuple {
  void* memory = nullptr;
  std::uint32_t flags = 0;
};
union UrArgumentValue {
  const void* value;    // its address
  const void* pointer;  // the pointer itself
  UrMemoryTuple memory;
  void* sampler;
};
struct UrArgument {
  std::uint32_t stype = 0x5000;
  void* next = nullptr;
  UrArgumentType type = kUrValueArgument;
  std::uint32_t index = 0;
  std::size_t size = 0;
  UrArgumentValue value{nullptr};
};

// Signatures only; nothing of this name is ever linked.
namespace functions {
UrResult urLoaderInit(std::uint32_t flags, UrConfig config);
UrResult urAdapterGet(std::uint32_t room, UrAdapter* adapters, std::uint32_t* count);
// Since 0.12.
UrResult urPlatformGet(UrAdapter adapter, std::uint32_t room, UrPlatform* platforms, std::uint32_t* count);
UrResult urPlatformGetInfo(UrPlatform platform, UrPlatformInfo what, std::size_t size, void* value,
                           std::size_t* needed);
UrResult urDeviceGet(UrPlatform platform, UrDeviceType type, std::uint32_t room, UrDevice* devices,
                     std::uint32_t* count);
UrResult urDeviceGetInfo(UrDevice device, UrDeviceInfo what, std::size_t size, void* value,
                         std::size_t* needed);
UrResult urContextCreate(std::uint32_t count, const UrDevice* devices, const void* properties,
                         UrContext* context);
UrResult urQueueCreate(UrContext context, UrDevice device, const UrQueueProperties* properties,
                       UrQueue* queue);
UrResult urQueueFinish(UrQueue queue);
UrResult urQueueFlush(UrQueue queue);
UrResult urUSMDeviceAlloc(UrContext context, UrDevice device, const void* description, UrPool pool,
                          std::size_t size, void** memory);
UrResult urUSMHostAlloc(UrContext context, const void* description, UrPool pool, std::size_t size,
                        void** memory);
UrResult urUSMFree(UrContext context, void* memory);
UrResult urEnqueueUSMMemcpy(UrQueue queue, bool blocking, void* to, const void* from, std::size_t size,
                            std::uint32_t waits, const UrEvent* wait_for, UrEvent* event);
UrResult urProgramCreateWithIL(UrContext context, const void* code, std::size_t size, const void* properties,
                               UrProgram* program);
UrResult urProgramBuild(UrContext context, UrProgram program, const char* options);
UrResult urProgramGetBuildInfo(UrProgram program, UrDevice device, UrBuildInfo what, std::size_t size,
                               void* value, std::size_t* needed);
UrResult urKernelCreate(UrProgram program, const char* name, UrKernel* kernel);
// Until 2026: arguments before the launch.
UrResult urKernelSetArgPointer(UrKernel kernel, std::uint32_t index, const void* properties,
                               const void* value);
UrResult urKernelSetArgValue(UrKernel kernel, std::uint32_t index, std::size_t size, const void* properties,
                             const void* value);
UrResult urEnqueueKernelLaunch(UrQueue queue, UrKernel kernel, std::uint32_t dimensions,
                               const std::size_t* offset, const std::size_t* global, const std::size_t* local,
                               std::uint32_t waits, const UrEvent* wait_for, UrEvent* event);
// Since 2026.
UrResult urEnqueueKernelLaunchWithArgsExp(UrQueue queue, UrKernel kernel, std::uint32_t dimensions,
                                          const std::size_t* offset, const std::size_t* global,
                                          const std::size_t* local, std::uint32_t count,
                                          const UrArgument* arguments, const void* properties,
                                          std::uint32_t waits, const UrEvent* wait_for, UrEvent* event);
UrResult urEventGetProfilingInfo(UrEvent event, UrProfilingInfo what, std::size_t size, void* value,
                                 std::size_t* needed);
UrResult urEventRelease(UrEvent event);
}  // namespace functions

// The same names in other releases.
namespace earlier {
// Before 0.12: the platforms of several adapters.
UrResult urPlatformGet(UrAdapter* adapters, std::uint32_t adapter_count, std::uint32_t room,
                       UrPlatform* platforms, std::uint32_t* count);
// Of oneAPI 2025.3: with a list of properties.
UrResult urEnqueueKernelLaunch(UrQueue queue, UrKernel kernel, std::uint32_t dimensions,
                               const std::size_t* offset, const std::size_t* global, const std::size_t* local,
                               std::uint32_t property_count, const void* properties, std::uint32_t waits,
                               const UrEvent* wait_for, UrEvent* event);
}  // namespace earlier

}  // namespace probe::sycl
