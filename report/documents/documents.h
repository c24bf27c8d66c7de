// SPDX-License-Identifier: MIT
// The manual pages and the completions of shells, made of what the command line knows
// (report/cli/interface.h). The same interface makes the same bytes, on any day and any machine.
#pragma once

#include <string>
#include <string_view>

#include "report/cli/interface.h"

namespace report::documents {

// In man(7). `commands` are those of the program; of a command itself `of` is one of them.
[[nodiscard]] std::string ManualPage(const InterfaceCommand& of, const Interface& all,
                                     std::string_view version);

[[nodiscard]] std::string BashCompletion(const Interface& all);
[[nodiscard]] std::string ZshCompletion(const Interface& all);
[[nodiscard]] std::string FishCompletion(const Interface& all);

// "whichgpu-list" of "whichgpu list".
[[nodiscard]] std::string PageName(const InterfaceCommand& command);

// The option of the program that is called so.
[[nodiscard]] const InterfaceOption& OptionNamed(const Interface& all, std::string_view name);

}  // namespace report::documents
