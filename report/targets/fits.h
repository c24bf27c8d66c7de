// SPDX-License-Identifier: MIT
// Whether one build of a program runs by one way here. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/core/targets.h"

namespace report::targets {

// What a build's conditions are held against, beside the device; what nobody tells is absent.
struct Machine {
  std::string os = "linux";
  std::optional<std::string> architecture;  // x86_64, aarch64
  bool is_wsl = false;
  std::optional<std::string> glibc;  // its version
  bool has_other_libc = false;
  const std::vector<std::string>* features = nullptr;  // of the processor
};
[[nodiscard]] Machine MachineOf(const Report& report);

// How far a build came before a condition failed; the further, the nearer it is to be the right one.
enum class Step { kMachine, kArchitecture, kDriver, kAll };
struct Verdict {
  Step reached = Step::kAll;
  std::string misfit;  // "needs driver 525.60.13 or newer, and here is 470.82.01"; "" where it fits
  std::string driver;  // the least that would do, where it is the driver that is too old
  std::vector<std::string> unknown;  // conditions that nobody can tell of here, which are taken to hold
};
[[nodiscard]] Verdict Judge(const Tables& tables, const Build& build, const Machine& machine,
                            const probe::View& view, Policy policy);

// Whether the program, and this build of it, has this use.
[[nodiscard]] bool IsFor(const TargetTable& target, const Build& build, Use use);

}  // namespace report::targets
