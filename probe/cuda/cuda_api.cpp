// SPDX-License-Identifier: MIT
#include "probe/cuda/cuda_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/system/loader_path.h"

namespace probe::cuda {
namespace {

constexpr std::size_t kMaxDirectories = 64;

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
  for (const std::string& prefix : system::PythonPrefixes(files, environment))
    AddPackages(files, prefix, out);
  for (const std::string& system : files.List(kHpcSdk)) {
    const std::string root = fmt::format("{}/{}", kHpcSdk, system);
    AddBelow(files, root, "", "/math_libs/lib64", out);
    AddBelow(files, root, "", "/comm_libs/nccl/lib", out);
  }
  for (const char* root : {"/usr/lib/ollama", "/usr/local/lib/ollama"})
    AddBelow(files, root, "cuda_v", "", out);
  return out;
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
