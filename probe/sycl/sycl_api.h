// SPDX-License-Identifier: MIT
// The door to SYCL for this folder and for backends/sycl: the functions of the Unified Runtime's loader,
// their errors, and what a device says of itself. Computes nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/sycl/sycl_declarations.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/library.h"

namespace probe::sycl {

// How a release takes a launch.
enum class Launching {
  kPlain,           // urEnqueueKernelLaunch, the arguments before it: until oneAPI 2025.2
  kWithProperties,  // the same with a list of properties: 2025.3
  kWithArguments    // urEnqueueKernelLaunchWithArgsExp: since 2026.0
};

// The functions of sycl_symbols.def; a missing optional one is nullptr.
struct Api {
#define WHICHGPU_SYCL_SYMBOL(name, required) \
  decltype(&functions::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): declares it
#include "probe/sycl/sycl_symbols.def"
#undef WHICHGPU_SYCL_SYMBOL
  decltype(&earlier::urPlatformGet) platforms_of_several = nullptr;            // of a release before 0.12
  decltype(&earlier::urEnqueueKernelLaunch) launch_with_properties = nullptr;  // of 2025.3
  Launching launching = Launching::kPlain;
};

inline constexpr std::array<std::string_view, 2> kLoaderNames = {"libur_loader.so.0", "libur_loader.so"};

// The loader: where the system finds it, below the oneAPI toolkit's prefix, in Python environments (pip,
// conda). Errors as system::Library::Open, with what to install.
[[nodiscard]] Result<system::Library> OpenLoader(const system::FileSystem& files,
                                                 const system::Environment& environment);
// Its file, which is not loaded.
[[nodiscard]] Result<Library> FindLoader(const system::FileSystem& files,
                                         const system::Environment& environment);
// Where that file lies, and where links to it are that OpenLoader may have loaded.
[[nodiscard]] std::vector<std::string> LoaderFolders(const std::string& loader,
                                                     const system::FileSystem& files,
                                                     const system::Environment& environment);
[[nodiscard]] bool HasLoader(const system::FileSystem& files, const system::Environment& environment);
// The error names the first required symbol that the library lacks, or the release that it is older than.
[[nodiscard]] Result<Api> ResolveApi(const system::Library& library);

// Keeps from the loader, opened afterwards, what is not trusted: adapters that variables name, and the
// drivers of what its adapters stand on. Takes the user's selector from it, by which it would leave adapters
// out. What it returns was kept from it. An error means: do not open the loader.
[[nodiscard]] Result<std::vector<std::string>> RestrictLoader(const Library& loader,
                                                              const system::FileSystem& files,
                                                              const system::Environment& environment);
// The adapters beside the loader, or where variables have it look, that the system can not load, with its
// sentence: a library is missing that they need. Loads them.
struct BrokenAdapter {
  std::string path, reason;
};
[[nodiscard]] std::vector<BrokenAdapter> BrokenAdapters(const std::string& loader,
                                                        const system::FileSystem& files,
                                                        const system::Environment& environment);

// An Error for the code that `call` returned, with the specification's name of it.
[[nodiscard]] Error ErrorOf(std::string_view call, UrResult code);
// What a call made, where it says that it did.
template <class Handle>
[[nodiscard]] Result<Handle> Made(std::string_view call, UrResult code, Handle handle) {
  if (code != kUrSuccess) return ErrorOf(call, code);
  if (handle != nullptr) return handle;
  return Error{std::string(call), std::nullopt, "nothing made",
               "the driver calls it a success and gives none"};
}
// Whether a process that met this code can make no more use of the device.
[[nodiscard]] bool EndsContext(UrResult code);

// Starts the loader and its adapters; no other call may come before. None is not an error.
inline constexpr std::uint32_t kMaxAdapters = 16;
[[nodiscard]] Result<std::vector<UrAdapter>> Start(const Api& api);

// A platform is a driver of one adapter's backend.
struct Platform {
  UrPlatform handle = nullptr;
  std::uint32_t backend = 0;  // UrBackend
  std::string name, version;
};
inline constexpr std::uint32_t kMaxPlatforms = 64;
[[nodiscard]] Result<std::vector<Platform>> Platforms(const Api& api, UrAdapter adapter);
// Of an adapter or platform: the module of this program that it stands on, "level_zero" or "opencl"; empty of
// one that is not measured here.
[[nodiscard]] std::string_view RuntimeOf(std::uint32_t backend);

// At most kMaxDevices; none is not an error.
inline constexpr std::uint32_t kMaxDevices = 256;
[[nodiscard]] Result<std::vector<UrDevice>> Devices(const Api& api, UrPlatform platform);

// The fact that names the runtime which a device's adapter stands on (data/runtimes, `stands_on`).
inline constexpr std::string_view kBackendFact = "backend";

// A device with its handle.
struct Found {
  UrDevice handle = nullptr;
  RuntimeDevice device;
  std::uint32_t selected = 1;  // the devices that programs are shown of it: it, or tiles of it
};
// The devices of a platform in its order that take SPIR-V, which SYCL's programs are; `failed`: of those that
// do not say what they are.
struct Shown {
  std::vector<Found> found;
  std::vector<Error> failed;
  std::uint32_t without_code = 0;  // take no SPIR-V
};
// Everything that the devices of one platform say of themselves. Tiles that it shows as devices of their own
// have their card's address and "tile<N>" as their partition.
[[nodiscard]] Result<Shown> ReadDevices(const Api& api, const Platform& platform);

}  // namespace probe::sycl
