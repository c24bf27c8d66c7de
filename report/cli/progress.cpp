// SPDX-License-Identifier: MIT
#include "report/cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "probe/core/text.h"
#include "report/cli/output.h"
#include "report/render/terminal.h"

namespace report {

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
