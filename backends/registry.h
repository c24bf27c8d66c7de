// SPDX-License-Identifier: MIT
// The backends of this build, in the order of the list in the root CMakeLists.txt.
#pragma once

#include <span>

#include "backends/core/backend.h"

namespace backends {

[[nodiscard]] std::span<const Backend> Backends();

}  // namespace backends
