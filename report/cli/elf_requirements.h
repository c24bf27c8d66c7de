// SPDX-License-Identifier: MIT
// What this binary needs of the system that it runs on, read from its own program headers in memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace report {

// The newest "GLIBC_x.y" symbol version that the running binary itself refers to, as "x.y": it starts with no
// older C library. nullopt where it needs none (static, or another C library).
[[nodiscard]] std::optional<std::string> NewestGlibcNeeded();

// The newest of such version names; others ("GLIBC_PRIVATE", "GCC_3.0") do not count.
[[nodiscard]] std::optional<std::string> NewestGlibc(std::span<const std::string_view> version_names);

}  // namespace report
