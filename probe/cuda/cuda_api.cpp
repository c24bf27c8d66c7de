// SPDX-License-Identifier: MIT
#include "probe/cuda/cuda_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/system/loader_path.h"

namespace probe::cuda {
namespace {

constexpr std::size_t kMaxDirectories = 64;

struct CodeRow {
  CuResult code;
  std::string_view name;
  std::string_view text;      // what it means to a person, where that is not plain from the name
  bool ends_context = false;  // cuda.h: later calls return the same, the process must end
};

// CUDA Driver API, enum CUresult: those that a probe or a computation can meet.
constexpr std::array kCodes = {
    CodeRow{1, "CUDA_ERROR_INVALID_VALUE", ""},
    CodeRow{2, "CUDA_ERROR_OUT_OF_MEMORY", "the device's memory is full"},
    CodeRow{3, "CUDA_ERROR_NOT_INITIALIZED", ""},
    CodeRow{4, "CUDA_ERROR_DEINITIALIZED", ""},
    CodeRow{34, "CUDA_ERROR_STUB_LIBRARY", "this libcuda is the toolkit's stub for linking, not a driver"},
    CodeRow{36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the driver is too old for this call"},
    CodeRow{46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
            "another process has the device in exclusive mode, or it is lost"},
    CodeRow{100, "CUDA_ERROR_NO_DEVICE", ""},
    CodeRow{101, "CUDA_ERROR_INVALID_DEVICE", ""},
    CodeRow{102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "a virtual GPU without a license"},
    CodeRow{200, "CUDA_ERROR_INVALID_IMAGE", ""},
    CodeRow{201, "CUDA_ERROR_INVALID_CONTEXT", ""},
    CodeRow{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no code for this device's architecture"},
    CodeRow{214, "CUDA_ERROR_ECC_UNCORRECTABLE",
            "the device's memory has an error that could not be corrected"},
    CodeRow{217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", ""},
    CodeRow{218, "CUDA_ERROR_INVALID_PTX", "the driver's compiler refuses the code"},
    CodeRow{220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", ""},
    CodeRow{221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "libnvidia-ptxjitcompiler.so.1 is missing"},
    CodeRow{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the driver is older than the code's version of PTX"},
    CodeRow{223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "CUDA_DISABLE_PTX_JIT is set"},
    CodeRow{226, "CUDA_ERROR_CONTAINED", "a fault of the device's memory was contained", true},
    CodeRow{301, "CUDA_ERROR_FILE_NOT_FOUND", ""},
    CodeRow{302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "parts of the driver are of other versions"},
    CodeRow{303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "a library of the driver can not be loaded"},
    CodeRow{304, "CUDA_ERROR_OPERATING_SYSTEM", "the operating system refused the driver a call"},
    CodeRow{500, "CUDA_ERROR_NOT_FOUND", ""},
    CodeRow{600, "CUDA_ERROR_NOT_READY", ""},
    CodeRow{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "", true},
    CodeRow{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", ""},
    CodeRow{702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran longer than the display's watchdog allows",
            true},
    CodeRow{710, "CUDA_ERROR_ASSERT", "", true},
    CodeRow{714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "", true},
    CodeRow{715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "", true},
    CodeRow{716, "CUDA_ERROR_MISALIGNED_ADDRESS", "", true},
    CodeRow{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "", true},
    CodeRow{718, "CUDA_ERROR_INVALID_PC", "", true},
    CodeRow{719, "CUDA_ERROR_LAUNCH_FAILED", "the kernel died or the device fell off the bus", true},
    CodeRow{800, "CUDA_ERROR_NOT_PERMITTED", "the driver or its administrator does not permit it"},
    CodeRow{801, "CUDA_ERROR_NOT_SUPPORTED", ""},
    CodeRow{802, "CUDA_ERROR_SYSTEM_NOT_READY",
            "the NVSwitch fabric is not up: nvidia-fabricmanager does not run"},
    CodeRow{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
            "libcuda and the kernel driver are of different versions"},
    CodeRow{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
            "a libcuda of the cuda-compat package is used, which this device does not support"},
    CodeRow{805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "the MPS server does not answer"},
    CodeRow{806, "CUDA_ERROR_MPS_RPC_FAILURE", "the MPS server does not answer"},
    CodeRow{807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server recovers from a fault: try again"},
    CodeRow{808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the MPS server has no room for another process"},
    CodeRow{809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED",
            "the MPS server has no room for another connection"},
    CodeRow{810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS server ended this process's work", true},
    CodeRow{912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", ""},
    CodeRow{999, "CUDA_ERROR_UNKNOWN", "the driver failed without saying why"},
};

// Every `<root>/<entry>/<tail>` that is a directory.
void AddBelow(const system::FileSystem& files, const std::string& root, std::string_view prefix,
              const std::string& tail, std::vector<std::string>& out) {
  for (const auto& entry : files.List(root)) {
    const std::string path = fmt::format("{}/{}{}", root, entry, tail);
    if (entry.starts_with(prefix) && out.size() < kMaxDirectories && files.Exists(path)) out.push_back(path);
  }
}

// NVIDIA's compilers with their libraries, by system and release: Linux_x86_64/24.5.
constexpr std::string_view kHpcSdk = "/opt/nvidia/hpc_sdk";

// Below which Pythons keep their packages, whoever is first when somebody types python3 before the system's.
std::vector<std::string> PythonPrefixes(const system::FileSystem& files,
                                        const system::Environment& environment) {
  std::vector<std::string> out;
  const auto add = [&](std::string prefix) {
    if (prefix.starts_with('/') && std::find(out.begin(), out.end(), prefix) == out.end())
      out.push_back(std::move(prefix));
  };
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) add(environment.Get(variable).value_or(""));
  // An environment's python3 is a link to the one that it was made with.
  for (const std::string& directory : system::AbsoluteEntries(environment.Get("PATH").value_or(""))) {
    if (!directory.ends_with("/bin") || !files.Exists(directory + "/python3")) continue;
    add(directory.substr(0, directory.size() - 4));
    const std::string real = files.Resolve(directory + "/python3").value_or("");
    if (const auto bin = real.rfind("/bin/"); bin != std::string::npos) add(real.substr(0, bin));
    break;
  }
  if (const auto home = environment.Get("HOME"); home && home->size() > 1) add(*home + "/.local");
  for (const char* prefix : {"/opt/conda", "/usr/local", "/usr"}) add(prefix);
  return out;
}

// `<prefix>/lib` of conda, and of each of its Pythons NVIDIA's packages: nvidia/cublas, nvidia/nccl,
// nvidia/cu13.
void AddPackages(const system::FileSystem& files, const std::string& prefix, std::vector<std::string>& out) {
  out.push_back(prefix + "/lib");
  for (const std::string& python : files.List(prefix + "/lib")) {
    if (!python.starts_with("python3")) continue;
    for (const char* folder : {"site-packages", "dist-packages"}) {
      const std::string root = fmt::format("{}/lib/{}/{}/nvidia", prefix, python, folder);
      for (const char* package : {"cu1", "cublas", "nccl"}) AddBelow(files, root, package, "/lib", out);
    }
  }
}

}  // namespace

std::vector<std::string> DriverDirectories() {
  return {"/usr/lib/wsl/lib",
          "/usr/lib/x86_64-linux-gnu",
          "/usr/lib/aarch64-linux-gnu",
          "/usr/lib64",
          "/usr/lib64-nvidia",
          "/usr/lib/nvidia/current",
          "/usr/lib/nvidia",
          "/usr/local/nvidia/lib64",
          "/usr/local/nvidia/lib",
          "/run/opengl-driver/lib",
          "/usr/lib/aarch64-linux-gnu/tegra",
          "/usr/lib/aarch64-linux-gnu/nvidia"};
}

std::vector<std::string> LibraryDirectories(const system::FileSystem& files,
                                            const system::Environment& environment) {
  std::vector<std::string> out;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto home = environment.Get(variable); home && home->starts_with('/')) {
      out.push_back(*home + "/lib64");
    }
  }
  out.emplace_back("/usr/local/cuda/lib64");
  AddBelow(files, "/usr/local", "cuda-", "/lib64", out);
  AddBelow(files, "/opt", "cuda", "/lib64", out);
  for (const std::string& prefix : PythonPrefixes(files, environment)) AddPackages(files, prefix, out);
  for (const std::string& system : files.List(kHpcSdk)) {
    const std::string root = fmt::format("{}/{}", kHpcSdk, system);
    AddBelow(files, root, "", "/math_libs/lib64", out);
    AddBelow(files, root, "", "/comm_libs/nccl/lib", out);
  }
  for (const char* root : {"/usr/lib/ollama", "/usr/local/lib/ollama"})
    AddBelow(files, root, "cuda_v", "", out);
  return out;
}

Error ErrorOf(std::string_view call, CuResult code) {
  const auto row =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeRow& r) { return r.code == code; });
  if (row == kCodes.end()) return {std::string(call), code, "unknown error", {}};
  return {std::string(call), code, std::string(row->name), std::string(row->text)};
}

bool EndsContext(std::int64_t code) {
  return std::any_of(kCodes.begin(), kCodes.end(),
                     [&](const CodeRow& row) { return row.code == code && row.ends_context; });
}

Result<std::vector<CuDevice>> Devices(const Api& api) {
  int count = 0;
  if (const CuResult code = api.cuDeviceGetCount(&count); code != kCuSuccess) {
    return ErrorOf("cuDeviceGetCount", code);
  }
  std::vector<CuDevice> devices;
  for (int i = 0; i < std::min(count, kMaxDevices); ++i) {
    CuDevice device = 0;
    if (const CuResult code = api.cuDeviceGet(&device, i); code != kCuSuccess)
      return ErrorOf("cuDeviceGet", code);
    devices.push_back(device);
  }
  return devices;
}

std::optional<int> Attribute(const Api& api, CuDevice device, CuAttribute attribute) {
  int value = 0;
  if (api.cuDeviceGetAttribute(&value, attribute, device) != kCuSuccess || value < 0) return std::nullopt;
  return value;
}

std::string VersionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace probe::cuda
