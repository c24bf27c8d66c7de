// SPDX-License-Identifier: MIT
// One line on stderr that says what is being done, for a person at a terminal; silent anywhere else, and
// where the terminal was stopped (Ctrl-S).
#pragma once

#include <string>

namespace report {

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
