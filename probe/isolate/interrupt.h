// SPDX-License-Identifier: MIT
// Ctrl-C and SIGTERM as a value that the program looks at, so that it can end with valid output.
#pragma once

#include <atomic>

#include "probe/core/result.h"

namespace probe::isolate {

struct Interrupt {
  const std::atomic<int>* signal = nullptr;  // 0, or the first signal that arrived
  int descriptor = -1;                       // readable from then on: wakes a poll without a race
};

// Installs handlers of SIGINT, SIGTERM and SIGHUP, except of those that the caller of this program ignores.
// From then on they only set the value: the program ends by itself, and Supervisor makes sure that it soon
// can. Call it once; what it returns lives as long as the process.
[[nodiscard]] Result<Interrupt> InstallInterruptHandlers();

}  // namespace probe::isolate
