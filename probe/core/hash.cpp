// SPDX-License-Identifier: MIT
#include "probe/core/hash.h"

#include <array>
#include <cinttypes>
#include <cstdio>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace probe {

std::uint64_t HashOf(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

Hash128 WideHashOf(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64};
}

std::string HashName(std::string_view text) {
  std::array<char, 17> out{};
  std::snprintf(out.data(), out.size(), "%016" PRIx64, HashOf(text));
  return out.data();
}

}  // namespace probe
