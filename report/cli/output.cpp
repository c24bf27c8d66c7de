// SPDX-License-Identifier: MIT
#include "report/cli/output.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>

#include "probe/core/text.h"
#include "report/render/terminal.h"

namespace report {
namespace {

using probe::isolate::Interrupt;

bool HasArrived(const Interrupt& interrupt) {
  return interrupt.signal != nullptr && interrupt.signal->load() != 0;
}

// Waits until the descriptor takes a piece. Once a signal has arrived, for two seconds: false where nobody
// reads on. A second signal would do, but not every one ends the program.
bool TakesAPiece(int descriptor, const Interrupt& interrupt) {
  constexpr int kPatienceMilliseconds = 2000;
  for (;;) {
    const bool arrived = HasArrived(interrupt);
    std::array waits = {pollfd{descriptor, POLLOUT, 0}, pollfd{interrupt.descriptor, POLLIN, 0}};
    const int ready = poll(waits.data(), arrived ? 1 : 2, arrived ? kPatienceMilliseconds : -1);
    if (waits[0].revents != 0 || (ready < 0 && errno != EINTR)) return true;
    if (arrived && ready == 0) return false;
  }
}

bool IsTerminal(int descriptor) {
  struct stat status{};
  return fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode);
}

}  // namespace

int Deliver(int descriptor, std::string_view text, const Interrupt& interrupt) {
  // A pipe that takes anything takes so much, pipe(7); of a terminal only a byte is sure, and once a signal
  // has arrived no write may sleep.
  const bool is_terminal = IsTerminal(descriptor);
  while (!text.empty()) {
    if (!TakesAPiece(descriptor, interrupt)) return EINTR;
    const auto piece = text.substr(0, is_terminal && HasArrived(interrupt) ? 1 : PIPE_BUF);
    const ssize_t written = write(descriptor, piece.data(), piece.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      return 0;
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

bool TakesSome(int descriptor) {
  pollfd wait{descriptor, POLLOUT, 0};
  return poll(&wait, 1, 0) == 1 && (wait.revents & POLLOUT) != 0;
}

namespace {
constexpr std::size_t kLongestText = 400;
}  // namespace

void Progress::Show(const std::string& text) {
  if (text.empty()) return Clear();
  if (!enabled_ || !TakesSome(STDERR_FILENO)) return;
  // Looked at every time: the window may have become narrower. A full line would wrap, and stay.
  const int columns = render::Inspect(STDERR_FILENO).columns.value_or(render::kDefaultWidth);
  const auto line = render::Fit(probe::CleanText(text, kLongestText), columns - 1, false);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::Clear() {
  if (!shown_ || !TakesSome(STDERR_FILENO)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace report
