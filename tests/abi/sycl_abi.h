// SPDX-License-Identifier: MIT
// probe/sycl/sycl_declarations.h against ur_api.h: what every release has the same. What differs has a test
// for each release that Intel's wheels have the header of.
#pragma once

#include <gtest/gtest.h>
#include <ur_api.h>

#include <cstddef>

#include "probe/sycl/sycl_api.h"
#include "tests/abi/codes.h"
#include "tests/abi/same_signature.h"

namespace sycl_abi {

namespace own = probe::sycl;
using signatures::Signature;

#define SAME_FUNCTION(name) \
  static_assert(Signature<decltype(&own::functions::name), decltype(&::name)>::value, #name)
SAME_FUNCTION(urLoaderInit);
SAME_FUNCTION(urAdapterGet);
SAME_FUNCTION(urPlatformGetInfo);
SAME_FUNCTION(urDeviceGet);
SAME_FUNCTION(urDeviceGetInfo);
SAME_FUNCTION(urQueueFinish);
SAME_FUNCTION(urQueueFlush);
SAME_FUNCTION(urUSMFree);
SAME_FUNCTION(urEnqueueUSMMemcpy);
SAME_FUNCTION(urProgramBuild);
SAME_FUNCTION(urProgramGetBuildInfo);
SAME_FUNCTION(urKernelCreate);
SAME_FUNCTION(urQueueCreate);
SAME_FUNCTION(urEventGetProfilingInfo);
SAME_FUNCTION(urEventRelease);

// Of structures that are never given a null pointer stands for all.
template <class Own, class Theirs>
inline constexpr bool kSameCount = false;
template <class R, class... A, class S, class... B>
inline constexpr bool kSameCount<R (*)(A...), S (*)(B...)> =
    sizeof...(A) == sizeof...(B) && ((sizeof(A) == sizeof(B)) && ...);
#define SAME_COUNT(name) static_assert(kSameCount<decltype(&own::functions::name), decltype(&::name)>, #name)
SAME_COUNT(urContextCreate);
SAME_COUNT(urUSMDeviceAlloc);
SAME_COUNT(urUSMHostAlloc);
SAME_COUNT(urProgramCreateWithIL);

#define SAME_NUMBER(name, theirs) \
  static_assert(static_cast<std::uint32_t>(own::name) == static_cast<std::uint32_t>(theirs), #name)
SAME_NUMBER(kUrAll, UR_DEVICE_TYPE_ALL);
SAME_NUMBER(kUrGpu, UR_DEVICE_TYPE_GPU);
SAME_NUMBER(kUrCpu, UR_DEVICE_TYPE_CPU);
SAME_NUMBER(kUrPlatformName, UR_PLATFORM_INFO_NAME);
SAME_NUMBER(kUrPlatformVersion, UR_PLATFORM_INFO_VERSION);
SAME_NUMBER(kUrPlatformBackend, UR_PLATFORM_INFO_BACKEND);
SAME_NUMBER(kUrType, UR_DEVICE_INFO_TYPE);
SAME_NUMBER(kUrVendorId, UR_DEVICE_INFO_VENDOR_ID);
SAME_NUMBER(kUrDeviceId, UR_DEVICE_INFO_DEVICE_ID);
SAME_NUMBER(kUrComputeUnits, UR_DEVICE_INFO_MAX_COMPUTE_UNITS);
SAME_NUMBER(kUrWorkGroupSize, UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE);
SAME_NUMBER(kUrHalf, UR_DEVICE_INFO_HALF_FP_CONFIG);
SAME_NUMBER(kUrDouble, UR_DEVICE_INFO_DOUBLE_FP_CONFIG);
SAME_NUMBER(kUrVectorWidthFloat, UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT);
SAME_NUMBER(kUrClockMhz, UR_DEVICE_INFO_MAX_CLOCK_FREQUENCY);
SAME_NUMBER(kUrMaxAllocation, UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE);
SAME_NUMBER(kUrCacheBytes, UR_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE);
SAME_NUMBER(kUrMemoryBytes, UR_DEVICE_INFO_GLOBAL_MEM_SIZE);
SAME_NUMBER(kUrFreeBytes, UR_DEVICE_INFO_GLOBAL_MEM_FREE);
SAME_NUMBER(kUrLocalBytes, UR_DEVICE_INFO_LOCAL_MEM_SIZE);
SAME_NUMBER(kUrUnifiedMemory, UR_DEVICE_INFO_HOST_UNIFIED_MEMORY);
SAME_NUMBER(kUrIlVersion, UR_DEVICE_INFO_IL_VERSION);
SAME_NUMBER(kUrName, UR_DEVICE_INFO_NAME);
SAME_NUMBER(kUrDriverVersion, UR_DEVICE_INFO_DRIVER_VERSION);
SAME_NUMBER(kUrRuntimeVersion, UR_DEVICE_INFO_BACKEND_RUNTIME_VERSION);
SAME_NUMBER(kUrMostParts, UR_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES);
SAME_NUMBER(kUrSubgroupSizes, UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL);
SAME_NUMBER(kUrUuid, UR_DEVICE_INFO_UUID);
SAME_NUMBER(kUrPciAddress, UR_DEVICE_INFO_PCI_ADDRESS);
SAME_NUMBER(kUrIpVersion, UR_DEVICE_INFO_IP_VERSION);
SAME_NUMBER(kUrBuildLog, UR_PROGRAM_BUILD_INFO_LOG);
SAME_NUMBER(kUrCommandStart, UR_PROFILING_INFO_COMMAND_START);
SAME_NUMBER(kUrCommandEnd, UR_PROFILING_INFO_COMMAND_END);
SAME_NUMBER(kUrProfiling, UR_QUEUE_FLAG_PROFILING_ENABLE);

static_assert(sizeof(own::UrQueueProperties) == sizeof(ur_queue_properties_t));
static_assert(offsetof(own::UrQueueProperties, flags) == offsetof(ur_queue_properties_t, flags));

TEST(SyclAbi, StructuresBeginWithTheirTypes) {
  EXPECT_EQ(own::UrQueueProperties{}.type, static_cast<std::uint32_t>(UR_STRUCTURE_TYPE_QUEUE_PROPERTIES));
}

TEST(SyclAbi, CodesHaveTheNamesOfTheHeader) {
  codes::ExpectSame(
      codes::Read(WHICHGPU_ABI_HEADER, "UR_RESULT_ERROR_"),
      [](int code) { return own::ErrorOf("", static_cast<own::UrResult>(code)); }, false);
}

}  // namespace sycl_abi
