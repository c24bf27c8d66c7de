// SPDX-License-Identifier: MIT
#include "probe/sycl/sycl_visible.h"

#include <fmt/format.h>

#include <algorithm>

#include "probe/core/note.h"
#include "probe/core/text.h"

namespace probe::sycl {

std::string MalformedText(const system::Environment& environment) {
  return fmt::format("{}={} is malformed: SYCL programs that ask for devices fail with it", kSelector,
                     CleanText(environment.Get(kSelector).value_or("")));
}

void CountForTorch(const std::vector<std::vector<Found>*>& platforms) {
  const auto is_counted = [](const Found& one, DeviceKind kind) {
    return one.device.kind == kind && one.selected > 0;
  };
  const std::vector<Found>* first = nullptr;
  DeviceKind kind = DeviceKind::kUnknown;
  for (const DeviceKind wanted : {DeviceKind::kDiscrete, DeviceKind::kIntegrated}) {
    for (const auto* devices : platforms) {
      const bool has = std::any_of(devices->begin(), devices->end(),
                                   [&](const Found& one) { return is_counted(one, wanted); });
      if (first != nullptr || !has) continue;
      first = devices;
      kind = wanted;
    }
  }
  std::uint32_t all = 0;
  for (auto* devices : platforms) {
    for (Found& one : *devices) {
      const auto count = devices == first && is_counted(one, kind) ? one.selected : 0;
      one.device.facts.push_back({"torch_xpu", fmt::to_string(count)});
      all += count;
    }
  }
  const auto text = fmt::format("torch.xpu would see {} device{}", all, all == 1 ? "" : "s");
  for (auto* devices : platforms) {
    for (Found& one : *devices) AddNote({"torch_xpu", text}, one.device);
  }
}

Diagnosis Diagnose(std::size_t adapters, const std::vector<BrokenAdapter>& broken,
                   const system::Environment& environment) {
  const Error none{"urAdapterGet", std::nullopt, "no device", {}};
  const auto because = [&](Outcome outcome, std::string_view name, std::string text) {
    Error error = none;
    error.name = name;
    error.text = std::move(text);
    return Diagnosis{outcome, std::move(error)};
  };
  const auto forced = environment.Get(kForceLoad);
  if (adapters == 0 && forced) {
    return because(Outcome::kHidden, "hidden",
                   fmt::format("{}={} leaves no adapter", kForceLoad, CleanText(*forced)));
  }
  if (!broken.empty()) {
    return because(Outcome::kFailed, "adapter_unloadable",
                   fmt::format("{} does not load: {}", CleanText(broken.front().path),
                               CleanText(broken.front().reason)));
  }
  if (adapters == 0) {
    return because(Outcome::kAbsent, "no_adapter",
                   "the Unified Runtime's loader is installed, and no adapter of it has a driver here");
  }
  return because(Outcome::kNoDevice, "no device", "none of its adapters shows a device that takes SPIR-V");
}

}  // namespace probe::sycl
