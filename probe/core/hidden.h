// SPDX-License-Identifier: MIT
// How a module tells of a GPU that a variable keeps from its runtime: as hardware of which there is no more
// than the address and that fact. It says so of the device that others show there, and makes none.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "probe/core/report.h"

namespace probe {

inline constexpr std::string_view kHiddenByFact = "hidden_by";  // the variable's name

[[nodiscard]] inline HardwareDevice HiddenHardware(std::string_view module, const PciAddress& address,
                                                   std::string_view variable) {
  HardwareDevice hidden;
  hidden.source = module;
  hidden.identity.pci = address;
  hidden.facts.push_back({std::string(kHiddenByFact), std::string(variable)});
  return hidden;
}

[[nodiscard]] inline bool IsHidden(const HardwareDevice& hardware) {
  return FindFact(hardware.facts, kHiddenByFact) != nullptr;
}

// Whether a probe found anything: what is hidden from it is nothing.
[[nodiscard]] inline bool HasFound(const ProbeReport& probe) {
  return !probe.devices.empty() || !std::all_of(probe.hardware.begin(), probe.hardware.end(), IsHidden);
}

}  // namespace probe
