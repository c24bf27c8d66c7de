// SPDX-License-Identifier: MIT
// The few declarations of AMD's HIP runtime and of its compiler library (hiprtc) that are called. Names,
// numbers and layouts are AMD's, from the public reference (rocm.docs.amd.com/projects/HIP); tests/abi
// compares them with hip_runtime_api.h and hiprtc.h. Numbers of attributes hold from ROCm 5.0 on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace probe::hip {

using HipResult = int;
using HipDevice = int;
using HipPointer = void*;  // a device address
using HipModule = struct HipModuleTag*;
using HipFunction = struct HipFunctionTag*;
using HipStream = struct HipStreamTag*;
using HipEvent = struct HipEventTag*;
using HipProgram = struct HipProgramTag*;
// 16 characters of the hexadecimal number that names the chip, not 16 bytes of a number.
struct HipUuid {
  std::array<char, 16> bytes;
};
// Larger than any hipDeviceProp_t; of its fields only the name of the architecture is ever read.
struct alignas(16) HipProperties {
  std::array<char, 8192> bytes;
};
inline constexpr std::size_t kHipArchitectureOffset5 = 396;   // ROCm 5, and what the old symbol still writes
inline constexpr std::size_t kHipArchitectureOffset6 = 1160;  // hipGetDevicePropertiesR0600
inline constexpr std::size_t kHipArchitectureBytes = 256;

inline constexpr HipResult kHipSuccess = 0;
inline constexpr HipResult kHipErrorInvalidValue = 1;
inline constexpr HipResult kHipErrorNoDevice = 100;
inline constexpr HipResult kHipErrorInvalidDevice = 101;

enum HipAttribute : int {
  kHipEccEnabled = 0,
  kHipClockKhz = 5,
  kHipIntegrated = 16,
  kHipL2Bytes = 19,
  kHipManagedMemory = 24,
  kHipMaxThreadsPerBlock = 56,
  kHipThreadsPerMultiprocessor = 57,
  kHipMemoryBusBits = 59,
  kHipMemoryClockKhz = 60,
  kHipMultiprocessors = 63,
  kHipRegistersPerBlock = 71,
  kHipSharedMemoryPerBlock = 74,
  kHipWarpSize = 87,
  kHipLargeBar = 10011,
  kHipPhysicalMultiprocessors = 10015,
};
enum HipFunctionAttribute : int {
  kHipFunctionMaxThreads = 0,
};
enum HipCopyKind : int { kHipHostToDevice = 1, kHipDeviceToHost = 2 };
inline constexpr unsigned int kHipStreamNonBlocking = 1;
inline constexpr unsigned int kHipHostMallocDefault = 0;
inline constexpr unsigned int kHipEventDefault = 0;

using HiprtcResult = int;
inline constexpr HiprtcResult kHiprtcSuccess = 0;

// Signatures only; nothing of this name is ever linked.
namespace functions {
HipResult hipInit(unsigned int flags);
HipResult hipRuntimeGetVersion(int* version);
HipResult hipGetDeviceCount(int* count);
HipResult hipSetDevice(int device);
HipResult hipDeviceGet(HipDevice* device, int ordinal);
HipResult hipDeviceGetName(char* name, int bytes, HipDevice device);
HipResult hipDeviceGetAttribute(int* value, HipAttribute attribute, int device);
HipResult hipDeviceTotalMem(std::size_t* bytes, HipDevice device);
HipResult hipDeviceGetPCIBusId(char* text, int bytes, int device);
HipResult hipDeviceGetUuid(HipUuid* uuid, HipDevice device);
HipResult hipGetDeviceProperties(HipProperties* properties, int device);
HipResult hipGetDevicePropertiesR0600(HipProperties* properties, int device);
HipResult hipDeviceSynchronize();
HipResult hipGetLastError();
HipResult hipMemGetInfo(std::size_t* free, std::size_t* total);
HipResult hipMalloc(HipPointer* pointer, std::size_t bytes);
HipResult hipFree(HipPointer pointer);
HipResult hipHostMalloc(void** pointer, std::size_t bytes, unsigned int flags);
HipResult hipHostFree(void* pointer);
HipResult hipMemcpy(void* to, const void* from, std::size_t bytes, HipCopyKind kind);
HipResult hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes);
HipResult hipDeviceCanAccessPeer(int* can, int device, int peer);
HipResult hipDeviceEnablePeerAccess(int peer, unsigned int flags);
HipResult hipModuleLoadData(HipModule* module, const void* image);
HipResult hipModuleGetFunction(HipFunction* function, HipModule module, const char* name);
HipResult hipFuncGetAttribute(int* value, HipFunctionAttribute attribute, HipFunction function);
HipResult hipModuleLaunchKernel(HipFunction function, unsigned int grid_x, unsigned int grid_y,
                                unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                unsigned int block_z, unsigned int shared_bytes, HipStream stream,
                                void** arguments, void** extra);
HipResult hipStreamCreateWithFlags(HipStream* stream, unsigned int flags);
HipResult hipStreamSynchronize(HipStream stream);
HipResult hipEventCreateWithFlags(HipEvent* event, unsigned int flags);
HipResult hipEventRecord(HipEvent event, HipStream stream);
HipResult hipEventElapsedTime(float* milliseconds, HipEvent start, HipEvent end);

HiprtcResult hiprtcCreateProgram(HipProgram* program, const char* source, const char* name, int headers,
                                 const char** header_texts, const char** header_names);
HiprtcResult hiprtcCompileProgram(HipProgram program, int options, const char** option_texts);
HiprtcResult hiprtcGetProgramLogSize(HipProgram program, std::size_t* bytes);
HiprtcResult hiprtcGetProgramLog(HipProgram program, char* log);
HiprtcResult hiprtcGetCodeSize(HipProgram program, std::size_t* bytes);
HiprtcResult hiprtcGetCode(HipProgram program, char* code);
HiprtcResult hiprtcDestroyProgram(HipProgram* program);

}  // namespace functions

}  // namespace probe::hip
