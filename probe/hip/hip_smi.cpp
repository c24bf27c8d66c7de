// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string_view>

#include "probe/hip/hip_api.h"
#include "probe/hip/hip_driver.h"

namespace probe::hip {
namespace {

// Of ROCm 7 and 6, of 5, and of Debian.
constexpr std::array<std::string_view, 4> kSonames = {"librocm_smi64.so.7", "librocm_smi64.so.6",
                                                      "librocm_smi64.so.5", "librocm_smi64.so.1"};
constexpr std::uint32_t kMaxGpus = 256;

struct SmiApi {
#define WHICHGPU_RSMI_SYMBOL(name, required) \
  decltype(&functions::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): declares it
#include "probe/hip/hip_smi_symbols.def"
#undef WHICHGPU_RSMI_SYMBOL
};

// The answer of a query for one number; nullopt where the function or the figure is missing.
template <class T, class F, class... A>
std::optional<T> Ask(F function, A... arguments) {
  T value{};
  if (function == nullptr || function(arguments..., &value) != kRsmiSuccess) return std::nullopt;
  return value;
}

// rocm_smi.h, rsmi_dev_pci_id_get: domain above bit 32, partition above bit 28, then bus, device and
// function.
SmiGpu AtPlace(std::uint64_t place) {
  SmiGpu gpu;
  const auto low = static_cast<std::uint32_t>(place);
  const auto domain = static_cast<std::uint32_t>(place >> 32U);
  gpu.pci = {domain, low >> 8U & 0xffU, low >> 3U & 0x1fU, 0};
  gpu.partition = low >> 28U != 0 ? low >> 28U : low & 7U;
  return gpu;
}

std::optional<SmiGpu> ReadGpu(const SmiApi& api, std::uint32_t index) {
  const auto place = Ask<std::uint64_t>(api.rsmi_dev_pci_id_get, index);
  if (!place) return std::nullopt;
  SmiGpu gpu = AtPlace(*place);
  gpu.memory_total_bytes = Ask<std::uint64_t>(api.rsmi_dev_memory_total_get, index, kRsmiVram);
  gpu.memory_used_bytes = Ask<std::uint64_t>(api.rsmi_dev_memory_usage_get, index, kRsmiVram);
  const auto add = [&](std::string_view key, const std::optional<std::uint64_t>& value,
                       std::uint64_t divisor) {
    if (value) gpu.facts.push_back({std::string(key), std::to_string(*value / divisor)});
  };
  if (const auto busy = Ask<std::uint32_t>(api.rsmi_dev_busy_percent_get, index)) {
    gpu.facts.push_back({"utilization_percent", std::to_string(*busy)});
  }
  // Microwatts there.
  add("power_mw", Ask<std::uint64_t>(api.rsmi_dev_power_ave_get, index, 0U), 1000);
  add("power_limit_mw", Ask<std::uint64_t>(api.rsmi_dev_power_cap_get, index, 0U), 1000);
  add("power_limit_default_mw", Ask<std::uint64_t>(api.rsmi_dev_power_cap_default_get, index), 1000);
  return gpu;
}

Result<SmiApi> Resolve(const system::Library& library) {
  SmiApi api;
  std::string_view missing;
#define WHICHGPU_RSMI_SYMBOL(name, required)                      \
  api.name = library.Function<decltype(&functions::name)>(#name); \
  if ((required) && missing.empty() && api.name == nullptr) missing = #name;
#include "probe/hip/hip_smi_symbols.def"
#undef WHICHGPU_RSMI_SYMBOL
  if (missing.empty()) return api;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               library.info().path.value_or(library.info().soname) + " is too old, or no management library"};
}

Error Failed(std::string_view call, RsmiResult code) {
  return {std::string(call), static_cast<std::int32_t>(code), "failed",
          "the management library does not answer"};
}

}  // namespace

Result<std::vector<SmiGpu>> AskSmi(const system::FileSystem& files, const system::Environment& environment) {
  const auto library =
      system::Library::Open(kSonames, LibraryDirectories(files, environment), files, environment);
  if (!library) return library.error();
  const auto api = Resolve(*library);
  if (!api) return api.error();
  if (const auto code = api->rsmi_init(0); code != kRsmiSuccess) return Failed("rsmi_init", code);
  std::uint32_t count = 0;
  if (const auto code = api->rsmi_num_monitor_devices(&count); code != kRsmiSuccess) {
    return Failed("rsmi_num_monitor_devices", code);
  }
  std::vector<SmiGpu> gpus;
  for (std::uint32_t i = 0; i < std::min(count, kMaxGpus); ++i) {
    if (auto gpu = ReadGpu(*api, i)) gpus.push_back(*std::move(gpu));
  }
  return gpus;
}

}  // namespace probe::hip
