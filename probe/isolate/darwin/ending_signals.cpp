// SPDX-License-Identifier: MIT
#include <signal.h>

#include <array>

#include "probe/isolate/interrupt.h"

namespace probe::isolate {

// All that would end a program by default and that another process, a limit or a clock sends. Not those of a
// fault in the program itself (SIGSEGV, SIGABRT and their like): after one of them nothing that it says can
// be relied upon. SIGIO is discarded by default here, signal(3).
std::span<const int> EndingSignals() {
  static constexpr std::array kEnding = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGUSR1,
                                         SIGUSR2, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF};
  return kEnding;
}

}  // namespace probe::isolate
