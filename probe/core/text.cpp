// SPDX-License-Identifier: MIT
#include "probe/core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "probe/core/parse.h"

namespace probe {
namespace {

bool IsControl(std::uint32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

struct Span {
  std::uint32_t first;
  std::uint32_t last;
};

// What shows nothing of itself and may bend how the text around it reads: Unicode 15's
// Default_Ignorable_Code_Point (joiners, direction marks and overrides, variation selectors, tags, fillers),
// line and paragraph separators and interlinear annotation. In order.
constexpr std::array kUnseen = {Span{0x00ad, 0x00ad},   Span{0x034f, 0x034f},  Span{0x061c, 0x061c},
                                Span{0x115f, 0x1160},   Span{0x17b4, 0x17b5},  Span{0x180b, 0x180f},
                                Span{0x200b, 0x200f},   Span{0x2028, 0x202e},  Span{0x2060, 0x206f},
                                Span{0x3164, 0x3164},   Span{0xfe00, 0xfe0f},  Span{0xfeff, 0xfeff},
                                Span{0xffa0, 0xffa0},   Span{0xfff0, 0xfffb},  Span{0x1bca0, 0x1bca3},
                                Span{0x1d173, 0x1d17a}, Span{0xe0000, 0xe0fff}};

bool IsNonCharacter(std::uint32_t c) { return (c & 0xfffeU) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef); }

bool IsUnseen(std::uint32_t c) {
  const auto known =
      std::lower_bound(kUnseen.begin(), kUnseen.end(), c,
                       [](const Span& span, std::uint32_t value) { return span.last < value; });
  return (known != kUnseen.end() && c >= known->first) || IsNonCharacter(c);
}

std::string Rewrite(std::string_view source, const CodePoint& point) {
  if (!point.valid) return "\xef\xbf\xbd";
  std::array<char, 16> escaped{};
  if (IsControl(point.value)) {
    std::snprintf(escaped.data(), escaped.size(), "\\x%02x", point.value);
    return escaped.data();
  }
  if (IsUnseen(point.value)) {
    constexpr std::uint32_t kFourDigits = 0xffff;
    if (point.value > kFourDigits) {
      std::snprintf(escaped.data(), escaped.size(), "\\U%08x", point.value);
    } else {
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", point.value);
    }
    return escaped.data();
  }
  return std::string(source.substr(0, point.bytes));
}

// How many bytes at the beginning are printable ASCII, which stays as it is.
std::size_t PlainBytes(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; });
  return static_cast<std::size_t>(end - text.begin());
}

}  // namespace

CodePoint DecodeOne(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  std::uint32_t value = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {};
  return {value, length, true};
}

std::string CleanText(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view kEllipsis = "...";
  text = Trim(text);
  std::string out;
  while (!text.empty()) {
    // No further than there is room: an endless text takes no longer than its beginning.
    if (const auto plain = PlainBytes(text.substr(0, max_bytes - out.size())); plain != 0) {
      out.append(text.substr(0, plain));
      text.remove_prefix(plain);
      continue;
    }
    const auto point = DecodeOne(text);
    const auto piece = Rewrite(text, point);
    if (out.size() + piece.size() > max_bytes) {
      while (!out.empty() && (out.size() + kEllipsis.size() > max_bytes || (out.back() & 0xc0) == 0x80)) {
        out.pop_back();
      }
      if (!out.empty() && (out.back() & 0x80) != 0) out.pop_back();
      return out.append(kEllipsis.substr(0, max_bytes));
    }
    out += piece;
    text.remove_prefix(point.bytes);
  }
  return out;
}

bool IsGroupName(std::string_view text) {
  constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view kAll = "abcdefghijklmnopqrstuvwxyz_0123456789-";
  constexpr std::size_t kLongest = 32;
  return !text.empty() && text.size() <= kLongest && kFirst.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(kAll) == std::string_view::npos;
}

std::string LogTail(std::string_view log) {
  constexpr std::size_t kMaxBytes = 1500;
  std::string tail(Trim(log.substr(0, log.find('\0'))));
  if (tail.size() > kMaxBytes) tail.erase(0, tail.size() - kMaxBytes);
  std::replace(tail.begin(), tail.end(), '\n', ' ');
  return CleanText(tail, 2 * kMaxBytes);
}

std::string SignificantText(double value, int digits) {
  if (!std::isfinite(value)) return "?";
  // What is smaller has no last digit that a double could hold.
  constexpr double kSmallest = 1e-290;
  if (std::abs(value) < kSmallest) return "0";
  const auto magnitude = [](double v) { return static_cast<int>(std::floor(std::log10(std::abs(v)))); };
  const double scale = std::pow(10.0, magnitude(value) - digits + 1);
  double rounded = std::round(value / scale) * scale;
  if (!std::isfinite(rounded)) rounded = value;  // beyond the greatest
  std::array<char, 400> text{};                  // the smallest needs 290 zeros
  // More digits than a double has are nobody's.
  constexpr int kMostDigits = 15;
  if (magnitude(rounded) >= kMostDigits) {
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), rounded,
                                            std::chars_format::scientific, digits - 1);
    std::string out(text.data(), error == std::errc() ? end : text.data());
    std::erase(out, '+');
    return out;
  }
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), rounded, std::chars_format::fixed,
                    std::max(0, digits - 1 - magnitude(rounded)));
  return {text.data(), error == std::errc() ? end : text.data()};
}

}  // namespace probe
