// SPDX-License-Identifier: MIT
#include "backends/core/card_state.h"

#include "probe/system/amdgpu_metrics.h"
#include "probe/system/filesystem.h"

namespace backends {

DeviceState StateOfCard(const probe::RuntimeDevice& device, const probe::system::FileSystem& files) {
  constexpr std::size_t kMaxMetricsBytes = 4096;  // one page, as the kernel writes it
  const auto& pci = device.identity.pci;
  if (!pci) return {};
  const auto metrics =
      files.Read("/sys/bus/pci/devices/" + ToString(*pci) + "/gpu_metrics", kMaxMetricsBytes);
  auto causes = metrics ? probe::system::ThrottleText(*metrics) : std::nullopt;
  return causes && *causes != "none" ? DeviceState{*std::move(causes), std::nullopt} : DeviceState{};
}

}  // namespace backends
