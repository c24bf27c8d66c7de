// SPDX-License-Identifier: MIT
// The door to OpenCL for this folder and for backends/opencl: the functions of libOpenCL, their errors, and
// what a device says of itself; which drivers the loader may see is probe/system's. Computes nothing.
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/library.h"
#include "probe/system/opencl_manifests.h"

namespace probe::opencl {

// The functions of opencl_symbols.def; a missing optional one is nullptr.
struct Api {
#define WHICHGPU_OPENCL_SYMBOL(name, required) decltype(&::name) name = nullptr;  // NOLINT: declares it
#include "probe/opencl/opencl_symbols.def"
#undef WHICHGPU_OPENCL_SYMBOL
};

inline constexpr std::array<std::string_view, 3> kLoaderNames = {
    "libOpenCL.so.1", "libOpenCL.so", "/System/Library/Frameworks/OpenCL.framework/OpenCL"};

// The driver-independent loader, libOpenCL.so.1. Errors as system::Library::Open, with what to install.
[[nodiscard]] Result<system::Library> OpenLoader(const system::FileSystem& files,
                                                 const system::Environment& environment);
// The error names the first required symbol that the library lacks.
[[nodiscard]] Result<Api> ResolveApi(const system::Library& library);

// An Error for the code that `call` returned, with Khronos's name of it.
[[nodiscard]] Error ErrorOf(std::string_view call, cl_int code);

// At most kMaxPlatforms, without repetitions. CL_PLATFORM_NOT_FOUND_KHR is an error, as the loader reports
// it.
inline constexpr cl_uint kMaxPlatforms = 64;
[[nodiscard]] Result<std::vector<cl_platform_id>> Platforms(const Api& api);
// Devices of every type, at most kMaxDevices; none is not an error.
inline constexpr cl_uint kMaxDevices = 256;
[[nodiscard]] Result<std::vector<cl_device_id>> Devices(const Api& api, cl_platform_id platform);

// Texts are cleaned; empty where the driver gives none.
[[nodiscard]] std::string PlatformText(const Api& api, cl_platform_id platform, cl_platform_info name);
[[nodiscard]] std::string DeviceText(const Api& api, cl_device_id device, cl_device_info name);

// A value of exactly T's size, or nullopt.
template <class T>
[[nodiscard]] std::optional<T> DeviceValue(const Api& api, cl_device_id device, cl_device_info name) {
  T value{};
  std::size_t size = 0;
  if (api.clGetDeviceInfo(device, name, sizeof(T), &value, &size) != CL_SUCCESS || size != sizeof(T)) {
    return std::nullopt;
  }
  return value;
}

// Whether a space-separated list of extensions, such as CL_DEVICE_EXTENSIONS, has this one.
[[nodiscard]] bool HasExtension(std::string_view extensions, std::string_view name);

// Everything that one device says of itself. manifest is left to the caller.
[[nodiscard]] RuntimeDevice ReadDevice(const Api& api, cl_platform_id platform, cl_device_id device,
                                       std::uint32_t ordinal);

// Which drivers the loader may see.
using system::opencl::FindManifests;
using system::opencl::Manifest;
using system::opencl::ManifestPaths;
using system::opencl::ReadManifest;
using system::opencl::RestrictLoader;
using system::opencl::RestrictTo;

}  // namespace probe::opencl
