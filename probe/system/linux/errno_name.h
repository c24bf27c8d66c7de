// SPDX-License-Identifier: MIT
// The names of errno's values, which glibc itself knows only from 2.32 on.
#pragma once

#include <string_view>

namespace probe::system {

// "ENOENT", or nothing for a number that is none.
[[nodiscard]] std::string_view ErrnoName(int number);

}  // namespace probe::system
