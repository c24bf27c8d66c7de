// SPDX-License-Identifier: MIT
// How a module tells of a GPU that its runtime does not show: as hardware of which there is no more than the
// address and what keeps it from the runtime, a variable or an error of its own. It says so of the device
// that others show there, and makes none; one with a name makes the device where no other does.
//
// And how what lists the cards tells of one that the kernel's driver did not take, and a runtime of a library
// that hides the driver's from others.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "probe/core/report.h"

namespace probe {

inline constexpr std::string_view kHiddenByFact = "hidden_by";               // the variable's name
inline constexpr std::string_view kHiddenBecauseFact = "hidden_because";     // what is wrong with its value
inline constexpr std::string_view kUnreachedErrorFact = "unreached_error";   // as the runtime's table has it
inline constexpr std::string_view kUnreachedTextFact = "unreached_because";  // "it fell off the bus"

// The module of its maker's that is loaded and did not bind the card, and that module's version where it has
// one of its own.
inline constexpr std::string_view kLeftByFact = "left_by_driver";
inline constexpr std::string_view kLeftByVersionFact = "left_by_version";
// The error of all such cards in the tables of their runtimes, also where a probe finds that itself.
inline constexpr std::string_view kLeftByDriver = "driver_left_card";
// The error of a file of the runtime's that is found before this machine's driver and is none, in the report
// of a driver of its own: the runtime does without it, and other programs take what they find first.
inline constexpr std::string_view kBeforeDriver = "before_driver";
// The same of one that a variable of this tool's alone brings: other programs do not find it.
inline constexpr std::string_view kBeforeDriverHere = "before_driver_here";

// The error of what a variable hides that is no loss of a GPU: drivers that compute on the processor.
inline constexpr std::string_view kHidesSoftware = "hides_software";

[[nodiscard]] inline HardwareDevice HiddenHardware(std::string_view module, const PciAddress& address,
                                                   std::string_view variable, std::string because = {}) {
  HardwareDevice hidden;
  hidden.source = module;
  hidden.identity.pci = address;
  hidden.facts.push_back({std::string(kHiddenByFact), std::string(variable)});
  if (!because.empty()) hidden.facts.push_back({std::string(kHiddenBecauseFact), std::move(because)});
  return hidden;
}

// Of one whose address is not known: it may be any of its maker's that is not reached. The text names it.
[[nodiscard]] inline HardwareDevice UnplacedHardware(std::string_view module, const Error& error) {
  HardwareDevice unreached;
  unreached.source = module;
  unreached.facts.push_back({std::string(kUnreachedErrorFact), error.name});
  unreached.facts.push_back({std::string(kUnreachedTextFact), error.text});
  return unreached;
}

[[nodiscard]] inline HardwareDevice UnreachedHardware(std::string_view module, const PciAddress& address,
                                                      const Error& error) {
  HardwareDevice unreached = UnplacedHardware(module, error);
  unreached.identity.pci = address;
  return unreached;
}

// Whether it only says what keeps a GPU from its runtime.
[[nodiscard]] inline bool IsHidden(const HardwareDevice& hardware) {
  return FindFact(hardware.facts, kHiddenByFact) != nullptr ||
         FindFact(hardware.facts, kUnreachedErrorFact) != nullptr;
}

// Whether a probe found anything: what is hidden from it is nothing.
[[nodiscard]] inline bool HasFound(const ProbeReport& probe) {
  return !probe.devices.empty() || !std::all_of(probe.hardware.begin(), probe.hardware.end(), IsHidden);
}

}  // namespace probe
