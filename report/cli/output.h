// SPDX-License-Identifier: MIT
// What the program prints. Nobody who does not read holds a run that was told to end.
#pragma once

#include <string>
#include <string_view>

#include "probe/isolate/interrupt.h"

namespace report {

// 0: all of the text was written, or its reader went away; EINTR: a signal had arrived, and for two seconds
// nobody took any of it; else the error of write(2).
[[nodiscard]] int Deliver(int descriptor, std::string_view text, const probe::isolate::Interrupt& interrupt);

// Whether a write of something short would not sleep.
[[nodiscard]] bool TakesSome(int descriptor);

// One line on stderr that says what is being done, for a person at a terminal; silent anywhere else, and
// where the terminal was stopped (Ctrl-S).
class Progress {
 public:
  // enabled: stderr is a terminal that can move its cursor.
  explicit Progress(bool enabled) : enabled_(enabled) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  // "" clears.
  void Show(const std::string& text);
  void Clear();

 private:
  bool enabled_;
  bool shown_ = false;
};

}  // namespace report
