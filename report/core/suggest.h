// SPDX-License-Identifier: MIT
// Near misses: which known word somebody probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace report {

// The known word with the smallest edit distance (insertions, deletions, substitutions, neighbours swapped;
// case does not count), if that is at most a third of the length and at least one character is right; nullopt
// otherwise.
[[nodiscard]] std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> known);

// "; did you mean 'vulkan'?" or, with nothing near, "; known are a, b, c".
[[nodiscard]] std::string Hint(std::string_view word, std::span<const std::string> known);

}  // namespace report
