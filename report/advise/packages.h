// SPDX-License-Identifier: MIT
// Which known distribution a machine runs, how a thing is done there, and which of its packages fill roles
// for some cards, or why none do. Words of os-release are only looked up: none becomes a part of a command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/report.h"
#include "report/advise/tables.h"

namespace report::advise {

struct System {
  const SystemFacts* facts = nullptr;  // nullptr: none that is known
  std::optional<std::string> release;  // "12"; nullopt where it has none, or of a derivative no known one
  bool image_based = false;
};

// Its own id, else the first known one that it is made from, of which the codename of the parent's release
// tells the release.
[[nodiscard]] System FindSystem(const Systems& systems, const std::optional<probe::OsRelease>& os);

// "Debian 12"
[[nodiscard]] std::string NameOf(const System& system);

// The action done to all of these by one line; nullopt where it is not known how, and for nothing.
[[nodiscard]] std::optional<std::string> CommandFor(const System& system, Action action,
                                                    const std::vector<std::string>& what);

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
