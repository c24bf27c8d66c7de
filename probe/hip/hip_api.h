// SPDX-License-Identifier: MIT
// The door to HIP for this folder and for backends/hip: the functions of libamdhip64 and of hiprtc, their
// errors, and what a device says of itself. Computes and compiles nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/amd/amd.h"
#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/hip/hip_declarations.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/library.h"

namespace probe::hip {

// The functions of hip_symbols.def; a missing optional one is nullptr.
struct Api {
#define WHICHGPU_HIP_SYMBOL(name, required) \
  decltype(&functions::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): declares it
#include "probe/hip/hip_symbols.def"
#undef WHICHGPU_HIP_SYMBOL
  probe::Library library;  // where they were found
};

// The functions of hiprtc_symbols.def, all there.
struct Compiler {
#define WHICHGPU_HIPRTC_SYMBOL(name) \
  decltype(&functions::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): declares it
#include "probe/hip/hiprtc_symbols.def"
#undef WHICHGPU_HIPRTC_SYMBOL
  probe::Library library;  // where they were found
};

// Newest first. PyTorch's wheels, which bring ROCm along, name it without a version: it is newer than the
// ROCm 5 of Debian 12.
inline constexpr std::array<std::string_view, 5> kRuntimeNames = {
    "libamdhip64.so.8", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so", "libamdhip64.so.5"};
// Where ROCm's libraries lie beside the loader's own path: prefixes (newest first), Python environments,
// conda, Ollama.
[[nodiscard]] std::vector<std::string> LibraryDirectories(const system::FileSystem& files,
                                                          const system::Environment& environment);

// libamdhip64, wherever it is installed. Errors as system::Library::Open.
[[nodiscard]] Result<system::Library> OpenRuntime(const system::FileSystem& files,
                                                  const system::Environment& environment);
// The runtime that OpenRuntime would load, not loaded.
[[nodiscard]] Result<Library> FindRuntime(const system::FileSystem& files,
                                          const system::Environment& environment);
// The error names the first required symbol that the library lacks.
[[nodiscard]] Result<Api> ResolveApi(const system::Library& runtime);

// Files of another library of ROCm for the process that has loaded `runtime`, nearest to it first: in its own
// folder, in the packages beside its own (AMD's wheels), and in other folders of LibraryDirectories unless
// they hold another HIP runtime. One a folder, of the first of `sonames` that is there.
[[nodiscard]] std::vector<std::string> FilesBeside(const Library& runtime,
                                                   std::span<const std::string_view> sonames,
                                                   const system::FileSystem& files,
                                                   const system::Environment& environment);
// Loads one of `paths`, or one of `sonames` from where the user (before all paths) or the loader has it.
// Errors as system::Library::Open; "another ROCm": it brought along a second libamdhip64, which knows nothing
// of the first one's memory and streams.
[[nodiscard]] Result<system::Library> OpenBeside(std::span<const std::string> paths,
                                                 std::span<const std::string_view> sonames,
                                                 const system::FileSystem& files,
                                                 const system::Environment& environment);

// The compiler that belongs to `runtime`: a libhiprtc of its major version, looked for beside it first, or
// the one inside it (before ROCm 6). OwnError::kAbsent: there is none; "another ROCm": there is one of
// another major version, or it brought along a second libamdhip64. Compiling may abort the process (ROCm 5.2
// does for targets that it does not know).
[[nodiscard]] Result<Compiler> OpenCompiler(const system::Library& runtime, const system::FileSystem& files,
                                            const system::Environment& environment);

// An Error for the code that `call` returned, with AMD's name of it.
[[nodiscard]] Error ErrorOf(std::string_view call, HipResult code);
// Whether a process that met this code of HIP's can make no more use of the device.
[[nodiscard]] bool EndsContext(std::int64_t code);
// The code of a call that was told or passed over: the runtime is to forget it, too. Since ROCm 7 an error
// stays until hipGetLastError is called, and a library in this process takes it for one of its own
// (rocm.docs.amd.com, HIP, "HIP API 7.0 changes").
HipResult Told(const Api& api, HipResult code);
[[nodiscard]] Error CompilerErrorOf(std::string_view call, HiprtcResult code);

// How many devices HIP shows this process; at most kMaxDevices. hipInit's own code misleads: it succeeds
// without a device and fails with one that is broken, so this is the call that counts.
inline constexpr int kMaxDevices = 128;
[[nodiscard]] Result<int> DeviceCount(const Api& api);

[[nodiscard]] std::optional<int> Attribute(const Api& api, int device, HipAttribute attribute);

// "gfx942:sramecc+:xnack-": the target with its features, as the compiler takes it. nullopt where neither
// layout of the properties holds a target.
[[nodiscard]] std::optional<std::string> TargetWithFeatures(const Api& api, int device);

// Everything that libamdhip64 says of its devices; free memory is left out, since asking for it sets a device
// up. Partitions of one card have its address and "xcp<N>" as their partition: HIP gives them one address, or
// functions that are none. `nodes`: the kernel's, which know a divided card of which but one part is shown,
// and how many compute units there are where HIP counts pairs of them.
[[nodiscard]] Result<std::vector<RuntimeDevice>> ReadDevices(const Api& api,
                                                             const std::vector<amd::KfdNode>& nodes,
                                                             const system::Environment& environment);

// "6.2.41133" of 60241133; ROCm 5 and later: major * 10^7 + minor * 10^5 + patch.
[[nodiscard]] std::string VersionText(int version);

}  // namespace probe::hip
