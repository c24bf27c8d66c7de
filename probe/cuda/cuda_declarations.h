// SPDX-License-Identifier: MIT
// The few declarations of NVIDIA's driver interface (CUDA Driver API) and management library (NVML) that are
// called. Names, numbers and layouts are NVIDIA's, from the public references
// (docs.nvidia.com/cuda/cuda-driver-api, docs.nvidia.com/deploy/nvml-api); tests/abi compares them with
// cuda.h and nvml.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace probe::cuda {

using CuResult = int;
using CuDevice = int;
using CuPointer = unsigned long long;  // a device address
using CuContext = struct CuContextTag*;
using CuModule = struct CuModuleTag*;
using CuFunction = struct CuFunctionTag*;
using CuStream = struct CuStreamTag*;
using CuEvent = struct CuEventTag*;
using CuTensorMap = struct CuTensorMapTag;
struct CuUuid {
  std::array<unsigned char, 16> bytes;
};

inline constexpr CuResult kCuSuccess = 0;
inline constexpr CuResult kCuErrorDeviceUnavailable = 46;
inline constexpr CuResult kCuErrorStubLibrary = 34;
inline constexpr CuResult kCuErrorNoDevice = 100;
inline constexpr CuResult kCuErrorUnsupportedPtxVersion = 222;
inline constexpr CuResult kCuErrorPeerAccessAlreadyEnabled = 704;
inline constexpr unsigned int kCuStreamNonBlocking = 1;

enum CuAttribute : int {
  kCuMaxThreadsPerBlock = 1,
  kCuSharedMemoryPerBlock = 8,
  kCuWarpSize = 10,
  kCuRegistersPerBlock = 12,
  kCuClockKhz = 13,
  kCuMultiprocessors = 16,
  kCuKernelTimeout = 17,
  kCuIntegrated = 18,
  kCuComputeMode = 20,
  kCuEccEnabled = 32,
  kCuMemoryClockKhz = 36,
  kCuMemoryBusBits = 37,
  kCuL2Bytes = 38,
  kCuThreadsPerMultiprocessor = 39,
  kCuCapabilityMajor = 75,
  kCuCapabilityMinor = 76,
  kCuSharedMemoryPerMultiprocessor = 81,
  kCuSharedMemoryPerBlockOptin = 97,
};
// Of kCuComputeMode; 0 lets every process compute. 1 was of threads and is gone since CUDA 8.
enum CuComputeMode : int { kCuProhibited = 2, kCuExclusive = 3 };
enum CuFunctionAttribute : int {
  kCuFunctionMaxThreads = 0,
  kCuFunctionMaxDynamicSharedBytes = 8,
  kCuFunctionSharedPercent = 9,  // of what the first-level cache and shared memory have together
};
// Of tensor maps.
enum CuMapType : unsigned int { kCuMapBytes = 0 };
enum CuMapInterleave : unsigned int { kCuMapNoInterleave = 0 };
enum CuMapSwizzle : unsigned int { kCuMapSwizzle128 = 3 };
enum CuMapPromotion : unsigned int { kCuMapPromote256 = 3 };
enum CuMapFill : unsigned int { kCuMapFillZero = 0 };
inline constexpr std::uint32_t kCuSwizzledBytes = 128;
enum CuJitOption : int { kCuJitErrorLog = 5, kCuJitErrorLogBytes = 6 };

using NvmlReturn = int;
using NvmlDevice = struct NvmlDeviceTag*;
struct NvmlPci {
  std::array<char, 16> bus_id_legacy;
  unsigned int domain, bus, device, pci_device_id, pci_subsystem_id;
  std::array<char, 32> bus_id;
};
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlUtilization {
  unsigned int gpu, memory;
};
struct NvmlAttributes {
  unsigned int multiprocessors, copy_engines, decoders, encoders, jpeg, ofa, gpu_slices, compute_slices;
  unsigned long long memory_mib;
};
static_assert(sizeof(NvmlPci) == 68 && sizeof(NvmlMemory) == 24 && sizeof(NvmlAttributes) == 40);

inline constexpr NvmlReturn kNvmlSuccess = 0;
inline constexpr NvmlReturn kNvmlInvalidArgument = 2;
inline constexpr NvmlReturn kNvmlNotSupported = 3;
inline constexpr NvmlReturn kNvmlInsufficientSize = 7;
inline constexpr unsigned int kNvmlClockSm = 1;
inline constexpr unsigned int kNvmlTemperatureGpu = 0;
inline constexpr unsigned int kNvmlClockMemory = 2;
inline constexpr unsigned int kNvmlTextBytes = 96;
inline constexpr unsigned int kNvmlMaxLinks = 36;  // since NVML 13, 18 before

// Signatures only; nothing of this name is ever linked.
namespace functions {
CuResult cuInit(unsigned int flags);
CuResult cuDriverGetVersion(int* version);
CuResult cuDeviceGetCount(int* count);
CuResult cuDeviceGet(CuDevice* device, int ordinal);
CuResult cuDeviceGetName(char* name, int bytes, CuDevice device);
CuResult cuDeviceGetAttribute(int* value, CuAttribute attribute, CuDevice device);
CuResult cuDeviceTotalMem(std::size_t* bytes, CuDevice device);
CuResult cuDeviceGetPCIBusId(char* text, int bytes, CuDevice device);
CuResult cuDeviceGetUuid(CuUuid* uuid, CuDevice device);
CuResult cuDeviceGetUuidOfInstance(CuUuid* uuid, CuDevice device);
CuResult cuDeviceCanAccessPeer(int* can, CuDevice device, CuDevice peer);
CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice device);
CuResult cuCtxSetCurrent(CuContext context);
CuResult cuCtxSynchronize();
CuResult cuMemGetInfo(std::size_t* free, std::size_t* total);
CuResult cuMemAlloc(CuPointer* pointer, std::size_t bytes);
CuResult cuMemFree(CuPointer pointer);
CuResult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned int flags);
CuResult cuMemFreeHost(void* memory);
CuResult cuMemcpyHtoD(CuPointer to, const void* from, std::size_t bytes);
CuResult cuMemcpyDtoH(void* to, CuPointer from, std::size_t bytes);
CuResult cuCtxEnablePeerAccess(CuContext peer, unsigned int flags);
CuResult cuMemcpyPeerAsync(CuPointer to, CuContext to_context, CuPointer from, CuContext from_context,
                           std::size_t bytes, CuStream stream);
CuResult cuStreamCreate(CuStream* stream, unsigned int flags);
CuResult cuStreamSynchronize(CuStream stream);
CuResult cuModuleLoadDataEx(CuModule* module, const void* image, unsigned int count, CuJitOption* options,
                            void** values);
CuResult cuModuleGetFunction(CuFunction* function, CuModule module, const char* name);
CuResult cuFuncGetAttribute(int* value, CuFunctionAttribute attribute, CuFunction function);
CuResult cuFuncSetAttribute(CuFunction function, CuFunctionAttribute attribute, int value);
CuResult cuTensorMapEncodeTiled(CuTensorMap* map, CuMapType type, std::uint32_t rank, void* address,
                                const std::uint64_t* edges, const std::uint64_t* strides,
                                const std::uint32_t* box, const std::uint32_t* steps,
                                CuMapInterleave interleave, CuMapSwizzle swizzle, CuMapPromotion promotion,
                                CuMapFill fill);
CuResult cuLaunchKernel(CuFunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared_bytes, CuStream stream, void** arguments, void** extra);
CuResult cuEventCreate(CuEvent* event, unsigned int flags);
CuResult cuEventRecord(CuEvent event, CuStream stream);
CuResult cuEventElapsedTime(float* milliseconds, CuEvent start, CuEvent end);

NvmlReturn nvmlInit();
NvmlReturn nvmlDeviceGetCount(unsigned int* count);
NvmlReturn nvmlDeviceGetHandleByIndex(unsigned int index, NvmlDevice* device);
NvmlReturn nvmlDeviceGetHandleByPciBusId(const char* address, NvmlDevice* device);
NvmlReturn nvmlDeviceGetUUID(NvmlDevice device, char* text, unsigned int bytes);
NvmlReturn nvmlSystemGetDriverVersion(char* text, unsigned int bytes);
NvmlReturn nvmlDeviceGetName(NvmlDevice device, char* text, unsigned int bytes);
NvmlReturn nvmlDeviceGetPciInfo(NvmlDevice device, NvmlPci* pci);
NvmlReturn nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory);
NvmlReturn nvmlDeviceGetUtilizationRates(NvmlDevice device, NvmlUtilization* rates);
NvmlReturn nvmlDeviceGetClockInfo(NvmlDevice device, unsigned int type, unsigned int* mhz);
NvmlReturn nvmlDeviceGetMaxClockInfo(NvmlDevice device, unsigned int type, unsigned int* mhz);
NvmlReturn nvmlDeviceGetEnforcedPowerLimit(NvmlDevice device, unsigned int* milliwatts);
NvmlReturn nvmlDeviceGetPowerUsage(NvmlDevice device, unsigned int* milliwatts);
NvmlReturn nvmlDeviceGetTemperature(NvmlDevice device, unsigned int sensor, unsigned int* celsius);
NvmlReturn nvmlDeviceGetPowerManagementDefaultLimit(NvmlDevice device, unsigned int* milliwatts);
NvmlReturn nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice device, unsigned long long* reasons);
// Only ever asked how many there are: the layout of an entry changed between versions.
NvmlReturn nvmlDeviceGetComputeRunningProcesses(NvmlDevice device, unsigned int* count, void* none);
NvmlReturn nvmlDeviceGetNvLinkState(NvmlDevice device, unsigned int link, unsigned int* active);
NvmlReturn nvmlDeviceGetPersistenceMode(NvmlDevice device, unsigned int* enabled);
NvmlReturn nvmlDeviceGetMigMode(NvmlDevice device, unsigned int* current, unsigned int* pending);
NvmlReturn nvmlDeviceGetMaxMigDeviceCount(NvmlDevice device, unsigned int* count);
NvmlReturn nvmlDeviceGetMigDeviceHandleByIndex(NvmlDevice device, unsigned int index, NvmlDevice* instance);
NvmlReturn nvmlDeviceGetGpuInstanceId(NvmlDevice instance, unsigned int* id);
NvmlReturn nvmlDeviceGetComputeInstanceId(NvmlDevice instance, unsigned int* id);
NvmlReturn nvmlDeviceGetAttributes(NvmlDevice instance, NvmlAttributes* attributes);
}  // namespace functions

}  // namespace probe::cuda
