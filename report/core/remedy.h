// SPDX-License-Identifier: MIT
// What has to be done where the command depends on the machine: report/advise makes it.
#pragma once

#include <string>
#include <vector>

namespace report {

enum class Action { kInstall, kReinstall, kRemove, kJoinGroups, kStartService };

struct Remedy {
  Action action = Action::kInstall;
  std::vector<std::string> what;  // roles of packages (data/packages.json), groups, or services
  bool is_seen = false;           // the groups were found on this machine, whatever its distribution has
  bool operator==(const Remedy&) const = default;
};

}  // namespace report
