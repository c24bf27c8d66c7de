// SPDX-License-Identifier: MIT
// What the loader may see, by the variables that it reads (unified-runtime, source/loader/
// ur_adapter_registry.hpp): UR_ADAPTERS_FORCE_LOAD names adapters, UR_ADAPTERS_SEARCH_PATH folders of them;
// else it takes those that the system finds, and those beside itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <utility>

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/sycl/sycl_api.h"
#include "probe/sycl/sycl_visible.h"
#include "probe/system/level_zero.h"
#include "probe/system/loader_path.h"
#include "probe/system/opencl_manifests.h"
#include "probe/system/this_process.h"
#include "probe/system/trust.h"

namespace probe::sycl {
namespace {

constexpr std::string_view kAdapterPrefix = "libur_adapter_";
constexpr std::string_view kAdapterSuffix = ".so.0";
// Those that the loader asks for (its ur_manifests.hpp), first those of what is measured here. Of Level
// Zero's the first releases take one by a variable, and the newest take both, which share its GPUs.
constexpr std::array<std::string_view, 7> kAdapters = {
    "libur_adapter_level_zero.so.0", "libur_adapter_level_zero_v2.so.0", "libur_adapter_opencl.so.0",
    "libur_adapter_cuda.so.0",       "libur_adapter_hip.so.0",           "libur_adapter_native_cpu.so.0",
    "libur_adapter_offload.so.0"};
constexpr std::size_t kMeasured = 3;
// What puts layers between a program and adapters, and the libraries that its layer for tracing loads.
constexpr std::array<std::string_view, 4> kLayers = {"UR_ENABLE_LAYERS", "XPTI_TRACE_ENABLE",
                                                     "XPTI_FRAMEWORK_DISPATCHER", "XPTI_SUBSCRIBERS"};
// Where nobody can put a file.
constexpr std::string_view kNowhere = "/dev/null/none";
// What its adapters load by their names.
constexpr std::array<std::string_view, 2> kBelow = {"libOpenCL.so.1", "libze_loader.so.1"};

std::vector<std::string> AdaptersIn(const std::string& folder, const system::FileSystem& files) {
  std::vector<std::string> out;
  for (const std::string& name : files.List(folder)) {
    if (name.starts_with(kAdapterPrefix) && name.ends_with(kAdapterSuffix))
      out.push_back(folder + "/" + name);
  }
  return out;
}

// Of an adapter, or of a folder with all adapters in it.
Status CheckEntry(const system::FileSystem& files, const std::string& entry) {
  auto trusted = system::CheckTrusted(files, entry);
  for (const std::string& adapter : AdaptersIn(entry, files)) {
    if (trusted) trusted = system::CheckTrusted(files, adapter);
  }
  return trusted;
}

// The entries of a list of paths that are there and trusted; what is left out is told, but for what is not
// there: somebody else may put it there before the loader looks. As the loader reads them (its ur_util.hpp),
// which takes off quotes of either kind and no blanks.
std::vector<std::string> TrustedEntries(std::string_view variable, std::string_view list,
                                        const system::FileSystem& files, std::vector<std::string>& kept_out) {
  std::vector<std::string> left;
  while (!list.empty()) {
    std::string entry(TakeUpTo(list, ','));
    for (const char quote : {'"', '\''}) {
      if (entry.size() > 1 && entry.front() == quote && entry.back() == quote)
        entry = entry.substr(1, entry.size() - 2);
    }
    if (entry.empty() || (entry.starts_with('/') && !files.Exists(entry))) continue;
    if (!entry.starts_with('/')) {
      kept_out.push_back(
          fmt::format("an adapter that {} names is ignored: {}: a relative path depends on the "
                      "current directory",
                      variable, CleanText(entry)));
    } else if (const auto trusted = CheckEntry(files, entry); !trusted) {
      kept_out.push_back(
          fmt::format("an adapter that {} names is ignored: {}", variable, Describe(trusted.error())));
    } else {
      left.push_back(std::move(entry));
    }
  }
  return left;
}

// The folders in which the loader finds adapters without being told, by their real paths: those where the
// system looks, and its own, where it lies and where a link to it was loaded.
std::vector<std::string> AdapterFolders(const std::string& loader, const system::FileSystem& files,
                                        const system::Environment& environment) {
  std::vector<std::string> folders;
  const auto add = [&](const std::vector<std::string>& some) {
    for (const std::string& folder : some) {
      if (files.Exists(folder)) AddOnce(files.Resolve(folder).value_or(folder), folders);
    }
  };
  add(system::LoaderEntries(environment.Get("LD_LIBRARY_PATH").value_or("")));
  add(system::AbsoluteEntries(environment.Get("WHICHGPU_LIBRARY_PATH").value_or("")));
  const system::LoaderSearch search(files, environment);
  for (const std::string_view name : kAdapters) {
    for (const std::string& path : search.Candidates(name)) {
      if (files.Exists(path)) add({path.substr(0, path.rfind('/'))});
    }
  }
  add(LoaderFolders(loader, files, environment));
  return folders;
}

// The first of what it loads by names that is not to be trusted.
std::optional<Error> Untrusted(const std::string& loader, const system::FileSystem& files,
                               const system::Environment& environment) {
  std::vector<std::string> paths;
  for (const std::string& folder : AdapterFolders(loader, files, environment)) {
    for (std::string& path : AdaptersIn(folder, files)) paths.push_back(std::move(path));
    for (const std::string_view name : kBelow) paths.push_back(folder + "/" + std::string(name));
  }
  for (const std::string_view name : kBelow) {
    for (std::string& path : system::LoaderCandidates(name, files, environment))
      paths.push_back(std::move(path));
  }
  for (const std::string& path : paths) {
    if (!files.Exists(path)) continue;
    if (const auto trusted = system::CheckTrusted(files, path); !trusted)
      return Own(OwnError::kRefused, "check " + CleanText(path), trusted.error().text);
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> RestrictLoader(const Library& loader, const system::FileSystem& files,
                                                const system::Environment& environment) {
  if (loader.path) {
    if (auto untrusted = Untrusted(*loader.path, files, environment)) return *std::move(untrusted);
  }
  std::vector<std::string> kept_out = system::level_zero::RestrictLoader(files, environment);
  for (const std::string_view variable : {kForceLoad, kSearchPath}) {
    const auto value = environment.Get(variable);
    if (!value) continue;
    const std::size_t before = kept_out.size();
    const auto left = TrustedEntries(variable, *value, files, kept_out);
    // One that forces what is not there leaves no adapter, and goes on doing so.
    const bool forces_none = left.empty() && variable == kForceLoad && kept_out.size() == before;
    const auto text = forces_none ? std::string(kNowhere) : fmt::format("{}", fmt::join(left, ","));
    system::SetProcessVariable(std::string(variable), text.empty() ? std::nullopt : std::optional(text));
  }
  system::SetProcessVariable(std::string(kSelector), std::nullopt);
  for (const std::string_view variable : kLayers)
    system::SetProcessVariable(std::string(variable), std::nullopt);
  const auto manifests = system::opencl::FindManifests(files, environment);
  const bool is_any_left =
      std::any_of(manifests.begin(), manifests.end(), [](const auto& manifest) { return !manifest.refused; });
  for (const auto& manifest : manifests) {
    if (manifest.refused && manifest.is_there)
      kept_out.push_back("an OpenCL driver is ignored: " + Describe(*manifest.refused));
  }
  // Where none is left the loader of OpenCL is shown a folder without any.
  const auto restricted = is_any_left || manifests.empty()
                              ? system::opencl::RestrictLoader(manifests, false, files, environment)
                              : system::opencl::ShowNone();
  if (!restricted) return restricted.error();
  kept_out.insert(kept_out.end(), restricted->begin(), restricted->end());
  return kept_out;
}

std::vector<BrokenAdapter> BrokenAdapters(const std::string& loader, const system::FileSystem& files,
                                          const system::Environment& environment) {
  std::vector<BrokenAdapter> broken;
  std::vector<std::string> told;  // by RestrictLoader
  std::vector<std::string> folders;
  for (const auto& entry :
       TrustedEntries(kSearchPath, environment.Get(kSearchPath).value_or(""), files, told))
    AddOnce(files.Resolve(entry).value_or(entry), folders);
  for (auto& folder : AdapterFolders(loader, files, environment)) AddOnce(std::move(folder), folders);
  for (const std::string& folder : folders) {
    for (const std::string_view name : std::span(kAdapters).first(kMeasured)) {
      const std::string path = folder + "/" + std::string(name);
      if (!files.Exists(path) || !system::Library::LoadedFiles(name).empty()) continue;
      if (auto reason = system::WhyNotLoadable(path)) broken.push_back({path, *std::move(reason)});
    }
  }
  return broken;
}

}  // namespace probe::sycl
