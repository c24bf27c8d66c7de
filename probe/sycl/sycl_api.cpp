// SPDX-License-Identifier: MIT
#include "probe/sycl/sycl_api.h"

#include <fmt/format.h>

#include "probe/core/add_once.h"
#include "probe/core/enumerate.h"
#include "probe/core/text.h"
#include "probe/system/loader_path.h"

namespace probe::sycl {
namespace {

constexpr std::string_view kToolkit = "/opt/intel/oneapi";
constexpr std::size_t kMostText = 256;

// Here `ask(room, handles, count)` takes the room for handles apart from how many there are.
template <class Handle, class Ask>
Result<std::vector<Handle>> List(std::string_view call, std::uint32_t most, const Ask& ask) {
  std::vector<Handle> all;
  const auto code = EnumerateHandles(
      most,
      [&](std::uint32_t* count, Handle* handles) {
        return handles == nullptr ? ask(0U, handles, count) : ask(*count, handles, nullptr);
      },
      all);
  if (code != kUrSuccess) return ErrorOf(call, code);
  return all;
}

// Where a device of the backend is not there the call says so instead of telling of none.
template <class Handle>
Result<std::vector<Handle>> NoneWithoutDevice(Result<std::vector<Handle>> list) {
  if (!list && list.error().code == kUrDeviceNotFound) return std::vector<Handle>();
  return list;
}

std::string TextOf(const Api& api, UrPlatform platform, UrPlatformInfo what) {
  std::array<char, kMostText> text{};
  if (api.urPlatformGetInfo(platform, what, text.size() - 1, text.data(), nullptr) != kUrSuccess) return {};
  return CleanText(text.data());
}

std::vector<std::string> LoaderDirectories(const system::FileSystem& files,
                                           const system::Environment& environment) {
  std::vector<std::string> out;
  if (const auto compiler = environment.Get("CMPLR_ROOT"); compiler && compiler->starts_with('/'))
    out.push_back(*compiler + "/lib");
  const auto root = environment.Get("ONEAPI_ROOT").value_or(std::string(kToolkit));
  for (const std::string& toolkit : {root, std::string(kToolkit)}) {
    if (!toolkit.starts_with('/')) continue;
    out.push_back(toolkit + "/compiler/latest/lib");
    auto releases = files.List(toolkit + "/compiler");
    std::sort(releases.rbegin(), releases.rend());
    for (const std::string& release : releases) out.push_back(toolkit + "/compiler/" + release + "/lib");
  }
  for (const std::string& prefix : system::PythonPrefixes(files, environment)) out.push_back(prefix + "/lib");
  return out;
}

template <class T>
Result<T> WithAdvice(Result<T> library) {
  if (library || !library.error().Is(OwnError::kAbsent)) return library;
  Error error = library.error();
  error.text = "the SYCL runtime is not installed (oneAPI's, or of PyPI intel-sycl-rt)";
  return error;
}

// Of a release that has it. The names are the newest symbols of each.
bool Has(const system::Library& library, const char* symbol) { return library.Symbol(symbol) != nullptr; }

}  // namespace

Result<system::Library> OpenLoader(const system::FileSystem& files, const system::Environment& environment) {
  return WithAdvice(
      system::Library::Open(kLoaderNames, LoaderDirectories(files, environment), files, environment));
}

Result<Library> FindLoader(const system::FileSystem& files, const system::Environment& environment) {
  return WithAdvice(
      system::Library::Find(kLoaderNames, LoaderDirectories(files, environment), files, environment));
}

std::vector<std::string> LoaderFolders(const std::string& loader, const system::FileSystem& files,
                                       const system::Environment& environment) {
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  std::vector<std::string> folders = {folder_of(loader)};
  for (const std::string_view name : kLoaderNames) {
    auto paths = system::LoaderCandidates(name, files, environment);
    for (const std::string& directory : LoaderDirectories(files, environment))
      paths.push_back(directory + "/" + std::string(name));
    for (const std::string& path : paths) {
      if (files.Resolve(path) == loader) AddOnce(folder_of(path), folders);
    }
  }
  return folders;
}

bool HasLoader(const system::FileSystem& files, const system::Environment& environment) {
  return system::Library::Exists(kLoaderNames, LoaderDirectories(files, environment), files, environment);
}

Result<Api> ResolveApi(const system::Library& library) {
  Api api;
  std::string_view missing;
#define WHICHGPU_SYCL_SYMBOL(name, required)                      \
  api.name = library.Function<decltype(&functions::name)>(#name); \
  if ((required) && missing.empty() && api.name == nullptr) missing = #name;
#include "probe/sycl/sycl_symbols.def"
#undef WHICHGPU_SYCL_SYMBOL
  // 0.9 numbered its errors otherwise; this came with 0.10.
  if (missing.empty() && !Has(library, "urLoaderConfigSetMockingEnabled"))
    missing = "urLoaderConfigSetMockingEnabled";
  // This one with 0.12, in which the platforms are those of one adapter; this one went when launches got
  // properties.
  const bool is_of_one = Has(library, "urPhysicalMemGetInfo");
  if (!is_of_one)
    api.platforms_of_several = library.Function<decltype(&earlier::urPlatformGet)>("urPlatformGet");
  if (api.urEnqueueKernelLaunchWithArgsExp != nullptr) {
    api.launching = Launching::kWithArguments;
  } else if (api.urKernelSetArgPointer == nullptr || api.urKernelSetArgValue == nullptr ||
             api.urEnqueueKernelLaunch == nullptr) {
    if (missing.empty()) missing = "urEnqueueKernelLaunch";
  } else if (is_of_one && !Has(library, "urEnqueueKernelLaunchCustomExp")) {
    api.launching = Launching::kWithProperties;
    api.launch_with_properties =
        library.Function<decltype(&earlier::urEnqueueKernelLaunch)>("urEnqueueKernelLaunch");
  }
  if (missing.empty()) return api;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               library.info().path.value_or(library.info().soname) +
                   " lacks a function of the Unified Runtime 0.10 (oneAPI 2025.0)"};
}

Result<std::vector<UrAdapter>> Start(const Api& api) {
  if (const UrResult code = api.urLoaderInit(0, nullptr); code != kUrSuccess)
    return ErrorOf("urLoaderInit", code);
  auto adapters = List<UrAdapter>("urAdapterGet", kMaxAdapters, api.urAdapterGet);
  // Without an adapter it was never set up.
  if (!adapters && adapters.error().code == kUrUninitialized) return std::vector<UrAdapter>();
  return adapters;
}

Result<std::vector<Platform>> Platforms(const Api& api, UrAdapter adapter) {
  const auto handles = NoneWithoutDevice(List<UrPlatform>(
      "urPlatformGet", kMaxPlatforms, [&](std::uint32_t room, UrPlatform* platforms, std::uint32_t* count) {
        return api.platforms_of_several != nullptr
                   ? api.platforms_of_several(&adapter, 1, room, platforms, count)
                   : api.urPlatformGet(adapter, room, platforms, count);
      }));
  if (!handles) return handles.error();
  std::vector<Platform> out;
  for (const UrPlatform handle : *handles) {
    Platform& platform = out.emplace_back();
    platform.handle = handle;
    platform.name = TextOf(api, handle, kUrPlatformName);
    platform.version = TextOf(api, handle, kUrPlatformVersion);
    std::uint32_t backend = 0;
    if (api.urPlatformGetInfo(handle, kUrPlatformBackend, sizeof backend, &backend, nullptr) == kUrSuccess)
      platform.backend = backend;
  }
  return out;
}

std::string_view RuntimeOf(std::uint32_t backend) {
  return backend == kUrLevelZero ? "level_zero" : backend == kUrOpenCl ? "opencl" : "";
}

Result<std::vector<UrDevice>> Devices(const Api& api, UrPlatform platform) {
  return NoneWithoutDevice(List<UrDevice>("urDeviceGet", kMaxDevices,
                                          [&](std::uint32_t room, UrDevice* devices, std::uint32_t* count) {
                                            return api.urDeviceGet(platform, kUrAll, room, devices, count);
                                          }));
}

}  // namespace probe::sycl
