// SPDX-License-Identifier: MIT
// A record from anybody, as --replay reads it, and everything that is said of it.
#include "probe/core/codec.h"
#include "tests/fuzz/faces.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBound = 1U << 20U;
  const auto text = fuzz::AsText(data, size);
  const auto json = probe::ParseJson(text, kBound);
  if (!json) return 0;
  const auto record = fuzz::ReadRequired(*json);
  if (record) fuzz::RequireFaces(*record, fuzz::HashOf(text));
  return 0;
}
