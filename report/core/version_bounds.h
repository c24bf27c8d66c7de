// SPDX-License-Identifier: MIT
// Bounds of a package's version, as tables of programs write them (PEP 440). Pure.
#pragma once

#include <string_view>

namespace report {

// Whether no version at all is within bounds such as ">=2,<1", perhaps behind a package's name. Of what is no
// plain number with dots nothing is known.
[[nodiscard]] bool AreContradictory(std::string_view bounds);

}  // namespace report
