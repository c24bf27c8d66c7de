// SPDX-License-Identifier: MIT
#include "probe/opencl/opencl_drivers.h"

#include <CL/cl_icd.h>

#include <algorithm>
#include <array>

#include "probe/core/text.h"
#include "probe/core/topology_variables.h"
#include "probe/system/this_process.h"

namespace probe::opencl {
namespace {

constexpr std::array<std::string_view, 23> kOwnVariables = {
    // the loaders: libOpenCL(7) of ocl-icd, the readme of Khronos's
    "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES", "OPENCL_LAYERS", "OPENCL_LAYER_PATH",
    "OCL_ICD_PLATFORM_SORT", "OCL_ICD_DEFAULT_PLATFORM", "OCL_ICD_ASSUME_ICD_EXTENSION",
    // PoCL's environment.rst
    "POCL_DEVICES", "POCL_MAX_PTHREAD_COUNT", "POCL_MEMORY_LIMIT",
    // NVIDIA, AMD
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES",
    "HSA_OVERRIDE_GFX_VERSION",
    // Intel; with the last three its driver plays a GPU that is not there
    "ZE_AFFINITY_MASK", "CL_CONFIG_USE_NATIVE_DOUBLE", "NEOReadDebugKeys", "SetCommandStreamReceiver",
    "ProductFamilyOverride",
    // Mesa
    "RUSTICL_ENABLE", "RUSTICL_FEATURES"};

// PoCL asks hwloc for the processor.
constexpr auto kVisibility = [] {
  std::array<std::string_view, kOwnVariables.size() + kTopologyVariables.size()> all;
  std::copy(kTopologyVariables.begin(), kTopologyVariables.end(),
            std::copy(kOwnVariables.begin(), kOwnVariables.end(), all.begin()));
  return all;
}();

constexpr std::string_view kPackages =
    "no OpenCL driver is registered; Debian's are pocl-opencl-icd (the processor), intel-opencl-icd, "
    "nvidia-opencl-icd, rocm-opencl-icd and mesa-opencl-icd";

// One driver: how its library is called, what hides its devices, and the node that it must open.
struct DriverRow {
  std::string_view library;
  std::array<std::string_view, 2> hiding;
  std::string_view node_directory;
  std::string_view node_prefix;
  std::string_view advice;
};
constexpr std::array kDrivers = {
    DriverRow{"libnvidia-opencl", {"CUDA_VISIBLE_DEVICES", ""}, "/dev", "nvidiactl", ""},
    DriverRow{"libamdocl", {"ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"}, "/dev", "kfd", ""},
    DriverRow{"libigdrcl", {"ZE_AFFINITY_MASK", ""}, "/dev/dri", "renderD", ""},
    DriverRow{"libMesaOpenCL", {"", ""}, "/dev/dri", "renderD", ""},
    DriverRow{"libRusticlOpenCL",
              {"", ""},
              "/dev/dri",
              "renderD",
              "; rusticl uses only the drivers that RUSTICL_ENABLE names, such as RUSTICL_ENABLE=radeonsi"},
    DriverRow{"libpocl", {"POCL_DEVICES", ""}, "", "", ""},
};

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The first node of the row that exists and may not be opened; nullopt as soon as one may.
std::optional<Error> Denied(const DriverRow& row, const system::FileSystem& files) {
  std::optional<Error> denied;
  if (row.node_directory.empty()) return denied;
  for (const auto& name : files.List(row.node_directory)) {
    if (!name.starts_with(row.node_prefix)) continue;
    const std::string path = std::string(row.node_directory) + "/" + name;
    const auto opened = files.TryOpen(path);
    if (opened) return std::nullopt;
    if (!denied && (opened.error().name == "EACCES" || opened.error().name == "EPERM")) {
      denied = Error{"open " + path, opened.error().code, opened.error().name,
                     "the device node may not be opened: join the group that owns it (render or video)"};
    }
  }
  return denied;
}

}  // namespace

std::span<const std::string_view> VisibilityVariables() { return kVisibility; }

std::optional<std::string> LibraryOf(cl_platform_id platform) {
  const auto* table = *reinterpret_cast<const cl_icd_dispatch* const*>(platform);
  if (auto file = system::FileOfAddress(table)) return file;
  return table == nullptr ? std::nullopt
                          : system::FileOfAddress(reinterpret_cast<const void*>(table->clGetPlatformInfo));
}

std::optional<std::size_t> ManifestOf(const std::string& library, const std::vector<Manifest>& manifests,
                                      const system::FileSystem& files) {
  const std::string real = files.Resolve(library).value_or(library);
  std::optional<std::size_t> match;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const auto& manifest = manifests[i];
    if (manifest.refused) continue;
    const bool plain = manifest.library.find('/') == std::string::npos;
    const bool same = plain ? manifest.library == FileName(library) || manifest.library == FileName(real)
                            : files.Resolve(manifest.library).value_or(manifest.library) == real;
    if (!same) continue;
    if (match) return std::nullopt;
    match = i;
  }
  return match;
}

Silence WhyNoDevice(std::string_view library, const system::FileSystem& files,
                    const system::Environment& environment) {
  Silence out{Outcome::kNoDevice, ErrorOf("clGetDeviceIDs", CL_DEVICE_NOT_FOUND)};
  out.error.text = "the driver works and has no device";
  const auto name = FileName(library);
  for (const auto& row : kDrivers) {
    if (!name.starts_with(row.library)) continue;
    for (const auto variable : row.hiding) {
      if (const auto value = variable.empty() ? std::nullopt : environment.Get(variable)) {
        out.outcome = Outcome::kHidden;
        out.error.text = std::string(variable) + "=" + CleanText(*value) + " hides its devices: unset it";
        return out;
      }
    }
    if (auto denied = Denied(row, files)) return {Outcome::kDenied, *std::move(denied)};
    out.error.text += row.advice;
  }
  return out;
}

std::optional<Error> HidingVariable(const system::FileSystem& files, const system::Environment& environment) {
  for (const auto* variable : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const auto value = environment.Get(variable);
    if (!value || value->empty()) continue;
    if (ManifestPaths(files, system::Environment{}).empty()) return std::nullopt;
    return Error{std::string("read ") + variable, std::nullopt, "hidden",
                 std::string(variable) + "=" + CleanText(*value) +
                     " leads past the drivers in /etc/OpenCL/vendors: unset it"};
  }
  return std::nullopt;
}

Silence WhyNoDriver(const system::FileSystem& files, const system::Environment& environment) {
  Silence out{Outcome::kAbsent, ErrorOf("clGetPlatformIDs", CL_PLATFORM_NOT_FOUND_KHR)};
  out.error.text = kPackages;
  if (const auto hiding = HidingVariable(files, environment)) {
    out.outcome = Outcome::kHidden;
    out.error.text = hiding->text;
  }
  return out;
}

}  // namespace probe::opencl
