// SPDX-License-Identifier: MIT
// Where ROCm is: prefixes of packages, of AMD's installer, of Python wheels and of programs that bring it
// along.
#include <fmt/format.h>

#include <algorithm>

#include "probe/hip/hip_api.h"

namespace probe::hip {
namespace {

constexpr std::size_t kMaxDirectories = 96;

class Collector {
 public:
  explicit Collector(const system::FileSystem& files) : files_(files) {}

  void Add(std::string directory) {
    if (out_.size() < kMaxDirectories && directory.starts_with('/')) out_.push_back(std::move(directory));
  }
  // Every `<root>/<entry><tail>` that is there; the newest version, which sorts last, first.
  void AddBelow(const std::string& root, std::string_view prefix, const std::string& tail) {
    auto entries = files_.List(root);
    std::reverse(entries.begin(), entries.end());
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

}  // namespace probe::hip
