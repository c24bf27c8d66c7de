// SPDX-License-Identifier: MIT
// Near misses: which known word somebody probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace report {

// The known word with the smallest edit distance (insertions, deletions, substitutions, neighbours swapped;
// case does not count), if that is at most a third of the length and at least one character is right; else
// the only one that begins with three letters or more of this word; nullopt otherwise. "gpu" is no slip for
// "cpu", which is what it is not.
[[nodiscard]] std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> known);

// "; did you mean 'vulkan'?" or, with nothing near, "; known are a, b, c".
[[nodiscard]] std::string Hint(std::string_view word, std::span<const std::string> known);

// Where `word` is "gpu", which names no runtime and no device: "; --require gpu asks for any GPU", or what
// leaves out every GPU. Both are options of recommend. Else empty.
enum class GpuWish { kAny, kNone };
[[nodiscard]] std::string HintOfGpus(std::string_view word, GpuWish wish);

}  // namespace report
