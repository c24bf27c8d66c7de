// SPDX-License-Identifier: MIT
// What the answer has to be, and what it may be chosen from: --require, --among, --exclude, --min-memory,
// --can.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/cli/options.h"
#include "report/core/suggest.h"
#include "report/core/tables.h"

namespace report {
namespace {

// A runtime's token or one of `others`; the error lists all, and names the token where a maker was named.
std::optional<probe::Error> CheckToken(const std::string& word, const char* option,
                                       std::vector<std::string> others = {}) {
  const auto& tables = EmbeddedTables();
  if (!tables) return tables.error();
  auto tokens = std::move(others);
  std::string meant;
  for (const RuntimeFacts& facts : tables->runtimes) {
    tokens.push_back(facts.name);
    if (std::find(facts.names.begin(), facts.names.end(), word) != facts.names.end()) meant = facts.name;
  }
  if (std::find(tokens.begin(), tokens.end(), word) != tokens.end()) return std::nullopt;
  if (meant.empty()) meant = Nearest(word, tokens).value_or("");
  return Usage(fmt::format("{}: '{}' is not a value{}; known are {}", option, probe::CleanText(word, 64),
                           meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant),
                           fmt::join(tokens, ", ")));
}

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 10> kUnits = {{{"", 1},
                                          {"b", 1},
                                          {"kib", 0x1p10},
                                          {"mib", 0x1p20},
                                          {"gib", 0x1p30},
                                          {"tib", 0x1p40},
                                          {"kb", 1e3},
                                          {"mb", 1e6},
                                          {"gb", 1e9},
                                          {"tb", 1e12}}};

// "12GiB", "1.5 TB", "8000MiB"; a number alone counts bytes. nullopt of anything else, of nothing and of more
// than any machine has.
std::optional<std::uint64_t> ParseSize(std::string_view text) {
  constexpr double kMost = 0x1p60;
  const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + digits, number, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + digits) return std::nullopt;
  const auto name = probe::Lower(probe::Trim(text.substr(digits)));
  const auto unit =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& known) { return known.name == name; });
  if (unit == kUnits.end()) return std::nullopt;
  const double bytes = std::ceil(number * unit->bytes);
  return bytes >= 1 && bytes <= kMost ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
}

std::optional<probe::Error> CheckExcluded(const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "") == words.end()) return std::nullopt;
  return Usage("--exclude: '' names nothing; it takes runtimes and devices: --exclude cpu,pci:0000:01:00.0");
}

}  // namespace

std::optional<probe::Error> CheckTerms(RawOptions& raw) {
  Options& options = raw.options;
  Terms& terms = options.run.terms;
  if (options.require) {
    if (auto error = CheckToken(*options.require, "--require", {"gpu"})) return error;
  }
  std::vector<std::string> named;
  for (const std::string& name : std::exchange(terms.among, {})) {
    if (std::find(named.begin(), named.end(), name) == named.end()) named.push_back(name);
  }
  terms.among = std::move(named);
  for (const std::string& name : terms.among) {
    if (auto error = CheckToken(name, "--among")) return error;
  }
  if (auto error = CheckExcluded(terms.exclude)) return error;
  if (raw.can) {
    if (auto error = CheckToken(*raw.can, "--can")) return error;
    if (!terms.among.empty())
      return Usage("--can and --among exclude each other: --can asks of one runtime whether it works");
    terms.among = {*raw.can};
    terms.can = true;
  }
  if (!raw.min_memory) return std::nullopt;
  terms.min_memory_bytes = ParseSize(*raw.min_memory);
  if (terms.min_memory_bytes) return std::nullopt;
  return Usage(
      fmt::format("--min-memory: '{}' is not a size; right are 12GiB, 16GB, 8000MiB, or a number of bytes",
                  probe::CleanText(*raw.min_memory, 64)));
}

}  // namespace report
