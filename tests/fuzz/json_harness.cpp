// SPDX-License-Identifier: MIT
// JSON from anywhere: refused, or read into what prints as the same JSON again.
#include "probe/core/codec.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBound = 2048;
  const auto text = fuzz::AsText(data, size);
  const auto json = probe::ParseJson(text, kBound);
  fuzz::Require(!json || size <= kBound, "what is too large is refused");
  if (!json) {
    fuzz::RequireLine(probe::Describe(json.error()));
    return 0;
  }
  const std::string printed = probe::ToText(*json, -1);
  fuzz::Require(fuzz::IsUtf8(printed), "printed JSON is UTF-8", printed);
  fuzz::Require(fuzz::RequireJson(printed) == printed, "printed JSON reads as itself", printed);
  fuzz::Require(fuzz::RequireJson(probe::ToText(*json, 1)) == printed, "indentation changes nothing",
                printed);
  return 0;
}
