// SPDX-License-Identifier: MIT
// What a text of --assume is refused with.
#pragma once

#include <string>

#include "report/assume/assume.h"
#include "report/core/tables.h"

namespace report::assume {

// Empty where it describes a machine.
inline std::string Refusal(const std::string& text) {
  const auto machine = Imagine(*EmbeddedTables(), {text});
  return machine ? "" : machine.error().text;
}

}  // namespace report::assume
