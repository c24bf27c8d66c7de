// SPDX-License-Identifier: MIT
// probe/cuda/cuda_declarations.h against NVIDIA's cuda.h: numbers, sizes, and every function's signature.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "backends/stream/runtime.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_declarations.h"
#include "tests/abi/codes.h"
#include "tests/abi/same_signature.h"

namespace {

namespace own = probe::cuda;

using signatures::Signature;

// The typedefs of the oldest symbol with today's signature, as cuda_symbols.def names it.
#define SAME_FUNCTION(name, theirs) \
  static_assert(Signature<decltype(&own::functions::name), decltype(&::theirs)>::value, #name)
SAME_FUNCTION(cuInit, cuInit);
SAME_FUNCTION(cuDriverGetVersion, cuDriverGetVersion);
SAME_FUNCTION(cuDeviceGetCount, cuDeviceGetCount);
SAME_FUNCTION(cuDeviceGet, cuDeviceGet);
SAME_FUNCTION(cuDeviceGetName, cuDeviceGetName);
SAME_FUNCTION(cuDeviceGetAttribute, cuDeviceGetAttribute);
SAME_FUNCTION(cuDeviceTotalMem, cuDeviceTotalMem);
SAME_FUNCTION(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId);
SAME_FUNCTION(cuDeviceGetUuid, cuDeviceGetUuid);
SAME_FUNCTION(cuDeviceGetUuidOfInstance, cuDeviceGetUuid);
SAME_FUNCTION(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer);
SAME_FUNCTION(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain);
SAME_FUNCTION(cuCtxSetCurrent, cuCtxSetCurrent);
SAME_FUNCTION(cuCtxSynchronize, cuCtxSynchronize);
SAME_FUNCTION(cuMemGetInfo, cuMemGetInfo);
SAME_FUNCTION(cuMemAlloc, cuMemAlloc);
SAME_FUNCTION(cuMemFree, cuMemFree);
SAME_FUNCTION(cuMemHostAlloc, cuMemHostAlloc);
SAME_FUNCTION(cuMemFreeHost, cuMemFreeHost);
SAME_FUNCTION(cuMemcpyHtoD, cuMemcpyHtoD);
SAME_FUNCTION(cuMemcpyDtoH, cuMemcpyDtoH);
SAME_FUNCTION(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess);
SAME_FUNCTION(cuMemcpyPeerAsync, cuMemcpyPeerAsync);
SAME_FUNCTION(cuStreamCreate, cuStreamCreate);
SAME_FUNCTION(cuStreamSynchronize, cuStreamSynchronize);
SAME_FUNCTION(cuModuleLoadDataEx, cuModuleLoadDataEx);
SAME_FUNCTION(cuModuleGetFunction, cuModuleGetFunction);
SAME_FUNCTION(cuFuncGetAttribute, cuFuncGetAttribute);
SAME_FUNCTION(cuFuncSetAttribute, cuFuncSetAttribute);
SAME_FUNCTION(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled);
SAME_FUNCTION(cuLaunchKernel, cuLaunchKernel);
SAME_FUNCTION(cuEventCreate, cuEventCreate);
SAME_FUNCTION(cuEventRecord, cuEventRecord);
SAME_FUNCTION(cuEventElapsedTime, cuEventElapsedTime);

#define SAME_NUMBER(name, theirs) \
  static_assert(static_cast<int>(own::name) == static_cast<int>(theirs), #name)
SAME_NUMBER(kCuSuccess, CUDA_SUCCESS);
SAME_NUMBER(kCuErrorDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME_NUMBER(kCuErrorNoDevice, CUDA_ERROR_NO_DEVICE);
SAME_NUMBER(kCuErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_NUMBER(kCuErrorPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SAME_NUMBER(kCuStreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME_NUMBER(kCuMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_NUMBER(kCuSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_NUMBER(kCuWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME_NUMBER(kCuRegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SAME_NUMBER(kCuClockKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_NUMBER(kCuMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_NUMBER(kCuKernelTimeout, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
SAME_NUMBER(kCuIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED);
SAME_NUMBER(kCuComputeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME_NUMBER(kCuEccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME_NUMBER(kCuMemoryClockKhz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME_NUMBER(kCuMemoryBusBits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME_NUMBER(kCuL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_NUMBER(kCuThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME_NUMBER(kCuCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_NUMBER(kCuCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_NUMBER(kCuSharedMemoryPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME_NUMBER(kCuSharedMemoryPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_NUMBER(kCuProhibited, CU_COMPUTEMODE_PROHIBITED);
SAME_NUMBER(kCuExclusive, CU_COMPUTEMODE_EXCLUSIVE_PROCESS);
SAME_NUMBER(kCuFunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_NUMBER(kCuFunctionMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_NUMBER(kCuFunctionSharedPercent, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME_NUMBER(kCuJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
SAME_NUMBER(kCuJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_NUMBER(kCuMapBytes, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME_NUMBER(kCuMapNoInterleave, CU_TENSOR_MAP_INTERLEAVE_NONE);
SAME_NUMBER(kCuMapSwizzle128, CU_TENSOR_MAP_SWIZZLE_128B);
SAME_NUMBER(kCuMapPromote256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME_NUMBER(kCuMapFillZero, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(sizeof(backends::stream::Argument) == sizeof(CUtensorMap) &&
              alignof(backends::stream::Argument) >= alignof(CUtensorMap));
static_assert(sizeof(own::CuUuid) == sizeof(CUuuid) && sizeof(own::CuPointer) == sizeof(CUdeviceptr));

// Signatures that must differ are told apart: the comparison can fail.
TEST(CudaAbi, ComparisonTellsSignaturesApart) {
  EXPECT_FALSE((Signature<int (*)(int*, int), int (*)(long*, int)>::value));
  EXPECT_FALSE((Signature<int (*)(int), int (*)(int, int)>::value));
  EXPECT_FALSE((Signature<int (*)(float), int (*)(int)>::value));
  EXPECT_TRUE((Signature<int (*)(own::CuContext), int (*)(CUcontext)>::value));
}

// Of the release that the table is of, and those before it, every code has its name. The table has more ends
// than the header tells of: 214 and 220, which end a process in practice.
constexpr int kTableIsOf = 13000;

TEST(CudaAbi, CodesHaveTheHeadersNamesAndEnds) {
  const auto header = codes::Read(WHICHGPU_ABI_HEADER, "CUDA_ERROR_");
  codes::ExpectSame(header, [](int code) { return own::ErrorOf("", code); }, CUDA_VERSION <= kTableIsOf);
  int ends = 0;
  for (const auto& [code, said] : header.said_of) {
    // In words that may be broken anywhere.
    static const std::regex kEnds(R"(inconsistent[ *]+state)");
    if (!std::regex_search(said, kEnds)) continue;
    EXPECT_TRUE(own::EndsContext(code)) << code;
    ++ends;
  }
  EXPECT_GT(ends, 6);
}

}  // namespace
