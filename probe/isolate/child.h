// SPDX-License-Identifier: MIT
// The child's side: what this binary does when it is started as a child. Which tasks exist is a table of the
// caller's; this folder knows none of them.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "probe/core/codec.h"

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

// Reads the request, applies the limits of contract.md section 5, runs the task, says done and leaves by _exit.
[[noreturn]] void RunChild(int argc, char** argv, std::span<const Task> tasks);

}  // namespace probe::isolate
