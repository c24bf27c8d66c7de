// SPDX-License-Identifier: MIT
// The variables that keep runtimes from a GPU that is here.
#pragma once

#include <string>
#include <vector>

#include "report/core/report.h"

namespace report {

// As modules told them (probe/core/hidden.h), each once and with its value. None where no kernel driver has
// the GPU, or one keeps it for a virtual machine: then nothing reaches it, whatever is set.
[[nodiscard]] std::vector<probe::EnvironmentVariable> HidingVariables(const Report& report,
                                                                      const probe::PhysicalDevice& device);
// Those that hide every device from a runtime: that its hidden devices or its error name, else all that are
// set and may.
[[nodiscard]] std::vector<probe::EnvironmentVariable> HidingVariables(const probe::ProbeReport& probe);
// "unset A B"
[[nodiscard]] std::string UnsetCommand(const std::vector<probe::EnvironmentVariable>& variables);
// "A=0 and B=1"
[[nodiscard]] std::string SettingText(const std::vector<probe::EnvironmentVariable>& variables);

}  // namespace report
