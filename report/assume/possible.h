// SPDX-License-Identifier: MIT
// What a described machine can not be, and what it must be where its words leave that open. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/result.h"
#include "report/assume/words.h"
#include "report/core/impossible.h"
#include "report/core/tables.h"

namespace report::assume {

// Drivers' names of runtimes with their versions.
using Installed = std::vector<std::pair<std::string, std::string>>;

// What all texts together say of the machine as a whole.
struct Whole {
  std::optional<std::string> os;
  std::optional<std::string> machine;
  std::optional<std::string> libc;
  std::optional<bool> wsl;
  std::optional<bool> container;
  std::optional<std::uint64_t> ram_bytes;  // the processor's memory
  const TargetTable* program = nullptr;    // that is asked about, if one is

  // The error names the key of which two texts say different things.
  [[nodiscard]] std::optional<std::string> Add(const Words& words);
};

// Fills in the system and the processor's architecture where nobody says them: Linux on x86_64, or the first
// that can be. The error says why what was said can not be, data/impossible.csv.
[[nodiscard]] std::optional<std::string> Settle(const Tables& tables, const std::vector<Words>& devices,
                                                Whole& whole);

// Where something is to run on the settled machine.
[[nodiscard]] Setting SettingOf(const Whole& whole);

// Why the settled machine can not have the runtime at all; nullopt where it can.
[[nodiscard]] std::optional<std::string> WhyNotHad(const Whole& whole, std::string_view runtime);

// What one text says that can not be together: a machine without a GPU that has one's memory, an architecture
// of another maker, a driver that never knew it, a runtime's version that no such driver has.
[[nodiscard]] std::optional<std::string> Contradiction(const Tables& tables, const Words& words);

// A driver that one text says holds for all GPUs of that maker. The error says which two differ, or which two
// GPUs no driver knows together.
[[nodiscard]] std::optional<std::string> ShareDrivers(std::vector<Words>& devices);

// What no device of the machine can have: a runtime for another maker's GPUs alone.
[[nodiscard]] std::optional<std::string> StrayRuntime(const Tables& tables,
                                                      const std::vector<Words>& devices);

}  // namespace report::assume
