// SPDX-License-Identifier: MIT
// Which architectures were ever made, by a runtime's table of them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "report/core/tables.h"

namespace report::assume {

struct Standing {
  bool is_newer = false;  // than all that the table has
  std::string
      why_not;  // it never was: a sentence's end, "none was made between 9.0 and 10.0"; empty: it can be
};

// Of one as people write it. A table without the list knows all. What is far beyond the newest is none.
[[nodiscard]] Standing StandingOf(const TargetFacts& target, std::string_view architecture);

}  // namespace report::assume
