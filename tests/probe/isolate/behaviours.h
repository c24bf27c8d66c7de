// SPDX-License-Identifier: MIT
// The tasks that the test binary runs when it is started as a child: everything that a driver may do wrong.
// The request is {"do": name, ...}.
#pragma once

#include <span>

#include "probe/isolate/child.h"
#include "probe/isolate/supervisor.h"

namespace probe::isolate {

[[nodiscard]] std::span<const Task> TestTasks();

// A request for the behaviour of that name; `more` is merged into the request.
[[nodiscard]] ChildRequest Do(std::string_view behaviour, double deadline_s = 20,
                              const Json& more = Json::object());

// Runs one child, or several, under a supervisor of its own.
[[nodiscard]] ChildResult RunOne(const ChildRequest& request, SupervisorOptions options = {});
[[nodiscard]] std::vector<ChildResult> RunThem(std::span<const ChildRequest> requests,
                                               SupervisorOptions options = {});

// The first record's value of that key, or null.
[[nodiscard]] Json First(const ChildResult& result, std::string_view key);

// Whether descendants are told by marks: where these tests are linked to what every system can do.
[[nodiscard]] bool ToldByMarks();

// True while a process of that number exists and is no zombie.
[[nodiscard]] bool IsAlive(pid_t pid);

// Whether it is none within a second: what is killed and not awaited dies when it next has a processor.
[[nodiscard]] bool Ends(pid_t pid);

}  // namespace probe::isolate
