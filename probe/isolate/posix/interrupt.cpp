// SPDX-License-Identifier: MIT
#include "probe/isolate/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "probe/isolate/crash_marker.h"
#include "probe/system/process.h"

namespace probe::isolate {
namespace {

std::atomic<int> arrived = 0;
static_assert(std::atomic<int>::is_always_lock_free,
              "only lock-free atomics may be used in a signal handler");
std::atomic<std::int64_t> arrived_ms = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
int wake_descriptor = -1;

// Sooner a second one is the first once more: timeout(1) sends its own twice, to the program and to the
// group.
constexpr std::int64_t kSameMilliseconds = 250;

std::int64_t Milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

bool IsImpatient(int number) { return number == SIGINT || number == SIGQUIT || number == SIGTERM; }

void OnSignal(int number) {
  const int saved = errno;
  int none = 0;
  const char byte = 0;
  if (arrived.compare_exchange_strong(none, number)) {
    arrived_ms = Milliseconds();
    // A full pipe wakes the poll as well.
    if (write(wake_descriptor, &byte, 1) < 0) errno = saved;
  } else if (IsImpatient(number) && Milliseconds() - arrived_ms > kSameMilliseconds) {
    BlankHeldMarkers();
    _exit(128 + none);
  }
  errno = saved;
}

}  // namespace

Result<Interrupt> InstallInterruptHandlers() {
  auto pipe = system::MakePipe();
  if (!pipe) return pipe.error();
  // Both ends stay open until the process ends: a handler may write at any moment.
  static system::Pipe ends;
  ends = *std::move(pipe);
  wake_descriptor = ends.write_end.get();
  fcntl(wake_descriptor, F_SETFL, O_NONBLOCK);
  arrived = 0;
  for (const int number : EndingSignals()) {
    struct sigaction action{};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART;  // poll returns all the same, signal(7); writing the report goes on
    sigfillset(&action.sa_mask);
    if (sigaction(number, &action, nullptr) != 0) return system::ErrnoError("sigaction", errno);
  }
  return Interrupt{&arrived, ends.read_end.get()};
}

}  // namespace probe::isolate
