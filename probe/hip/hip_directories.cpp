// SPDX-License-Identifier: MIT
// Where ROCm is: prefixes of packages, of AMD's installer, of Python wheels and of programs that bring it
// along.
#include <fmt/format.h>

#include <algorithm>

#include "probe/core/parse.h"
#include "probe/hip/hip_api.h"

namespace probe::hip {
namespace {

constexpr std::size_t kMaxDirectories = 96;

// {10, 0, 1} of "rocm-10.0.1", which is newer than "rocm-9.1".
std::vector<std::uint32_t> VersionIn(std::string_view name) {
  std::vector<std::uint32_t> out;
  while (!name.empty()) {
    const auto digits = name.substr(0, name.find_first_not_of("0123456789"));
    if (!digits.empty()) out.push_back(ParseNumber<std::uint32_t>(digits).value_or(0));
    name.remove_prefix(std::max<std::size_t>(digits.size(), 1));
  }
  return out;
}

std::string FolderOf(std::string_view path) { return std::string(path.substr(0, path.rfind('/'))); }

// Whether a HIP runtime lies there that is not `runtime`.
bool HoldsAnother(const system::FileSystem& files, const std::string& directory, const std::string& runtime) {
  return std::any_of(kRuntimeNames.begin(), kRuntimeNames.end(), [&](std::string_view name) {
    const std::string path = directory + "/" + std::string(name);
    return files.Exists(path) && files.Resolve(path).value_or(path) != runtime;
  });
}

class Collector {
 public:
  explicit Collector(const system::FileSystem& files) : files_(files) {}

  void Add(std::string directory) {
    if (out_.size() < kMaxDirectories && directory.starts_with('/')) out_.push_back(std::move(directory));
  }
  // Every `<root>/<entry><tail>` that is there; the newest version first.
  void AddBelow(const std::string& root, std::string_view prefix, const std::string& tail) {
    auto entries = files_.List(root);
    std::stable_sort(entries.begin(), entries.end(), [](const std::string& a, const std::string& b) {
      return std::pair(VersionIn(b), b) < std::pair(VersionIn(a), a);
    });
    for (const auto& entry : entries) {
      const std::string path = fmt::format("{}/{}{}", root, entry, tail);
      if (entry.starts_with(prefix) && files_.Exists(path)) Add(path);
    }
  }
  // AMD's own wheels (rocm-sdk-core and one of libraries a gfx family) and PyTorch's, which holds everything
  // itself.
  void AddPackages(const std::string& packages) {
    AddBelow(packages, "_rocm_sdk_", "/lib");
    if (files_.Exists(packages + "/torch/lib/libamdhip64.so")) Add(packages + "/torch/lib");
  }
  void AddPython(const std::string& lib, const std::string& packages) {
    for (const auto& python : files_.List(lib)) {
      if (python.starts_with("python3")) AddPackages(fmt::format("{}/{}{}", lib, python, packages));
    }
  }
  [[nodiscard]] std::vector<std::string> Take() { return std::move(out_); }

 private:
  const system::FileSystem& files_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> LibraryDirectories(const system::FileSystem& files,
                                            const system::Environment& environment) {
  Collector out(files);
  for (const char* variable : {"ROCM_PATH", "ROCM_HOME", "HIP_PATH"}) {
    if (const auto home = environment.Get(variable)) out.Add(*home + "/lib");
  }
  for (const char* rocm : {"/opt/rocm/lib", "/opt/rocm/lib64"}) out.Add(rocm);
  out.AddBelow("/opt", "rocm-", "/lib");
  out.AddBelow("/opt/rocm", "core", "/lib");
  for (const char* system :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib64/rocm/lib", "/usr/local/lib"}) {
    out.Add(system);
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = environment.Get(variable);
    if (!prefix || !prefix->starts_with('/')) continue;
    out.Add(*prefix + "/lib");
    out.AddPython(*prefix + "/lib", "/site-packages");
  }
  if (const auto home = environment.Get("HOME"); home && home->starts_with('/')) {
    out.AddPython(*home + "/.local/lib", "/site-packages");
  }
  out.AddPackages("/usr/lib/python3/dist-packages");
  out.AddPython("/usr/local/lib", "/dist-packages");
  out.AddPython("/usr/lib", "/site-packages");
  for (const char* root : {"/usr/lib/ollama", "/usr/local/lib/ollama"}) out.AddBelow(root, "rocm", "");
  return out.Take();
}

std::vector<std::string> FilesBeside(const Library& runtime, std::span<const std::string_view> sonames,
                                     const system::FileSystem& files,
                                     const system::Environment& environment) {
  std::vector<std::string> directories;
  if (runtime.path) {
    directories.push_back(FolderOf(*runtime.path));
    // <packages>/_rocm_sdk_core/lib, beside which the libraries' packages lie, one a family of GPUs.
    Collector packages(files);
    packages.AddBelow(FolderOf(FolderOf(directories.front())), "_rocm_sdk_", "/lib");
    for (auto& directory : packages.Take()) directories.push_back(std::move(directory));
  }
  for (auto& directory : LibraryDirectories(files, environment)) {
    if (!runtime.path || !HoldsAnother(files, directory, *runtime.path))
      directories.push_back(std::move(directory));
  }
  std::vector<std::string> out;
  for (const std::string& directory : directories) {
    for (const std::string_view soname : sonames) {
      const std::string path = directory + "/" + std::string(soname);
      if (!files.Exists(path)) continue;
      if (std::find(out.begin(), out.end(), path) == out.end()) out.push_back(path);
      break;
    }
  }
  return out;
}

}  // namespace probe::hip
