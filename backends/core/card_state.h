// SPDX-License-Identifier: MIT
// What the kernel driver of a card says of it while it is used, for runtimes that say nothing.
#pragma once

#include "backends/core/backend.h"

namespace backends {

// By the device's PCI address; empty where it has none or its driver tells nothing. Reads one file.
[[nodiscard]] DeviceState StateOfCard(const probe::RuntimeDevice& device,
                                      const probe::system::FileSystem& files);

}  // namespace backends
