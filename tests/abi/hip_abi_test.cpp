// SPDX-License-Identifier: MIT
// probe/hip/hip_declarations.h against AMD's hip_runtime_api.h and hiprtc.h: numbers, offsets, and every
// function's signature.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <hip/hiprtc.h>
// From ROCm 6 on a name of the newer function, of which own declarations have both.
#undef hipGetDeviceProperties

#include <cstddef>

#include "probe/hip/hip_api.h"
#include "probe/hip/hip_declarations.h"
#include "tests/abi/codes.h"
#include "tests/abi/same_signature.h"

namespace {

namespace own = probe::hip;
using signatures::Signature;

#define SAME_FUNCTION(name) \
  static_assert(Signature<decltype(&own::functions::name), decltype(&::name)>::value, #name)
SAME_FUNCTION(hipInit);
SAME_FUNCTION(hipRuntimeGetVersion);
SAME_FUNCTION(hipGetDeviceCount);
SAME_FUNCTION(hipSetDevice);
SAME_FUNCTION(hipDeviceGet);
SAME_FUNCTION(hipDeviceGetName);
SAME_FUNCTION(hipDeviceGetAttribute);
SAME_FUNCTION(hipDeviceTotalMem);
SAME_FUNCTION(hipDeviceGetPCIBusId);
SAME_FUNCTION(hipDeviceGetUuid);
SAME_FUNCTION(hipDeviceSynchronize);
SAME_FUNCTION(hipMemGetInfo);
SAME_FUNCTION(hipFree);
SAME_FUNCTION(hipHostFree);
SAME_FUNCTION(hipMemcpy);
SAME_FUNCTION(hipMemcpyPeer);
SAME_FUNCTION(hipDeviceCanAccessPeer);
SAME_FUNCTION(hipDeviceEnablePeerAccess);
SAME_FUNCTION(hipModuleLoadData);
SAME_FUNCTION(hipModuleGetFunction);
SAME_FUNCTION(hipFuncGetAttribute);
SAME_FUNCTION(hipModuleLaunchKernel);
SAME_FUNCTION(hipStreamCreateWithFlags);
SAME_FUNCTION(hipStreamSynchronize);
SAME_FUNCTION(hipEventCreateWithFlags);
SAME_FUNCTION(hipEventRecord);
SAME_FUNCTION(hipEventElapsedTime);
// HIP 7 promises not to write to the texts' addresses either; a call is the same.
template <class Theirs>
constexpr bool kCreates = Signature<decltype(&own::functions::hiprtcCreateProgram), Theirs>::value ||
                          Signature<own::HiprtcResult (*)(own::HipProgram*, const char*, const char*, int,
                                                          const char* const*, const char* const*),
                                    Theirs>::value;
template <class Theirs>
constexpr bool kCompiles =
    Signature<decltype(&own::functions::hiprtcCompileProgram), Theirs>::value ||
    Signature<own::HiprtcResult (*)(own::HipProgram, int, const char* const*), Theirs>::value;
static_assert(kCreates<decltype(&::hiprtcCreateProgram)>);
static_assert(kCompiles<decltype(&::hiprtcCompileProgram)>);
// As hip-7-changes.rst of ROCm/HIP has them.
static_assert(kCreates<hiprtcResult (*)(hiprtcProgram*, const char*, const char*, int, const char* const*,
                                        const char* const*)>);
static_assert(kCompiles<hiprtcResult (*)(hiprtcProgram, int, const char* const*)>);
static_assert(!kCompiles<hiprtcResult (*)(hiprtcProgram, long, const char* const*)>);
SAME_FUNCTION(hiprtcGetProgramLogSize);
SAME_FUNCTION(hiprtcGetProgramLog);
SAME_FUNCTION(hiprtcGetCodeSize);
SAME_FUNCTION(hiprtcGetCode);
SAME_FUNCTION(hiprtcDestroyProgram);

// Templates of the same name stand beside these.
static_assert(Signature<decltype(&own::functions::hipMalloc),
                        decltype(static_cast<hipError_t (*)(void**, std::size_t)>(&::hipMalloc))>::value);
static_assert(
    Signature<decltype(&own::functions::hipHostMalloc),
              decltype(static_cast<hipError_t (*)(void**, std::size_t, unsigned)>(&::hipHostMalloc))>::value);

#define SAME_NUMBER(name, theirs) \
  static_assert(static_cast<int>(own::name) == static_cast<int>(theirs), #name)
SAME_NUMBER(kHipSuccess, hipSuccess);
SAME_NUMBER(kHipErrorNoDevice, hipErrorNoDevice);
SAME_NUMBER(kHipErrorInvalidDevice, hipErrorInvalidDevice);
SAME_NUMBER(kHipEccEnabled, hipDeviceAttributeEccEnabled);
SAME_NUMBER(kHipClockKhz, hipDeviceAttributeClockRate);
SAME_NUMBER(kHipIntegrated, hipDeviceAttributeIntegrated);
SAME_NUMBER(kHipL2Bytes, hipDeviceAttributeL2CacheSize);
SAME_NUMBER(kHipManagedMemory, hipDeviceAttributeManagedMemory);
SAME_NUMBER(kHipMaxThreadsPerBlock, hipDeviceAttributeMaxThreadsPerBlock);
SAME_NUMBER(kHipThreadsPerMultiprocessor, hipDeviceAttributeMaxThreadsPerMultiProcessor);
SAME_NUMBER(kHipMemoryBusBits, hipDeviceAttributeMemoryBusWidth);
SAME_NUMBER(kHipMemoryClockKhz, hipDeviceAttributeMemoryClockRate);
SAME_NUMBER(kHipMultiprocessors, hipDeviceAttributeMultiprocessorCount);
SAME_NUMBER(kHipRegistersPerBlock, hipDeviceAttributeMaxRegistersPerBlock);
SAME_NUMBER(kHipSharedMemoryPerBlock, hipDeviceAttributeMaxSharedMemoryPerBlock);
SAME_NUMBER(kHipWarpSize, hipDeviceAttributeWarpSize);
SAME_NUMBER(kHipLargeBar, hipDeviceAttributeIsLargeBar);
SAME_NUMBER(kHipPhysicalMultiprocessors, hipDeviceAttributePhysicalMultiProcessorCount);
SAME_NUMBER(kHipFunctionMaxThreads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_NUMBER(kHipHostToDevice, hipMemcpyHostToDevice);
SAME_NUMBER(kHipDeviceToHost, hipMemcpyDeviceToHost);
SAME_NUMBER(kHipStreamNonBlocking, hipStreamNonBlocking);
SAME_NUMBER(kHipHostMallocDefault, hipHostMallocDefault);
SAME_NUMBER(kHipEventDefault, hipEventDefault);
SAME_NUMBER(kHiprtcSuccess, HIPRTC_SUCCESS);
static_assert(sizeof(own::HipUuid) == sizeof(hipUUID));
static_assert(sizeof(own::HipProperties) >= sizeof(hipDeviceProp_t));
static_assert(offsetof(hipDeviceProp_t, gcnArchName) ==
              (HIP_VERSION_MAJOR >= 6 ? own::kHipArchitectureOffset6 : own::kHipArchitectureOffset5));
static_assert(sizeof(hipDeviceProp_t::gcnArchName) == own::kHipArchitectureBytes);

// Signatures that must differ are told apart: the comparison can fail.
TEST(HipAbi, ComparisonTellsSignaturesApart) {
  EXPECT_FALSE((Signature<int (*)(int*, int), int (*)(long*, int)>::value));
  EXPECT_FALSE((Signature<int (*)(int), int (*)(int, int)>::value));
  EXPECT_TRUE((Signature<int (*)(own::HipModule), int (*)(hipModule_t)>::value));
}

TEST(HipAbi, CodesHaveTheHeadersNames) {
  auto header = codes::Read(WHICHGPU_ABI_HEADER, "hipError");
  header.names_of.erase(header.code_of["hipErrorTbd"]);  // the end of the list
  codes::ExpectSame(header, [](int code) { return own::ErrorOf("", code); }, true);
  codes::ExpectSame(
      codes::Read(std::string(WHICHGPU_ABI_FOLDER) + "/hip/hiprtc.h", "HIPRTC_ERROR_"),
      [](int code) { return own::CompilerErrorOf("", code); }, true);
}

}  // namespace
