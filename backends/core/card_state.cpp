// SPDX-License-Identifier: MIT
#include "backends/core/card_state.h"

#include "probe/core/vendor.h"

namespace backends {

DeviceState StateOfCard(const probe::RuntimeDevice& device, const probe::system::FileSystem& files) {
  const auto& pci = device.identity.pci;
  auto causes = pci ? probe::ThrottledBy(files, "/sys/bus/pci/devices/" + ToString(*pci)) : std::nullopt;
  return causes && *causes != "none" ? DeviceState{*std::move(causes), std::nullopt} : DeviceState{};
}

}  // namespace backends
