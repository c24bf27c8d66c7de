// SPDX-License-Identifier: MIT
// What the harnesses share: taking an input apart, ending the run where a property is broken, and properties
// of printed text. A harness is one LLVMFuzzerTestOneInput (https://llvm.org/docs/LibFuzzer.html): any bytes
// must give an answer; state that outlives a call must not depend on earlier inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

// Ends the process where `holds` is false, naming the property and what broke it; the input is then kept.
void Require(bool holds, std::string_view property, std::string_view found = {});

// The value of a result that can not be an error.
template <class T>
T Must(probe::Result<T> result) {
  if (!result) Require(false, "no error", probe::Describe(result.error()));
  return *std::move(result);
}

[[nodiscard]] inline std::string_view AsText(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Choices of a harness whose input is a document as a whole: the same for the same input.
[[nodiscard]] std::uint64_t HashOf(std::string_view text);

// An input taken apart from its beginning; past the end come zeros and empty texts.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(AsText(data, size)) {}

  // From `least` to `greatest`, by two bytes.
  [[nodiscard]] int Between(int least, int greatest);
  // Any eight bytes, so also infinities and what is no number.
  [[nodiscard]] double Double();
  [[nodiscard]] std::uint64_t Number();
  // Up to the next `separator`, which is taken too.
  [[nodiscard]] std::string_view Piece(char separator = '\n');
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// Well-formed UTF-8 (Unicode 15, table 3-7).
[[nodiscard]] bool IsUtf8(std::string_view text);
// Neither control characters, but for those of `allowed`, nor what reorders the line or ends it.
[[nodiscard]] bool IsHarmless(std::string_view text, std::string_view allowed = {});

// Requires what holds for every text on a terminal without colours: harmless UTF-8, whole lines, none wider
// than `width` or ending in a blank. Lines that hold one of the commands may be wider.
void RequirePage(std::string_view text, int width, const std::vector<std::string>& commands = {});
// Requires harmless UTF-8 in one line.
void RequireLine(std::string_view text);
// Requires that it is one whole JSON document, and returns it as compact text.
std::string RequireJson(std::string_view text);

}  // namespace fuzz
