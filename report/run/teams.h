// SPDX-License-Identifier: MIT
// Which modules share a child: starting one costs as much as probing what is only read from files. What may
// load vendor code has a child of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "probe/core/module.h"
#include "probe/isolate/supervisor.h"
#include "probe/system/clock.h"

namespace report {

// Indices of modules that one child probes, one after the other.
using Team = std::vector<std::size_t>;

// Whether the module's probe may load or open something of a vendor's on this machine.
[[nodiscard]] bool MayLoad(const probe::Module& module, const probe::ProbeContext& context);

// All of them, those that take longest first: runtimes by what they usually take, then hardware sources, each
// alone, then all that load nothing together.
[[nodiscard]] std::vector<Team> MakeTeams(std::span<const probe::Module* const> modules,
                                          const probe::ProbeContext& context);

// The key of the record that a child sends when it turns to a module.
inline constexpr std::string_view kModuleKey = "module";

// Hands each module of the team its part of what their child sent: results[i] is module i's. begun: when each
// turn began, as far as they came. Who had the turn when the child died has its end. Returns those who never
// had one and need another child.
[[nodiscard]] Team Share(const Team& team, probe::isolate::ChildResult whole,
                         std::span<const probe::system::SteadyTime> begun,
                         std::vector<probe::isolate::ChildResult>& results);

}  // namespace report
