// SPDX-License-Identifier: MIT
#include <signal.h>

#include <array>

#include "probe/isolate/interrupt.h"

namespace probe::isolate {

// All that would end a program by default and that another process, a limit or a clock sends. Not those of a
// fault in the program itself (SIGSEGV, SIGABRT and their like): after one of them nothing that it says can
// be relied upon.
std::span<const int> EndingSignals() {
  static constexpr std::array kEnding = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2,
                                         SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR};
  return kEnding;
}

}  // namespace probe::isolate
