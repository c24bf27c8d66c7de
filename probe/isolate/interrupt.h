// SPDX-License-Identifier: MIT
// Turns Ctrl-C, SIGTERM and their like into a value that the program looks at, so that it can end with valid
// output.
#pragma once

#include <atomic>
#include <span>

#include "probe/core/result.h"

namespace probe::isolate {

struct Interrupt {
  const std::atomic<int>* signal = nullptr;  // 0, or the first signal that arrived
  int descriptor = -1;                       // readable from then on: wakes a poll without a race
};

// Installs handlers of SIGINT, SIGTERM, SIGHUP, SIGQUIT and of the others that end a program unless it is
// asked and that are no fault of its own (SIGUSR1, SIGXCPU, ...), except of those that the caller of this
// program ignores. From then on the first only sets the value: the program ends by itself, and Supervisor
// makes sure that it soon can. A second SIGINT, SIGQUIT or SIGTERM, a quarter of a second later or more, ends
// it at once with 128 + the first's number, without a marker of a step that it was in. Call it once; what it
// returns lives as long as the process.
[[nodiscard]] Result<Interrupt> InstallInterruptHandlers();

// The signals that it handles.
[[nodiscard]] std::span<const int> EndingSignals();

}  // namespace probe::isolate
