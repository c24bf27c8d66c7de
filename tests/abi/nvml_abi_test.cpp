// SPDX-License-Identifier: MIT
// probe/cuda/cuda_declarations.h against NVIDIA's nvml.h: numbers, layouts, and every function's signature
// under the name that cuda_nvml_symbols.def asks for.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <gtest/gtest.h>
#include <nvml.h>

#include <cstddef>

#include "probe/cuda/cuda_declarations.h"
#include "probe/cuda/cuda_nvml_api.h"
#include "tests/abi/codes.h"
#include "tests/abi/same_signature.h"

namespace {

namespace own = probe::cuda;
using signatures::Signature;

#define SAME_FUNCTION(name, theirs) \
  static_assert(Signature<decltype(&own::functions::name), decltype(&::theirs)>::value, #name)
SAME_FUNCTION(nvmlInit, nvmlInit_v2);
SAME_FUNCTION(nvmlDeviceGetCount, nvmlDeviceGetCount_v2);
SAME_FUNCTION(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2);
SAME_FUNCTION(nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2);
SAME_FUNCTION(nvmlDeviceGetUUID, nvmlDeviceGetUUID);
SAME_FUNCTION(nvmlSystemGetDriverVersion, nvmlSystemGetDriverVersion);
SAME_FUNCTION(nvmlDeviceGetName, nvmlDeviceGetName);
SAME_FUNCTION(nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v3);
SAME_FUNCTION(nvmlDeviceGetMemoryInfo, nvmlDeviceGetMemoryInfo);
SAME_FUNCTION(nvmlDeviceGetUtilizationRates, nvmlDeviceGetUtilizationRates);
SAME_FUNCTION(nvmlDeviceGetClockInfo, nvmlDeviceGetClockInfo);
SAME_FUNCTION(nvmlDeviceGetMaxClockInfo, nvmlDeviceGetMaxClockInfo);
SAME_FUNCTION(nvmlDeviceGetEnforcedPowerLimit, nvmlDeviceGetEnforcedPowerLimit);
SAME_FUNCTION(nvmlDeviceGetTemperature, nvmlDeviceGetTemperature);
SAME_FUNCTION(nvmlDeviceGetPowerUsage, nvmlDeviceGetPowerUsage);
SAME_FUNCTION(nvmlDeviceGetPowerManagementDefaultLimit, nvmlDeviceGetPowerManagementDefaultLimit);
SAME_FUNCTION(nvmlDeviceGetCurrentClocksThrottleReasons, nvmlDeviceGetCurrentClocksThrottleReasons);
SAME_FUNCTION(nvmlDeviceGetNvLinkState, nvmlDeviceGetNvLinkState);
SAME_FUNCTION(nvmlDeviceGetPersistenceMode, nvmlDeviceGetPersistenceMode);
SAME_FUNCTION(nvmlDeviceGetMigMode, nvmlDeviceGetMigMode);
SAME_FUNCTION(nvmlDeviceGetMaxMigDeviceCount, nvmlDeviceGetMaxMigDeviceCount);
SAME_FUNCTION(nvmlDeviceGetMigDeviceHandleByIndex, nvmlDeviceGetMigDeviceHandleByIndex);
SAME_FUNCTION(nvmlDeviceGetGpuInstanceId, nvmlDeviceGetGpuInstanceId);
SAME_FUNCTION(nvmlDeviceGetComputeInstanceId, nvmlDeviceGetComputeInstanceId);
SAME_FUNCTION(nvmlDeviceGetAttributes, nvmlDeviceGetAttributes_v2);
// Only asked how many there are, with a null pointer in the place of the entries.
static_assert(std::is_invocable_v<decltype(&::nvmlDeviceGetComputeRunningProcesses), nvmlDevice_t,
                                  unsigned int*, std::nullptr_t>);

static_assert(sizeof(own::NvmlPci) == sizeof(nvmlPciInfo_t));
static_assert(offsetof(own::NvmlPci, domain) == offsetof(nvmlPciInfo_t, domain));
static_assert(offsetof(own::NvmlPci, device) == offsetof(nvmlPciInfo_t, device));
static_assert(offsetof(own::NvmlPci, pci_device_id) == offsetof(nvmlPciInfo_t, pciDeviceId));
static_assert(offsetof(own::NvmlPci, pci_subsystem_id) == offsetof(nvmlPciInfo_t, pciSubSystemId));
static_assert(offsetof(own::NvmlPci, bus_id) == offsetof(nvmlPciInfo_t, busId));
static_assert(offsetof(own::NvmlMemory, total) == offsetof(nvmlMemory_t, total));
static_assert(offsetof(own::NvmlMemory, free) == offsetof(nvmlMemory_t, free));
static_assert(offsetof(own::NvmlUtilization, gpu) == offsetof(nvmlUtilization_t, gpu));
static_assert(offsetof(own::NvmlAttributes, multiprocessors) ==
              offsetof(nvmlDeviceAttributes_t, multiprocessorCount));
static_assert(offsetof(own::NvmlAttributes, memory_mib) == offsetof(nvmlDeviceAttributes_t, memorySizeMB));

#define SAME_NUMBER(name, theirs) \
  static_assert(static_cast<long>(own::name) == static_cast<long>(theirs), #name)
SAME_NUMBER(kNvmlSuccess, NVML_SUCCESS);
SAME_NUMBER(kNvmlInvalidArgument, NVML_ERROR_INVALID_ARGUMENT);
SAME_NUMBER(kNvmlNotSupported, NVML_ERROR_NOT_SUPPORTED);
SAME_NUMBER(kNvmlInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
SAME_NUMBER(kNvmlClockSm, NVML_CLOCK_SM);
SAME_NUMBER(kNvmlTemperatureGpu, NVML_TEMPERATURE_GPU);
SAME_NUMBER(kNvmlClockMemory, NVML_CLOCK_MEM);
static_assert(own::kNvmlMaxLinks >= NVML_NVLINK_MAX_LINKS);
static_assert(own::kNvmlTextBytes >= NVML_DEVICE_UUID_V2_BUFFER_SIZE &&
              own::kNvmlTextBytes >= NVML_DEVICE_NAME_BUFFER_SIZE &&
              own::kNvmlTextBytes >= NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);

TEST(NvmlAbi, CodesHaveTheHeadersNames) {
  codes::ExpectSame(
      codes::Read(WHICHGPU_ABI_HEADER, "NVML_ERROR_"), [](int code) { return own::NvmlErrorOf("", code); },
      true);
}

// What ThrottleText calls them.
TEST(NvmlAbi, ReasonsHaveTheHeadersBits) {
  EXPECT_EQ(own::ThrottleText(nvmlClocksThrottleReasonSwPowerCap), "power cap");
  EXPECT_EQ(own::ThrottleText(nvmlClocksThrottleReasonHwSlowdown), "hardware slowdown");
  EXPECT_EQ(own::ThrottleText(nvmlClocksThrottleReasonSwThermalSlowdown), "software thermal");
  EXPECT_EQ(own::ThrottleText(nvmlClocksThrottleReasonHwThermalSlowdown), "hardware thermal");
  EXPECT_EQ(own::ThrottleText(nvmlClocksThrottleReasonHwPowerBrakeSlowdown), "power brake");
  EXPECT_EQ(own::ThrottleText(nvmlClocksThrottleReasonGpuIdle), "");
}

}  // namespace
