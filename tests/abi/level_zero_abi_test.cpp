// SPDX-License-Identifier: MIT
// probe/level_zero/level_zero_declarations.h against ze_api.h and zes_api.h: numbers, every structure's size
// and its last fields, and every function's signature.
#include <gtest/gtest.h>
#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#include <cstddef>
#include <fstream>
#include <regex>

#include "probe/level_zero/level_zero_api.h"
#include "tests/abi/same_signature.h"

namespace {

namespace own = probe::level_zero;
using signatures::Signature;

#define SAME_FUNCTION(name) \
  static_assert(Signature<decltype(&own::functions::name), decltype(&::name)>::value, #name)
SAME_FUNCTION(zeInit);
SAME_FUNCTION(zeDriverGet);
SAME_FUNCTION(zeDriverGetProperties);
SAME_FUNCTION(zeDriverGetExtensionProperties);
SAME_FUNCTION(zeDeviceGet);
SAME_FUNCTION(zeDeviceGetSubDevices);
SAME_FUNCTION(zeDeviceGetProperties);
SAME_FUNCTION(zeDeviceGetComputeProperties);
SAME_FUNCTION(zeDeviceGetModuleProperties);
SAME_FUNCTION(zeDeviceGetCommandQueueGroupProperties);
SAME_FUNCTION(zeDeviceGetMemoryProperties);
SAME_FUNCTION(zeDeviceGetCacheProperties);
SAME_FUNCTION(zeDevicePciGetPropertiesExt);
SAME_FUNCTION(zeContextCreate);
SAME_FUNCTION(zeCommandQueueCreate);
SAME_FUNCTION(zeCommandQueueExecuteCommandLists);
SAME_FUNCTION(zeCommandQueueSynchronize);
SAME_FUNCTION(zeCommandListCreate);
SAME_FUNCTION(zeCommandListClose);
SAME_FUNCTION(zeCommandListReset);
SAME_FUNCTION(zeCommandListAppendBarrier);
SAME_FUNCTION(zeCommandListAppendMemoryCopy);
SAME_FUNCTION(zeCommandListAppendLaunchKernel);
SAME_FUNCTION(zeEventPoolCreate);
SAME_FUNCTION(zeEventCreate);
SAME_FUNCTION(zeEventHostReset);
SAME_FUNCTION(zeEventQueryKernelTimestamp);
SAME_FUNCTION(zeMemAllocDevice);
SAME_FUNCTION(zeMemAllocHost);
SAME_FUNCTION(zeMemFree);
SAME_FUNCTION(zeModuleCreate);
SAME_FUNCTION(zeModuleBuildLogGetString);
SAME_FUNCTION(zeModuleBuildLogDestroy);
SAME_FUNCTION(zeKernelCreate);
SAME_FUNCTION(zeKernelSetGroupSize);
SAME_FUNCTION(zeKernelSetArgumentValue);
SAME_FUNCTION(zesDevicePciGetProperties);
SAME_FUNCTION(zesDeviceEnumMemoryModules);
SAME_FUNCTION(zesMemoryGetState);
SAME_FUNCTION(zesDeviceEnumFrequencyDomains);
SAME_FUNCTION(zesFrequencyGetProperties);
SAME_FUNCTION(zesFrequencyGetState);
// Enumerations of the header are as large as its own numbers.
static_assert(Signature<own::ZeResult (*)(own::ZeDriver, unsigned*),
                        decltype(&own::functions::zeDriverGetApiVersion)>::value);
static_assert(sizeof(ze_api_version_t) == sizeof(std::uint32_t));

#define SAME_NUMBER(name, theirs) \
  static_assert(static_cast<std::uint32_t>(own::name) == static_cast<std::uint32_t>(theirs), #name)
SAME_NUMBER(kZeSuccess, ZE_RESULT_SUCCESS);
SAME_NUMBER(kZeNotReady, ZE_RESULT_NOT_READY);
SAME_NUMBER(kZeDeviceLost, ZE_RESULT_ERROR_DEVICE_LOST);
SAME_NUMBER(kZeOutOfHostMemory, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
SAME_NUMBER(kZeOutOfDeviceMemory, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
SAME_NUMBER(kZeModuleBuildFailure, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
SAME_NUMBER(kZeUninitialized, ZE_RESULT_ERROR_UNINITIALIZED);
SAME_NUMBER(kZeUnsupportedFeature, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
SAME_NUMBER(kZeInvalidArgument, ZE_RESULT_ERROR_INVALID_ARGUMENT);
SAME_NUMBER(kZeInitGpuOnly, ZE_INIT_FLAG_GPU_ONLY);
SAME_NUMBER(kZeGpu, ZE_DEVICE_TYPE_GPU);
SAME_NUMBER(kZeCpu, ZE_DEVICE_TYPE_CPU);
SAME_NUMBER(kZeIntegrated, ZE_DEVICE_PROPERTY_FLAG_INTEGRATED);
SAME_NUMBER(kZeErrorCorrection, ZE_DEVICE_PROPERTY_FLAG_ECC);
SAME_NUMBER(kZeModuleFp16, ZE_DEVICE_MODULE_FLAG_FP16);
SAME_NUMBER(kZeModuleFp64, ZE_DEVICE_MODULE_FLAG_FP64);
SAME_NUMBER(kZeModuleDp4a, ZE_DEVICE_MODULE_FLAG_DP4A);
SAME_NUMBER(kZeQueueCompute, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
SAME_NUMBER(kZeQueueCopy, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
SAME_NUMBER(kZeQueueAsynchronous, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
SAME_NUMBER(kZeEventHostVisible, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
SAME_NUMBER(kZeEventTimestamps, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
SAME_NUMBER(kZeScopeHost, ZE_EVENT_SCOPE_FLAG_HOST);
SAME_NUMBER(kZeSpirv, ZE_MODULE_FORMAT_IL_SPIRV);
SAME_NUMBER(kZesFrequencyGpu, ZES_FREQ_DOMAIN_GPU);
SAME_NUMBER(kZesAveragePowerCap, ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP);
SAME_NUMBER(kZesBurstPowerCap, ZES_FREQ_THROTTLE_REASON_FLAG_BURST_PWR_CAP);
SAME_NUMBER(kZesCurrentLimit, ZES_FREQ_THROTTLE_REASON_FLAG_CURRENT_LIMIT);
SAME_NUMBER(kZesThermalLimit, ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT);
SAME_NUMBER(kZesSupplyAlert, ZES_FREQ_THROTTLE_REASON_FLAG_PSU_ALERT);

#define SAME_STRUCT(name, theirs, field, their_field)                                                 \
  static_assert(sizeof(own::name) == sizeof(theirs) && alignof(own::name) == alignof(theirs), #name); \
  static_assert(offsetof(own::name, field) == offsetof(theirs, their_field), #name)
SAME_STRUCT(ZeDriverProperties, ze_driver_properties_t, version, driverVersion);
SAME_STRUCT(ZeExtension, ze_driver_extension_properties_t, version, version);
SAME_STRUCT(ZeDeviceProperties, ze_device_properties_t, name, name);
static_assert(offsetof(own::ZeDeviceProperties, slices) == offsetof(ze_device_properties_t, numSlices));
static_assert(offsetof(own::ZeDeviceProperties, timer_hz) ==
              offsetof(ze_device_properties_t, timerResolution));
static_assert(offsetof(own::ZeDeviceProperties, kernel_timestamp_bits) ==
              offsetof(ze_device_properties_t, kernelTimestampValidBits));
static_assert(offsetof(own::ZeDeviceProperties, max_allocation) ==
              offsetof(ze_device_properties_t, maxMemAllocSize));
SAME_STRUCT(ZeComputeProperties, ze_device_compute_properties_t, subgroup_size, subGroupSizes);
SAME_STRUCT(ZeModuleProperties, ze_device_module_properties_t, native_kernel, nativeKernelSupported);
SAME_STRUCT(ZeQueueGroup, ze_command_queue_group_properties_t, queues, numQueues);
SAME_STRUCT(ZeMemoryProperties, ze_device_memory_properties_t, bytes, totalSize);
SAME_STRUCT(ZeCacheProperties, ze_device_cache_properties_t, bytes, cacheSize);
SAME_STRUCT(ZePciProperties, ze_pci_ext_properties_t, speed, maxSpeed);
SAME_STRUCT(ZeContextDescription, ze_context_desc_t, flags, flags);
SAME_STRUCT(ZeQueueDescription, ze_command_queue_desc_t, priority, priority);
SAME_STRUCT(ZeListDescription, ze_command_list_desc_t, flags, flags);
SAME_STRUCT(ZeEventPoolDescription, ze_event_pool_desc_t, count, count);
SAME_STRUCT(ZeEventDescription, ze_event_desc_t, wait, wait);
SAME_STRUCT(ZeKernelTimestamps, ze_kernel_timestamp_result_t, context, context);
SAME_STRUCT(ZeDeviceMemoryDescription, ze_device_mem_alloc_desc_t, ordinal, ordinal);
SAME_STRUCT(ZeHostMemoryDescription, ze_host_mem_alloc_desc_t, flags, flags);
SAME_STRUCT(ZeModuleDescription, ze_module_desc_t, constants, pConstants);
SAME_STRUCT(ZeKernelDescription, ze_kernel_desc_t, name, pKernelName);
SAME_STRUCT(ZeGroups, ze_group_count_t, z, groupCountZ);
SAME_STRUCT(ZesPciProperties, zes_pci_properties_t, counts_replays, haveReplayCounters);
SAME_STRUCT(ZesMemoryState, zes_mem_state_t, size, size);
SAME_STRUCT(ZesFrequencyProperties, zes_freq_properties_t, most_mhz, max);
SAME_STRUCT(ZesFrequencyState, zes_freq_state_t, throttle_reasons, throttleReasons);
static_assert(offsetof(own::ZesFrequencyState, actual_mhz) == offsetof(zes_freq_state_t, actual));

#define SAME_TYPE(name, theirs) EXPECT_EQ(own::name{}.type, static_cast<std::uint32_t>(theirs)) << #name
TEST(LevelZeroAbi, StructuresBeginWithTheirTypes) {
  SAME_TYPE(ZeDriverProperties, ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES);
  SAME_TYPE(ZeDeviceProperties, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
  SAME_TYPE(ZeComputeProperties, ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
  SAME_TYPE(ZeModuleProperties, ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
  SAME_TYPE(ZeQueueGroup, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
  SAME_TYPE(ZeMemoryProperties, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
  SAME_TYPE(ZeCacheProperties, ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES);
  SAME_TYPE(ZePciProperties, ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
  SAME_TYPE(ZeContextDescription, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
  SAME_TYPE(ZeQueueDescription, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
  SAME_TYPE(ZeListDescription, ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
  SAME_TYPE(ZeEventPoolDescription, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
  SAME_TYPE(ZeEventDescription, ZE_STRUCTURE_TYPE_EVENT_DESC);
  SAME_TYPE(ZeDeviceMemoryDescription, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
  SAME_TYPE(ZeHostMemoryDescription, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
  SAME_TYPE(ZeModuleDescription, ZE_STRUCTURE_TYPE_MODULE_DESC);
  SAME_TYPE(ZeKernelDescription, ZE_STRUCTURE_TYPE_KERNEL_DESC);
  SAME_TYPE(ZesPciProperties, ZES_STRUCTURE_TYPE_PCI_PROPERTIES);
  SAME_TYPE(ZesMemoryState, ZES_STRUCTURE_TYPE_MEM_STATE);
  SAME_TYPE(ZesFrequencyProperties, ZES_STRUCTURE_TYPE_FREQ_PROPERTIES);
  SAME_TYPE(ZesFrequencyState, ZES_STRUCTURE_TYPE_FREQ_STATE);
}

// Of later releases: there where the header has them.
#ifdef ZES_SYSMAN_DEVICE_MAPPING_EXP_NAME
SAME_FUNCTION(zesInit);
SAME_FUNCTION(zesDriverGet);
SAME_FUNCTION(zesDeviceGet);
static_assert(sizeof(zes_uuid_t) == sizeof(own::ZeUuid));
#endif
#ifdef ZE_API_VERSION_CURRENT_M
SAME_FUNCTION(zeInitDrivers);
SAME_STRUCT(ZeDriverTypes, ze_init_driver_type_desc_t, flags, flags);
SAME_NUMBER(kZeInitDriverGpu, ZE_INIT_DRIVER_TYPE_FLAG_GPU);
static_assert(own::ZeDriverTypes{}.type == ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC);
#endif
#ifdef ZE_DEVICE_IP_VERSION_EXT_NAME
SAME_STRUCT(ZeIpVersion, ze_device_ip_version_ext_t, version, ipVersion);
TEST(LevelZeroAbi, IpVersionIsTheHeaders) {
  SAME_TYPE(ZeIpVersion, ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT);
  EXPECT_STREQ(ZE_DEVICE_IP_VERSION_EXT_NAME, "ZE_extension_device_ip_version");
}
#endif

TEST(LevelZeroAbi, CodesHaveTheHeadersNames) {
  std::ifstream file(WHICHGPU_ABI_HEADER);
  static const std::regex kRow(R"(^\s*(ZE_RESULT_\w+)\s*=\s*(0x[0-9a-f]+),)");
  std::size_t same = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch row;
    if (!std::regex_search(line, row, kRow)) continue;
    const auto name = own::ErrorOf("", static_cast<own::ZeResult>(std::stoul(row[2], nullptr, 16))).name;
    if (name == "unknown error") continue;
    EXPECT_EQ(name, row[1].str());
    ++same;
  }
  EXPECT_GT(same, 30U) << "the header was not understood";
}

// Signatures that must differ are told apart: the comparison can fail.
TEST(LevelZeroAbi, ComparisonTellsSignaturesApart) {
  EXPECT_FALSE((Signature<decltype(&own::functions::zeMemFree), decltype(&::zeModuleDestroy)>::value));
  EXPECT_FALSE((Signature<own::ZeResult (*)(std::uint64_t), decltype(&::zeInit)>::value));
}

}  // namespace
