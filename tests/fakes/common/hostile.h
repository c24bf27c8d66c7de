// SPDX-License-Identifier: MIT
// What a driver can do to the process that it is loaded into, whatever its interface: acts by name, beside
// those that scenario.h lists. Each is bounded in time, memory, processes and disk, so that a tool that does
// not contain it harms no machine.
#pragma once

#include <span>
#include <string_view>

namespace fakes {

struct Misbehaviour;

using HostileAct = void (*)(const Misbehaviour&);

struct NamedAct {
  std::string_view name;
  HostileAct perform = nullptr;
};

// nullptr for a name that is none.
[[nodiscard]] HostileAct FindHostileAct(std::string_view name);

// Says in the file `mark`.<process> that this process got here: its number and when it started, as
// /proc/<process>/stat counts it. Nothing without a `mark`.
void Mark(const Misbehaviour& what);

// Sleeps, deaf to what a polite supervisor sends, for `seconds` of the scenario, and ends the process.
[[noreturn]] void HangOn(const Misbehaviour& what);

// The parts of the table, one a file.
[[nodiscard]] std::span<const NamedAct> ActsOnDescriptors();
[[nodiscard]] std::span<const NamedAct> ActsOnFiles();
[[nodiscard]] std::span<const NamedAct> ActsOnMemory();
[[nodiscard]] std::span<const NamedAct> ActsOnProcesses();
[[nodiscard]] std::span<const NamedAct> ActsOnSignals();
[[nodiscard]] std::span<const NamedAct> ActsOnState();
[[nodiscard]] std::span<const NamedAct> ActsThatEnd();

}  // namespace fakes
