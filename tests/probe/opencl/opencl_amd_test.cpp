// SPDX-License-Identifier: MIT
// What AMD's OpenCL says of its devices by its own extension.
#include <gtest/gtest.h>

#include <cstring>

#include "probe/opencl/opencl_api.h"

namespace probe::opencl {
namespace {

struct Device {
  const char* name;
  cl_uint units, simds;
};

cl_int Answer(const void* value, std::size_t bytes, std::size_t room, void* to, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes;
  if (to != nullptr && room >= bytes) std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

cl_int Tell(cl_device_id id, cl_device_info name, std::size_t room, void* to, std::size_t* needed) {
  const auto& device = *reinterpret_cast<const Device*>(id);
  const auto text = [&](const char* value) {
    return Answer(value, std::strlen(value) + 1, room, to, needed);
  };
  switch (name) {
    case CL_DEVICE_NAME:
      return text(device.name);
    case CL_DEVICE_EXTENSIONS:
      return text(device.simds == 0 ? "cl_khr_fp16" : "cl_khr_fp16 cl_amd_device_attribute_query");
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return Answer(&device.units, sizeof device.units, room, to, needed);
    case CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD:
      return Answer(&device.simds, sizeof device.simds, room, to, needed);
    default:
      return CL_INVALID_VALUE;
  }
}

std::uint32_t Units(Device device) {
  Api api;
  api.clGetDeviceInfo = Tell;
  api.clGetPlatformInfo = [](cl_platform_id, cl_platform_info, std::size_t, void*, std::size_t*) -> cl_int {
    return CL_INVALID_VALUE;
  };
  return ReadDevice(api, nullptr, reinterpret_cast<cl_device_id>(&device), 0).compute_units.value_or(0);
}

TEST(AmdOpenCl, CountsPairsOfComputeUnitsOnRdnaUnlessItsSimdsSayOtherwise) {
  EXPECT_EQ(Units({"gfx1100", 48, 4}), 96U);
  EXPECT_EQ(Units({"gfx1100", 96, 2}), 96U) << "GPU_ENABLE_WGP_MODE=0";
  EXPECT_EQ(Units({"gfx90a:sramecc+:xnack-", 104, 4}), 104U);
  EXPECT_EQ(Units({"gfx1100", 96, 0}), 96U) << "another driver, without AMD's extension";
}

}  // namespace
}  // namespace probe::opencl
