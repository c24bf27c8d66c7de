// SPDX-License-Identifier: MIT
// How a process that Spawn started comes to its place where the system can not have it make that directory
// before it runs (posix/spawn.cpp). Spawn makes it then, once the process is there: it says in a pipe which
// one it will make, makes it, and says so. Whoever dies between two of these leaves the other behind, who
// knows what is to be removed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/system/descriptor.h"

namespace probe::system {

struct ToldPlace {
  std::string path;                    // where this process works now; empty where no place could be made
  std::vector<std::string> variables;  // "NAME=value" of those that go with it
};

// For a program of ours that was started with places: reads the pipe, which Spawn puts at the number behind
// those of the plan's descriptors, to its end, and goes to the place. nullopt where the process that called
// Spawn has died meanwhile: then nothing of a place is left.
[[nodiscard]] std::optional<ToldPlace> ComeToPlace(const Descriptor& told);

}  // namespace probe::system
