// SPDX-License-Identifier: MIT
#include "report/core/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include "probe/core/parse.h"
#include "report/core/devices.h"
#include "report/core/glossary.h"

namespace report {
namespace {

struct Prefix {
  double factor;
  std::string_view text;
};
constexpr std::array kLarge = {Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                               Prefix{1e6, "M"},  Prefix{1e3, "k"},  Prefix{1, ""}};
constexpr std::array kSmall = {Prefix{1, "s"}, Prefix{1e-3, "ms"}, Prefix{1e-6, "us"}, Prefix{1e-9, "ns"}};

struct Unit {
  std::string_view name;  // in JSON
  std::string_view text;
};
constexpr std::array kUnits = {Unit{"flop_per_s", "FLOP/s"}, Unit{"op_per_s", "OP/s"},
                               Unit{"bytes_per_s", "B/s"}, Unit{"tokens_per_s", "tokens/s"}};

// The largest prefix that leaves at least one digit before the point once the value is rounded to `digits`.
template <std::size_t N>
const Prefix& Choose(const std::array<Prefix, N>& prefixes, double value, int digits) {
  const double rounding = 0.5 * std::pow(10.0, -digits);
  const auto found = std::find_if(prefixes.begin(), prefixes.end(), [&](const Prefix& prefix) {
    return value / prefix.factor >= 1 - rounding;
  });
  return found == prefixes.end() ? prefixes.back() : *found;
}

}  // namespace

std::string RateText(double rate, std::string_view unit) {
  if (unit == "s") return SecondsText(rate);
  const auto known =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& row) { return row.name == unit; });
  const auto& prefix = Choose(kLarge, std::abs(rate), 3);
  return fmt::format("{} {}{}", SignificantText(rate / prefix.factor, 3), prefix.text,
                     known == kUnits.end() ? unit : known->text);
}

std::string SecondsText(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  constexpr double kDay = 24 * kHour;
  if (seconds >= 3 * kDay) return SignificantText(seconds / kDay, 2) + " days";
  if (seconds >= 3 * kHour) return SignificantText(seconds / kHour, 2) + " h";
  if (seconds >= 10 * kMinute) return fmt::format("{:.0f} min", seconds / kMinute);
  const auto& prefix = Choose(kSmall, seconds, 2);
  const double value = seconds / prefix.factor;
  return fmt::format("{} {}", SignificantText(value, value >= 100 ? 3 : 2), prefix.text);
}

namespace {

// Of a time in UTC, "2026-11-21T12:00:00Z" (RFC 3339).
std::optional<std::chrono::sys_seconds> ParseTime(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '0' ? !probe::IsDigit(text[i]) : text[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t digits) {
    return probe::ParseNumber<int>(text.substr(at, digits)).value_or(0);
  };
  namespace time = std::chrono;
  const auto date = time::year(number(0, 4)) / number(5, 2) / number(8, 2);
  if (!date.ok()) return std::nullopt;
  return time::sys_days(date) + time::hours(number(11, 2)) + time::minutes(number(14, 2)) +
         time::seconds(number(17, 2));
}

}  // namespace

std::string AgoText(std::string_view earlier, std::string_view now) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  const auto from = ParseTime(earlier);
  const auto to = ParseTime(now);
  if (!from || !to || *to < *from) return std::string(earlier);
  const auto seconds = std::chrono::duration<double>(*to - *from).count();
  if (seconds < kMinute) return "just now";
  if (seconds < kHour) return fmt::format("{:.0f} min ago", std::floor(seconds / kMinute));
  if (seconds < 3 * 24 * kHour) return fmt::format("{:.0f} h ago", std::floor(seconds / kHour));
  return fmt::format("{:.0f} days ago", std::floor(seconds / (24 * kHour)));
}

std::string BytesText(std::uint64_t bytes) { return BytesText(static_cast<double>(bytes)); }

std::string BytesText(double bytes) {
  constexpr std::array kBinary = {Prefix{1ULL << 40U, "TiB"}, Prefix{1ULL << 30U, "GiB"},
                                  Prefix{1ULL << 20U, "MiB"}, Prefix{1ULL << 10U, "KiB"}, Prefix{1, "B"}};
  const auto& prefix = Choose(kBinary, bytes, 3);
  const double value = bytes / prefix.factor;
  return fmt::format(
      "{} {}", value < 10 && prefix.factor > 1 ? SignificantText(value, 2) : fmt::format("{:.0f}", value),
      prefix.text);
}

std::string TokensText(double tokens_per_s) {
  return SignificantText(tokens_per_s, tokens_per_s >= 99.5 ? 3 : 2);
}

std::string TokensRangeText(const Range& range, std::string_view dash) {
  return TokensText(range.low).append(dash) + TokensText(range.high);
}

std::string TokensText(const Range& range) {
  return fmt::format("{} tokens/s [{}-{}]", TokensText(range.value), TokensText(range.low),
                     TokensText(range.high));
}

std::string PercentText(double share) {
  return fmt::format("{} %", SignificantText(share * 100, share < 0.0995 ? 1 : 2));
}

std::string PlainName(std::string_view name) {
  std::string plain(name);
  for (const std::string_view mark : {"(R)", "(r)", "(TM)", "(tm)", "(C)", "\u00ae", "\u2122"}) {
    for (auto at = plain.find(mark); at != std::string::npos; at = plain.find(mark))
      plain.erase(at, mark.size());
  }
  for (auto at = plain.find("  "); at != std::string::npos; at = plain.find("  ")) plain.erase(at, 1);
  return plain.empty() ? std::string(name) : plain;
}

std::string FigureName(const backends::FigureKind& kind) {
  using kernels::Kernel;
  const std::string title(TitleOf(kind.kernel));
  // Streams go without the type where their elements are words, as nearly all of them are.
  const bool typed = kind.kernel == Kernel::kGemm || kind.kernel == Kernel::kChain ||
                     kind.kernel == Kernel::kGemv || kernels::Row(kind.in).bits != 32;
  return typed ? std::string(kernels::Row(kind.in).name) + " " + title : title;
}

std::string FigureName(const backends::Measurement& measurement) {
  if (measurement.peer_id) return "copy to " + *measurement.peer_id;
  if (IsAllReduce(measurement)) return "all-reduce";
  return FigureName(backends::KindOf(measurement));
}

namespace {

struct SizeUnit {
  std::string_view name;
  double bytes;
};
constexpr std::array<SizeUnit, 10> kSizeUnits = {{{"", 1},
                                                  {"b", 1},
                                                  {"kib", 0x1p10},
                                                  {"mib", 0x1p20},
                                                  {"gib", 0x1p30},
                                                  {"tib", 0x1p40},
                                                  {"kb", 1e3},
                                                  {"mb", 1e6},
                                                  {"gb", 1e9},
                                                  {"tb", 1e12}}};

}  // namespace

std::optional<std::uint64_t> ParseSize(std::string_view text) {
  constexpr double kMost = 0x1p60;
  const std::string digits(text.substr(0, text.find_first_not_of("0123456789.")));
  double number = 0;
  const auto* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number, std::chars_format::fixed);
  if (error != std::errc() || end != last) return std::nullopt;
  const auto name = probe::Lower(probe::Trim(text.substr(digits.size())));
  const auto unit = std::find_if(kSizeUnits.begin(), kSizeUnits.end(),
                                 [&](const SizeUnit& known) { return known.name == name; });
  if (unit == kSizeUnits.end()) return std::nullopt;
  const double bytes = std::ceil(number * unit->bytes);
  return number * unit->bytes <= kMost && bytes >= 1 ? std::optional(static_cast<std::uint64_t>(bytes))
                                                     : std::nullopt;
}

}  // namespace report
