// SPDX-License-Identifier: MIT
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "probe/core/codec.h"
#include "report/render/terminal.h"
#include "report/store/input.h"
#include "tests/report/commands.h"

namespace fuzz {
namespace {

struct Decoded {
  std::uint32_t point = 0;
  std::size_t bytes = 0;  // 0: not well-formed
};

// Written from the standard's table, not from the code under test.
Decoded First(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const auto follows = [&](std::size_t i, std::uint32_t least = 0x80, std::uint32_t greatest = 0xbf) {
    return byte(i) >= least && byte(i) <= greatest;
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead >= 0xc2 && lead <= 0xdf && follows(1)) return {(lead & 0x1fU) << 6U | (byte(1) & 0x3fU), 2};
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool second = follows(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf);
    if (!second || !follows(2)) return {};
    return {(lead & 0x0fU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU), 3};
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool second = follows(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf);
    if (!second || !follows(2) || !follows(3)) return {};
    return {(lead & 0x07U) << 18U | (byte(1) & 0x3fU) << 12U | (byte(2) & 0x3fU) << 6U | (byte(3) & 0x3fU),
            4};
  }
  return {};
}

bool IsHarmful(std::uint32_t point) {
  const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
  const bool separator = point == 0x2028 || point == 0x2029;
  const bool direction = (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
                         point == 0x200e || point == 0x200f || point == 0x061c;
  const bool unseen = (point >= 0x200b && point <= 0x200d) || (point >= 0xe0000 && point <= 0xe007f);
  return control || separator || direction || unseen;
}

}  // namespace

void Require(bool holds, std::string_view property, std::string_view found) {
  if (holds) return;
  constexpr std::size_t kShown = 4000;
  const std::string message = std::string("broken property: ")
                                  .append(property)
                                  .append("\n")
                                  .append(found.substr(0, kShown))
                                  .append("\n");
  std::fwrite(message.data(), 1, message.size(), stderr);
  std::abort();
}

std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash ^ hash >> 32U;
}

std::uint64_t Input::Number() {
  std::uint64_t value = 0;
  const std::size_t bytes = std::min(rest_.size(), sizeof value);
  std::memcpy(&value, rest_.data(), bytes);
  rest_.remove_prefix(bytes);
  return value;
}

double Input::Double() {
  const std::uint64_t bits = Number();
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

int Input::Between(int least, int greatest) {
  unsigned int value = 0;
  for (int i = 0; i < 2 && !rest_.empty(); ++i) {
    value = value << 8U | static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
  }
  return least + static_cast<int>(value % static_cast<unsigned int>(greatest - least + 1));
}

std::string_view Input::Piece(char separator) {
  const auto piece = rest_.substr(0, rest_.find(separator));
  rest_.remove_prefix(std::min(piece.size() + 1, rest_.size()));
  return piece;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto next = First(text);
    if (next.bytes == 0) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

bool IsHarmless(std::string_view text, std::string_view allowed) {
  while (!text.empty()) {
    const auto next = First(text);
    const bool harmful = next.bytes != 0 && IsHarmful(next.point);
    if (harmful && allowed.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return true;
}

void RequirePage(std::string_view text, int width, const std::vector<std::string>& commands) {
  Require(IsUtf8(text), "a page is UTF-8", text);
  Require(IsHarmless(text, "\n"), "a page holds no control characters", text);
  Require(text.empty() || text.back() == '\n', "a page ends with its last line", text);
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const bool is_command = report::testing::HoldsOneOf(commands, line);
    Require(is_command || report::render::DisplayWidth(line) <= width, "no line is wider than the terminal",
            line);
    Require(!line.ends_with(' '), "no line ends in a blank", line);
  }
}

void RequireLine(std::string_view text) {
  Require(IsUtf8(text), "a line is UTF-8", text);
  Require(IsHarmless(text), "a line holds no control characters", text);
}

std::string RequireJson(std::string_view text) {
  const auto json = probe::ParseJson(text, report::kMaxTextFileBytes);
  Require(json.ok(), "printed JSON parses", text);
  return probe::ToText(*json, -1);
}

}  // namespace fuzz
