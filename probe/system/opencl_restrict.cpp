// SPDX-License-Identifier: MIT
// What libOpenCL may see. Both loaders in use are served: ocl-icd takes one manifest or library in
// OCL_ICD_VENDORS, Khronos's takes libraries in OCL_ICD_FILENAMES and nothing but a directory in
// OCL_ICD_VENDORS.
#include <stdlib.h>
#include <unistd.h>  // mkdtemp of macOS

#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "probe/system/opencl_manifests.h"
#include "probe/system/this_process.h"
#include "probe/system/trust.h"

namespace probe::system::opencl {
namespace {

constexpr std::string_view kVendors = "OCL_ICD_VENDORS";
constexpr std::string_view kFilenames = "OCL_ICD_FILENAMES";

// All that name files for a loader to read or load; those of `lists` are colon-separated libraries.
constexpr std::array<std::string_view, 3> kDirectories = {kVendors, "OPENCL_VENDOR_PATH",
                                                          "OPENCL_LAYER_PATH"};
constexpr std::array<std::string_view, 2> kLists = {kFilenames, "OPENCL_LAYERS"};

using Variables = std::map<std::string_view, std::optional<std::string>>;

std::optional<Error> CheckList(const system::FileSystem& files, const system::Environment& environment,
                               std::string_view list) {
  while (!list.empty()) {
    const auto end = std::min(list.find(':'), list.size());
    if (auto flaw = CheckLibrary(files, environment, std::string(list.substr(0, end)))) return flaw;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return std::nullopt;
}

// The caller's own variables, less those that name something untrusted.
Variables Inherited(const system::FileSystem& files, const system::Environment& environment,
                    std::vector<std::string>& warnings) {
  Variables variables;
  for (const auto name : kDirectories) variables[name] = environment.Get(name);
  for (const auto name : kLists) {
    auto& value = variables[name] = environment.Get(name);
    if (!value) continue;
    const auto flaw = CheckList(files, environment, *value);
    if (!flaw) continue;
    warnings.push_back(std::string(name) + " is ignored: " + Describe(*flaw));
    value.reset();
  }
  if (auto& layers = variables["OPENCL_LAYER_PATH"]) {
    if (const auto trusted = system::CheckTrusted(files, *layers); !trusted) {
      warnings.push_back("OPENCL_LAYER_PATH is ignored: " + Describe(trusted.error()));
      layers.reset();
    }
  }
  return variables;
}

Error WriteError(const std::string& path) {
  return Own(OwnError::kRefused, "write " + path, "the refused drivers can not be kept from the loader");
}

// A directory with copies of these manifests alone, made in the current directory: a child's own scratch. It
// ends with a slash: NVIDIA's build of Khronos's loader puts names right behind it.
Result<std::string> PrivateVendors(const std::vector<const Manifest*>& manifests) {
  std::error_code failed;
  const auto here = std::filesystem::current_path(failed);
  std::string directory = (failed ? std::filesystem::path("/tmp") : here) / "opencl-vendors-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return WriteError(directory);
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const std::string path = directory + "/" + std::to_string(i) + ".icd";
    std::ofstream file(path);
    file << manifests[i]->library << '\n' << std::flush;
    if (!file) return WriteError(path);
  }
  return directory + "/";
}

}  // namespace

Result<std::vector<std::string>> RestrictLoader(const std::vector<Manifest>& manifests, bool only,
                                                const system::FileSystem& files,
                                                const system::Environment& environment) {
  std::vector<std::string> warnings;
  Variables variables = Inherited(files, environment, warnings);
  std::vector<const Manifest*> usable;
  for (const auto& manifest : manifests) {
    if (!manifest.refused) usable.push_back(&manifest);
  }
  if (usable.empty() && !manifests.empty()) return *manifests.front().refused;
  // Of OCL_ICD_FILENAMES one loader knows nothing: whichever is here, it is shown the same drivers.
  if (only || usable.size() != manifests.size() || variables[kFilenames]) {
    variables[kFilenames].reset();
    if (usable.size() == 1) {
      variables[kVendors] = usable.front()->path;
      variables[kFilenames] = usable.front()->library;
    } else {
      auto directory = PrivateVendors(usable);
      if (!directory) return directory.error();
      variables[kVendors] = *std::move(directory);
    }
  }
  if (only) variables["OPENCL_LAYERS"] = variables["OPENCL_LAYER_PATH"] = std::nullopt;
  for (const auto& [name, value] : variables) system::SetProcessVariable(std::string(name), value);
  return warnings;
}

Result<std::vector<std::string>> ShowNone() {
  auto directory = PrivateVendors({});
  if (!directory) return directory.error();
  for (const auto name : kDirectories) system::SetProcessVariable(std::string(name), std::nullopt);
  for (const auto name : kLists) system::SetProcessVariable(std::string(name), std::nullopt);
  system::SetProcessVariable(std::string(kVendors), *std::move(directory));
  return std::vector<std::string>();
}

std::vector<EnvironmentVariable> RestrictTo(std::string_view manifest) {
  return {{std::string(kVendors), std::string(manifest)}};
}

}  // namespace probe::system::opencl
