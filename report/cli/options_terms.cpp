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

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/cli/options.h"
#include "report/core/quantity.h"
#include "report/core/suggest.h"
#include "report/core/tables.h"

namespace report {
namespace {

std::optional<probe::Error> CheckExcluded(const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "") == words.end()) return std::nullopt;
  return Usage("--exclude: '' names nothing; it takes runtimes and devices: --exclude cpu,pci:0000:01:00.0");
}

// What it names is looked up with the files that --tables names.
std::optional<probe::Error> CheckTarget(const RawOptions& raw) {
  const Options& options = raw.options;
  if (options.target && options.target->empty())
    return Usage("--target: '' names no program; it takes one such as pytorch");
  if (options.target) return std::nullopt;
  if (options.tables) return Usage("--tables has tables of programs: it needs --target NAME");
  if (raw.policy != "minimum")
    return Usage("--policy says which builds of a program do: it needs --target NAME");
  const bool installs = options.format == Format::kPip || options.format == Format::kDockerfile;
  if (installs) return Usage("--format pip and dockerfile say how to get a program: they need --target NAME");
  return std::nullopt;
}

}  // namespace

std::optional<probe::Error> CheckToken(const std::string& word, const char* option,
                                       std::vector<std::string> others) {
  const auto& tables = EmbeddedTables();
  if (!tables) return Usage(probe::Describe(tables.error()));
  auto tokens = std::move(others);
  std::string meant;
  for (const RuntimeFacts& facts : tables->runtimes) {
    tokens.push_back(facts.name);
    if (std::find(facts.names.begin(), facts.names.end(), word) != facts.names.end()) meant = facts.name;
  }
  if (std::find(tokens.begin(), tokens.end(), word) != tokens.end()) return std::nullopt;
  if (meant.empty()) meant = Nearest(word, tokens).value_or("");
  return Usage(fmt::format(
      "{}: '{}' is not a value{}; known are {}", option, probe::CleanText(word, 64),
      meant.empty() ? HintOfGpus(word, GpuWish::kAny) : fmt::format("; did you mean '{}'?", meant),
      fmt::join(tokens, ", ")));
}

std::optional<probe::Error> CheckTerms(RawOptions& raw) {
  Options& options = raw.options;
  Terms& terms = options.run.terms;
  if (options.require) {
    if (auto error = CheckToken(*options.require, "--require", {"gpu"})) return error;
  }
  std::vector<std::string> named;
  for (const std::string& name : std::exchange(terms.among, {})) {
    probe::AddOnce(name, named);
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
  if (auto error = CheckTarget(raw)) return error;
  if (!raw.min_memory) return std::nullopt;
  terms.min_memory_bytes = ParseSize(*raw.min_memory);
  if (terms.min_memory_bytes) return std::nullopt;
  return Usage(
      fmt::format("--min-memory: '{}' is not a size; right are 12GiB, 16GB, 8000MiB, or a number of bytes",
                  probe::CleanText(*raw.min_memory, 64)));
}

}  // namespace report
