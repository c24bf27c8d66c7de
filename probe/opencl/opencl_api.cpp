// SPDX-License-Identifier: MIT
#include "probe/opencl/opencl_api.h"

#include <algorithm>
#include <array>
#include <utility>

#include "probe/core/text.h"

namespace probe::opencl {
namespace {

// No name, version or extension list of a driver is this long.
constexpr std::size_t kMaxForeignText = 64U << 10U;

struct CodeRow {
  cl_int code;
  std::string_view name;
};

// Khronos, CL/cl.h and CL/cl_ext.h: those that a probe or a computation can meet.
constexpr std::array kCodes = {
    CodeRow{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    CodeRow{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    CodeRow{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    CodeRow{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    CodeRow{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    CodeRow{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    CodeRow{CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    CodeRow{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    CodeRow{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    CodeRow{CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE"},
    CodeRow{CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE"},
    CodeRow{CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE"},
    CodeRow{CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    CodeRow{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    CodeRow{CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE"},
    CodeRow{CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    CodeRow{CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    CodeRow{CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    CodeRow{CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    CodeRow{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    CodeRow{CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    CodeRow{CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    CodeRow{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    CodeRow{CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    CodeRow{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    CodeRow{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    CodeRow{CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    CodeRow{CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    CodeRow{CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    CodeRow{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    CodeRow{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    CodeRow{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    CodeRow{CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    CodeRow{CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    CodeRow{CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    CodeRow{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    CodeRow{CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    CodeRow{CL_PLATFORM_NOT_FOUND_KHR, "CL_PLATFORM_NOT_FOUND_KHR"},
};

// The text behind a size-then-content query, up to its first NUL.
template <class Query>
std::string ForeignText(const Query& query) {
  std::size_t size = 0;
  if (query(0, nullptr, &size) != CL_SUCCESS || size == 0 || size > kMaxForeignText) return {};
  std::string text(size, '\0');
  if (query(size, text.data(), nullptr) != CL_SUCCESS) return {};
  return CleanText(text.substr(0, text.find('\0')), kMaxForeignText);
}

}  // namespace

Result<system::Library> OpenLoader(const system::FileSystem& files, const system::Environment& environment) {
  auto library = system::Library::Open(kLoaderNames, {}, files, environment);
  if (library.ok() || !library.error().Is(OwnError::kAbsent)) return library;
  Error error = library.error();
  error.text = "the OpenCL loader is not installed (Debian: ocl-icd-libopencl1)";
  return error;
}

Result<Api> ResolveApi(const system::Library& library) {
  Api api;
  std::string_view missing;
#define WHICHGPU_OPENCL_SYMBOL(symbol, required)               \
  api.symbol = library.Function<decltype(&::symbol)>(#symbol); \
  if ((required) && missing.empty() && api.symbol == nullptr) missing = #symbol;
#include "probe/opencl/opencl_symbols.def"
#undef WHICHGPU_OPENCL_SYMBOL
  if (missing.empty()) return api;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               library.info().path.value_or(library.info().soname) + " lacks a function of OpenCL 1.2"};
}

Error ErrorOf(std::string_view call, cl_int code) {
  const auto row =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeRow& r) { return r.code == code; });
  return {std::string(call), code, std::string(row == kCodes.end() ? "unknown error" : row->name), {}};
}

Result<std::vector<cl_platform_id>> Platforms(const Api& api) {
  std::vector<cl_platform_id> all(kMaxPlatforms);
  cl_uint count = 0;
  const cl_int code = api.clGetPlatformIDs(kMaxPlatforms, all.data(), &count);
  if (code != CL_SUCCESS) return ErrorOf("clGetPlatformIDs", code);
  all.resize(std::min(count, kMaxPlatforms));
  // Two manifests of one library give the same platform twice.
  std::vector<cl_platform_id> unique;
  for (const cl_platform_id platform : all) {
    if (platform == nullptr || std::find(unique.begin(), unique.end(), platform) != unique.end()) continue;
    unique.push_back(platform);
  }
  return unique;
}

Result<std::vector<cl_device_id>> Devices(const Api& api, cl_platform_id platform) {
  std::vector<cl_device_id> devices(kMaxDevices);
  cl_uint count = 0;
  const cl_int code = api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, kMaxDevices, devices.data(), &count);
  if (code == CL_DEVICE_NOT_FOUND) return std::vector<cl_device_id>{};
  if (code != CL_SUCCESS) return ErrorOf("clGetDeviceIDs", code);
  devices.resize(std::min(count, kMaxDevices));
  return devices;
}

std::string PlatformText(const Api& api, cl_platform_id platform, cl_platform_info name) {
  return ForeignText([&](std::size_t size, void* value, std::size_t* needed) {
    return api.clGetPlatformInfo(platform, name, size, value, needed);
  });
}

std::string DeviceText(const Api& api, cl_device_id device, cl_device_info name) {
  return ForeignText([&](std::size_t size, void* value, std::size_t* needed) {
    return api.clGetDeviceInfo(device, name, size, value, needed);
  });
}

bool HasExtension(std::string_view extensions, std::string_view name) {
  while (!extensions.empty()) {
    const auto end = std::min(extensions.find(' '), extensions.size());
    if (extensions.substr(0, end) == name) return true;
    extensions.remove_prefix(std::min(end + 1, extensions.size()));
  }
  return false;
}

}  // namespace probe::opencl
