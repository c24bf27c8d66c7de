// SPDX-License-Identifier: MIT
// Hashes that name files and stand for identifiers. They are not cryptographic and protect nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace probe {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

// XXH3 (https://xxhash.com), the same on every machine.
[[nodiscard]] std::uint64_t HashOf(std::string_view text);
[[nodiscard]] Hash128 WideHashOf(std::string_view text);

// HashOf as 16 hexadecimal digits.
[[nodiscard]] std::string HashName(std::string_view text);

}  // namespace probe
