// SPDX-License-Identifier: MIT
#include "report/progress.h"

#include <cstdio>

#include "probe/core/text.h"

namespace report {

namespace {
constexpr std::size_t kLineBytes = 76;  // fits a terminal of 80 columns
}  // namespace

void Progress::Show(const std::string& text) {
  if (!enabled_) return;
  std::fprintf(stderr, "\r\x1b[K%s", probe::CleanText(text, kLineBytes).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::Clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace report
