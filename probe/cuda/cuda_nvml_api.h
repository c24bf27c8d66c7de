// SPDX-License-Identifier: MIT
// The functions of the management library for the two that call it: the survey (cuda_nvml.h) and the monitor
// (cuda_api.h). Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "probe/core/result.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_declarations.h"
#include "probe/system/library.h"

namespace probe::cuda {

// No more are asked about, whatever the library counts.
inline constexpr unsigned int kMaxGpus = 128;
inline constexpr unsigned int kMaxInstances = 16;

// The functions of cuda_nvml_symbols.def; a missing optional one is nullptr.
struct NvmlApi {
#define WHICHGPU_NVML_SYMBOL(name, symbol, required) \
  decltype(&functions::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): declares it
#include "probe/cuda/cuda_nvml_symbols.def"
#undef WHICHGPU_NVML_SYMBOL
};

[[nodiscard]] Result<system::Library> OpenNvmlLibrary(const system::FileSystem& files,
                                                      const system::Environment& environment);
// The error names the first required symbol that the library lacks.
[[nodiscard]] Result<NvmlApi> ResolveNvml(const system::Library& library);

// An Error for the code that `call` returned, with NVIDIA's name of it.
[[nodiscard]] Error NvmlErrorOf(std::string_view call, NvmlReturn code);

// The answer of a query for one value; nullopt where the function or the figure is missing.
template <class T, class F, class... A>
std::optional<T> Ask(F function, A... arguments) {
  T value{};
  if (function == nullptr || function(arguments..., &value) != kNvmlSuccess) return std::nullopt;
  return value;
}

// What holds the clocks back, by name; "" where nothing does. Idle and chosen clocks are no throttling.
[[nodiscard]] std::string ThrottleText(unsigned long long reasons);

// `instance`: the GPU itself or its MIG instance, which has processes of its own.
[[nodiscard]] GpuLoad LoadOf(const NvmlApi& api, NvmlDevice gpu, NvmlDevice instance);

}  // namespace probe::cuda
