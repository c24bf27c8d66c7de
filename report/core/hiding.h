// SPDX-License-Identifier: MIT
// The variable that keeps a runtime from a GPU that is here.
#pragma once

#include <optional>

#include "report/core/report.h"

namespace report {

// As its module told it (probe/core/hidden.h), with its value; nullopt where none is known to hide the GPU.
[[nodiscard]] std::optional<probe::EnvironmentVariable> HidingVariable(const Report& report,
                                                                       const probe::PhysicalDevice& device);

}  // namespace report
