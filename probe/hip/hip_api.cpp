// SPDX-License-Identifier: MIT
#include "probe/hip/hip_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "probe/core/parse.h"

namespace probe::hip {
namespace {

struct CodeRow {
  int code;
  std::string_view name;
  std::string_view text;  // what it means to a person, where that is not plain from the name
};

// HIP, enum hipError_t: those that a probe or a computation can meet.
constexpr std::array kCodes = {
    CodeRow{1, "hipErrorInvalidValue", ""},
    CodeRow{2, "hipErrorOutOfMemory", "the device's memory is full"},
    CodeRow{3, "hipErrorNotInitialized", ""},
    CodeRow{4, "hipErrorDeinitialized", ""},
    CodeRow{9, "hipErrorInvalidConfiguration", ""},
    CodeRow{17, "hipErrorInvalidDevicePointer", ""},
    CodeRow{35, "hipErrorInsufficientDriver", "the kernel driver is older than this runtime needs"},
    CodeRow{98, "hipErrorInvalidDeviceFunction", "no code for this device's gfx target"},
    CodeRow{100, "hipErrorNoDevice", ""},
    CodeRow{101, "hipErrorInvalidDevice", ""},
    CodeRow{200, "hipErrorInvalidImage", ""},
    CodeRow{201, "hipErrorInvalidContext", ""},
    CodeRow{209, "hipErrorNoBinaryForGpu", "no code for this device's gfx target"},
    CodeRow{214, "hipErrorECCNotCorrectable", "the device's memory has an error that could not be corrected"},
    CodeRow{217, "hipErrorPeerAccessUnsupported", ""},
    CodeRow{218, "hipErrorInvalidKernelFile", ""},
    CodeRow{301, "hipErrorFileNotFound", ""},
    CodeRow{303, "hipErrorSharedObjectInitFailed", ""},
    CodeRow{304, "hipErrorOperatingSystem", "the operating system refused the driver a call"},
    CodeRow{400, "hipErrorInvalidHandle", ""},
    CodeRow{401, "hipErrorIllegalState", ""},
    CodeRow{500, "hipErrorNotFound", ""},
    CodeRow{600, "hipErrorNotReady", ""},
    CodeRow{700, "hipErrorIllegalAddress", "the kernel touched memory that is not its own"},
    CodeRow{701, "hipErrorLaunchOutOfResources", ""},
    CodeRow{702, "hipErrorLaunchTimeOut", ""},
    CodeRow{704, "hipErrorPeerAccessAlreadyEnabled", ""},
    CodeRow{710, "hipErrorAssert", ""},
    CodeRow{719, "hipErrorLaunchFailure", "the kernel died or the device was reset"},
    CodeRow{801, "hipErrorNotSupported", ""},
    CodeRow{999, "hipErrorUnknown", "the runtime failed without saying why"},
    CodeRow{1052, "hipErrorRuntimeMemory", "the HSA runtime below HIP failed to get memory"},
    CodeRow{1053, "hipErrorRuntimeOther", "the HSA runtime below HIP failed"},
};
// hiprtc, enum hiprtcResult.
constexpr std::array kCompilerCodes = {
    CodeRow{1, "HIPRTC_ERROR_OUT_OF_MEMORY", ""},
    CodeRow{2, "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE", ""},
    CodeRow{3, "HIPRTC_ERROR_INVALID_INPUT", ""},
    CodeRow{4, "HIPRTC_ERROR_INVALID_PROGRAM", ""},
    CodeRow{5, "HIPRTC_ERROR_INVALID_OPTION", ""},
    CodeRow{6, "HIPRTC_ERROR_COMPILATION", "the compiler refuses the code"},
    CodeRow{7, "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE", "the compiler's own headers or bitcode are missing"},
    CodeRow{11, "HIPRTC_ERROR_INTERNAL_ERROR", ""},
};

Error Named(std::span<const CodeRow> rows, std::string_view call, int code) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const CodeRow& r) { return r.code == code; });
  if (row == rows.end()) return {std::string(call), code, "unknown error", {}};
  return {std::string(call), code, std::string(row->name), std::string(row->text)};
}

// Of the versioned names, in the order of trying: the runtime's own major version first.
std::vector<std::string_view> CompilerNames(const probe::Library& runtime) {
  constexpr std::array<std::string_view, 5> kNames = {"libhiprtc.so.8", "libhiprtc.so.7", "libhiprtc.so.6",
                                                      "libhiprtc.so.5", "libhiprtc.so"};
  const std::string file = runtime.path.value_or(runtime.soname);
  const auto at = file.rfind(".so.");
  std::string_view version = file;
  version.remove_prefix(at == std::string::npos ? file.size() : at + 4);
  const std::string_view major = TakeUpTo(version, '.');
  std::vector<std::string_view> out;
  // Of another major version it would be a second runtime in this process.
  for (const std::string_view name : kNames) {
    const auto own = name.substr(std::min(name.size(), std::string_view("libhiprtc.so.").size()));
    if (major.empty() || own.empty() || own == major) out.push_back(name);
  }
  return out;
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
  const auto names = CompilerNames(runtime.info());
  const auto library =
      OpenBeside(FilesBeside(runtime.info(), names, files, environment), names, files, environment);
  if (library) return ResolveCompiler(*library);
  if (auto inside = ResolveCompiler(runtime)) return inside;
  Error error = library.error();
  if (error.Is(OwnError::kAbsent))
    error.text = "ROCm's run-time compiler is not installed: there is no libhiprtc.so";
  return error;
}

Error ErrorOf(std::string_view call, HipResult code) { return Named(kCodes, call, code); }
Error CompilerErrorOf(std::string_view call, HiprtcResult code) { return Named(kCompilerCodes, call, code); }

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
