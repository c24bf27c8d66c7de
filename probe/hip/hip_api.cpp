// SPDX-License-Identifier: MIT
#include "probe/hip/hip_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "probe/core/parse.h"

namespace probe::hip {
namespace {

struct CompilerNames {
  std::vector<std::string_view> own;     // in the order of trying: the runtime's own major version first
  std::vector<std::string_view> others;  // of another it would be a second runtime in this process
};
CompilerNames CompilerNamesFor(const probe::Library& runtime) {
  constexpr std::array<std::string_view, 5> kNames = {"libhiprtc.so.8", "libhiprtc.so.7", "libhiprtc.so.6",
                                                      "libhiprtc.so.5", "libhiprtc.so"};
  const std::string file = runtime.path.value_or(runtime.soname);
  const auto at = file.rfind(".so.");
  std::string_view version = file;
  version.remove_prefix(at == std::string::npos ? file.size() : at + 4);
  const std::string_view major = TakeUpTo(version, '.');
  CompilerNames out;
  for (const std::string_view name : kNames) {
    const auto own = name.substr(std::min(name.size(), std::string_view("libhiprtc.so.").size()));
    (major.empty() || own.empty() || own == major ? out.own : out.others).push_back(name);
  }
  return out;
}

// That there is one, of another release than the runtime's; nullopt where there is none at all.
std::optional<Error> OfAnotherRocm(const probe::Library& runtime, const CompilerNames& names,
                                   const system::FileSystem& files, const system::Environment& environment) {
  auto directories = LibraryDirectories(files, environment);
  const std::string own = runtime.path.value_or(runtime.soname);
  directories.insert(directories.begin(), own.substr(0, own.rfind('/')));
  const auto found = system::Library::Find(names.others, directories, files, environment);
  if (!found) return std::nullopt;
  return Error{
      "dlopen " + std::string(names.own.front()), std::nullopt, "another ROCm",
      fmt::format("{} ({}) is of another ROCm than the HIP runtime, {}, which needs {}: install that "
                  "of the runtime's release",
                  found->soname, found->path.value_or(""), own, names.own.front())};
}

Result<Compiler> ResolveCompiler(const system::Library& library) {
  Compiler compiler;
  std::string_view missing;
#define WHICHGPU_HIPRTC_SYMBOL(name)                                   \
  compiler.name = library.Function<decltype(&functions::name)>(#name); \
  if (missing.empty() && compiler.name == nullptr) missing = #name;
#include "probe/hip/hiprtc_symbols.def"
#undef WHICHGPU_HIPRTC_SYMBOL
  compiler.library = library.info();
  if (missing.empty()) return compiler;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               library.info().path.value_or(library.info().soname) + " holds no compiler"};
}

template <class T>
Result<T> NamingRocm(Result<T> library) {
  if (library.ok() || !library.error().Is(OwnError::kAbsent)) return library;
  Error error = library.error();
  error.text = "ROCm's HIP runtime is not installed: there is no libamdhip64.so";
  return error;
}

}  // namespace

Result<system::Library> OpenRuntime(const system::FileSystem& files, const system::Environment& environment) {
  return NamingRocm(
      system::Library::Open(kRuntimeNames, LibraryDirectories(files, environment), files, environment));
}

Result<Library> FindRuntime(const system::FileSystem& files, const system::Environment& environment) {
  return NamingRocm(
      system::Library::Find(kRuntimeNames, LibraryDirectories(files, environment), files, environment));
}

Result<Api> ResolveApi(const system::Library& runtime) {
  Api api;
  std::string_view missing;
#define WHICHGPU_HIP_SYMBOL(name, required)                       \
  api.name = runtime.Function<decltype(&functions::name)>(#name); \
  if ((required) && missing.empty() && api.name == nullptr) missing = #name;
#include "probe/hip/hip_symbols.def"
#undef WHICHGPU_HIP_SYMBOL
  api.library = runtime.info();
  if (missing.empty()) return api;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               runtime.info().path.value_or(runtime.info().soname) +
                   " lacks a function that every HIP runtime since ROCm 5 has: it is too old, or none"};
}

Result<system::Library> OpenBeside(std::span<const std::string> paths,
                                   std::span<const std::string_view> sonames, const system::FileSystem& files,
                                   const system::Environment& environment) {
  std::vector<std::string_view> tried(paths.begin(), paths.end());
  tried.insert(tried.end(), sonames.begin(), sonames.end());
  const auto before = system::Library::LoadedFiles("libamdhip64.so");
  auto library = system::Library::Open(tried, {}, files, environment);
  if (!library) return library;
  const auto runtimes = system::Library::LoadedFiles("libamdhip64.so");
  if (runtimes.size() < 2) return library;
  // Where one before it did, it may call either: what one of them has in memory the other does not know.
  const std::string who = runtimes.size() == before.size()
                              ? "a library before it"
                              : library->info().path.value_or(library->info().soname);
  return Error{"dlopen " + std::string(sonames.front()), std::nullopt, "another ROCm",
               fmt::format("{} belongs to another ROCm and brought its own runtime: {}", who,
                           fmt::join(runtimes, " and "))};
}

Result<Compiler> OpenCompiler(const system::Library& runtime, const system::FileSystem& files,
                              const system::Environment& environment) {
  const auto names = CompilerNamesFor(runtime.info());
  const auto library =
      OpenBeside(FilesBeside(runtime.info(), names.own, files, environment), names.own, files, environment);
  if (library) return ResolveCompiler(*library);
  if (auto inside = ResolveCompiler(runtime)) return inside;
  Error error = library.error();
  if (!error.Is(OwnError::kAbsent)) return error;
  if (auto other = OfAnotherRocm(runtime.info(), names, files, environment)) return *std::move(other);
  error.name = "no_hiprtc";
  error.text = "ROCm's run-time compiler is not installed: there is no libhiprtc.so";
  return error;
}

Result<int> DeviceCount(const Api& api) {
  int count = 0;
  if (const HipResult code = api.hipGetDeviceCount(&count); code != kHipSuccess) {
    return ErrorOf("hipGetDeviceCount", code);
  }
  return std::clamp(count, 0, kMaxDevices);
}

std::optional<int> Attribute(const Api& api, int device, HipAttribute attribute) {
  int value = 0;
  if (api.hipDeviceGetAttribute(&value, attribute, device) != kHipSuccess || value < 0) return std::nullopt;
  return value;
}

std::string VersionText(int version) {
  return fmt::format("{}.{}.{}", version / 10000000, version / 100000 % 100, version % 100000);
}

}  // namespace probe::hip
