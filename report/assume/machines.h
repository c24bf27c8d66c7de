// SPDX-License-Identifier: MIT
// Whole machines that people know by a name (data/machines.csv). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/core/result.h"

namespace report::assume {

// The texts of --assume that the name stands for; letters' case does not matter. The error names those that
// are known, or the nearest.
[[nodiscard]] probe::Result<std::vector<std::string>> TextsOfMachine(std::string_view name);

[[nodiscard]] std::vector<std::string> MachineNames();

}  // namespace report::assume
