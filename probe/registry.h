// SPDX-License-Identifier: MIT
// The modules of this build, in the order of the lists in the root CMakeLists.txt.
#pragma once

#include <span>

#include "probe/core/module.h"

namespace probe {

[[nodiscard]] std::span<const Module> Modules();

}  // namespace probe
