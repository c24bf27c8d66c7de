// SPDX-License-Identifier: MIT
// The child's side: what this binary does when it is started as a child. Which tasks exist is a table of the
// caller's; this folder knows none of them.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "probe/core/json.h"
#include "probe/core/result.h"

namespace probe::isolate {

using RecordSink = std::function<void(const Json&)>;

struct Task {
  std::string_view name;  // "probe", "measure"
  // Does the work named by `request`, streaming records; an error becomes a {"error": ...} record.
  Status (*run)(const Json& request, const RecordSink& send) = nullptr;
};

// True when the arguments say that this process is a child (first argument kChildArgument).
[[nodiscard]] bool IsChild(int argc, char** argv);
inline constexpr std::string_view kChildArgument = "--whichgpu-child";

// Leaves a reaper behind (reaper.h), reads the request, forbids core dumps, runs the task, says done and
// leaves by _exit. A task may send from several threads. A result pipe that a driver closed or replaced ends
// the process with a code of its own instead of writing into whatever has its number now.
[[noreturn]] void RunChild(int argc, char** argv, std::span<const Task> tasks) noexcept;

}  // namespace probe::isolate
