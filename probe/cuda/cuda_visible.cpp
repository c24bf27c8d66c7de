// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_driver.h"

namespace probe::cuda {
namespace {

constexpr std::array<std::string_view, 4> kVariables = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
                                                        "NVIDIA_VISIBLE_DEVICES", "CUDA_DISABLE_PTX_JIT"};
constexpr std::size_t kMaxEntries = 256;

VisibleEntry KindOf(std::string_view entry) {
  if (!entry.empty() && entry.size() < 5 && entry.find_first_not_of("0123456789") == std::string_view::npos) {
    return VisibleEntry::kIndex;
  }
  if (entry.starts_with("MIG-")) return VisibleEntry::kMig;
  return entry.starts_with("GPU-") ? VisibleEntry::kUuid : VisibleEntry::kGarbage;
}

std::string NameOf(const NvmlGpu& gpu) {
  return fmt::format("{} ({})", gpu.name.empty() ? "a GPU" : gpu.name,
                     gpu.pci ? ToString(*gpu.pci) : gpu.uuid);
}

const NvmlGpu* GpuOf(const RuntimeDevice& device, const std::vector<NvmlGpu>& gpus) {
  const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const NvmlGpu& known) {
    return device.identity.pci ? known.pci == device.identity.pci
                               : UuidIn(known.uuid) == device.identity.uuid;
  });
  return gpu == gpus.end() ? nullptr : &*gpu;
}

std::string HiddenText(std::string_view value, const std::vector<RuntimeDevice>& shown,
                       const std::vector<NvmlGpu>& gpus) {
  std::vector<std::string> hidden;
  for (const NvmlGpu& gpu : gpus) {
    const bool seen = std::any_of(shown.begin(), shown.end(),
                                  [&](const RuntimeDevice& device) { return GpuOf(device, gpus) == &gpu; });
    if (!seen) hidden.push_back(NameOf(gpu));
  }
  if (hidden.empty()) return {};
  return fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" hides {} of {} GPUs: {}", CleanText(value), hidden.size(),
                     gpus.size(), fmt::join(hidden, ", "));
}

std::string GarbageText(std::string_view value) {
  const auto entries = ParseVisible(value);
  if (entries.empty() || entries.back().kind != VisibleEntry::kGarbage || entries.back().text == "-1" ||
      Trim(value, " \t").empty()) {
    return {};
  }
  return fmt::format(
      "CUDA_VISIBLE_DEVICES: \"{}\" is neither a number nor GPU-... nor MIG-...: CUDA ignores it and all "
      "after it",
      CleanText(entries.back().text));
}

// CUDA counts the fastest first, nvidia-smi by address.
std::string OrderText(const system::Environment& environment, const std::vector<RuntimeDevice>& shown,
                      const std::vector<NvmlGpu>& gpus) {
  if (environment.Get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" || environment.Get("CUDA_VISIBLE_DEVICES"))
    return {};
  for (const RuntimeDevice& device : shown) {
    const NvmlGpu* gpu = GpuOf(device, gpus);
    if (gpu == nullptr || device.identity.partition || gpu->index == device.ordinal) continue;
    return fmt::format(
        "CUDA counts the fastest GPU first, nvidia-smi by address: CUDA's {} is nvidia-smi's {}; "
        "CUDA_DEVICE_ORDER=PCI_BUS_ID makes them agree, UUIDs always do",
        device.ordinal, gpu->index);
  }
  return {};
}

}  // namespace

std::span<const std::string_view> VisibilityVariables() { return kVariables; }

std::vector<Visible> ParseVisible(std::string_view value) {
  std::vector<Visible> out;
  while (!value.empty() && out.size() < kMaxEntries) {
    const auto raw = value.substr(0, value.find(','));
    value.remove_prefix(std::min(raw.size() + 1, value.size()));
    const auto entry = Trim(raw, " \t");
    out.push_back({std::string(entry), KindOf(entry)});
    if (out.back().kind == VisibleEntry::kGarbage) break;
  }
  return out;
}

std::vector<std::string> ExplainVisible(const system::Environment& environment,
                                        const std::vector<RuntimeDevice>& shown,
                                        const std::vector<NvmlGpu>& gpus) {
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  if (const auto value = environment.Get("CUDA_VISIBLE_DEVICES")) {
    add(HiddenText(*value, shown, gpus));
    add(GarbageText(*value));
  }
  add(OrderText(environment, shown, gpus));
  return out;
}

}  // namespace probe::cuda
