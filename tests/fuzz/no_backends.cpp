// SPDX-License-Identifier: MIT
// Stands in for the registry of backends: a harness measures nothing.
#include "backends/registry.h"

namespace backends {

std::span<const Backend> Backends() { return {}; }

}  // namespace backends
