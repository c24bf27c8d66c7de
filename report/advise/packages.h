// SPDX-License-Identifier: MIT
// Which packages of a distribution fill roles for some cards, or why none do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/core/device.h"
#include "report/advise/system.h"
#include "report/advise/tables.h"

namespace report::advise {

struct Choice {
  std::vector<std::string> packages;
  std::optional<std::string> command;  // in the place of installing packages
  std::vector<std::string> notes;      // sentences without an end
  bool found = false;                  // false: the notes say why there is nothing to install
};

// The cards are those that the packages are for; none: any.
[[nodiscard]] Choice Choose(const Packages& packages, const System& system,
                            const std::vector<std::string>& roles,
                            const std::vector<const probe::PhysicalDevice*>& cards);

// nullptr for what is no role.
[[nodiscard]] const Role* FindRole(const Packages& packages, const std::string& name);

}  // namespace report::advise
