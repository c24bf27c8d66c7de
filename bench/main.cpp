// SPDX-License-Identifier: MIT
// Compares the processor's kernels with their peers: all rows that have a limit, or those that are asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/results.h"
#include "bench/rows.h"
#include "bench/tile_geometry.h"

namespace {

struct Options {
  int pairs = 15;
  std::string directory = ".";
  std::vector<std::string> rows;
};

// Said of a name that no row begins with.
std::string UnknownRow(const std::string& name) {
  std::string known;
  for (const bench::Row& row : bench::Rows()) {
    if (row.name.starts_with(name)) return {};
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  return fmt::format("no row's name begins with '{}'; there are {}", name, known);
}

bool Wanted(const bench::Row& row, const Options& options) {
  if (options.rows.empty()) return row.limit.has_value();
  return std::any_of(options.rows.begin(), options.rows.end(),
                     [&](const std::string& name) { return row.name.starts_with(name); });
}

// Whether the row's limit was held.
bool Run(const bench::Row& row, int pairs, bench::Results& results) {
  const auto prepared = row.prepare(row);
  if (const auto* reason = std::get_if<std::string>(&prepared)) {
    fmt::print("{:24} skipped: {}\n", row.name, *reason);
    results.Skip(row, *reason);
    return true;
  }
  const auto& contest = std::get<bench::Contest>(prepared);
  if (!contest.wrong.empty()) {
    fmt::print("{:24} {}\n", row.name, contest.wrong);
    results.Skip(row, contest.wrong);
    return false;
  }
  const auto comparison = contest.together ? bench::Compare(contest.together, pairs)
                                           : bench::Compare(contest.ours, contest.peer, pairs);
  const bool holds = !row.limit || comparison.ratio.median >= *row.limit;
  fmt::print("{:24} {:>16} {:8.1f}  {:>28} {:8.1f}  G/s  ratio {:.3f} [{:.3f}, {:.3f}]{}\n", row.name,
             contest.ours.name, comparison.ours.median * 1e-9, contest.peer.name.substr(0, 28),
             comparison.peer.median * 1e-9, comparison.ratio.median, comparison.ratio.low,
             comparison.ratio.high, holds ? "" : fmt::format("  below {}", *row.limit));
  std::fflush(stdout);
  results.Add(row, contest, comparison, pairs);
  return holds;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Compares the processor's kernels with their peers. Exit code 0: every limit was held, 1: not.",
      "bench_peers");
  app.add_option("--pairs", options.pairs, "samples of both sides for each row")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--to", options.directory, "directory of the results, made where it is missing")
      ->capture_default_str();
  app.add_option("ROW", options.rows, "beginnings of rows' names; without any, all rows that have a limit")
      ->check(UnknownRow);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  bench::Results results(options.directory);
  // Before measuring, because what was measured would be lost.
  if (const std::string reason = results.MakeDirectory(); !reason.empty()) {
    fmt::print(stderr, "bench_peers: {}: {}; name a directory that can be written to with --to\n",
               options.directory, reason);
    return 2;
  }
  bench::ShowTileGeometry();
  bool all_hold = true;
  for (const bench::Row& row : bench::Rows()) {
    if (Wanted(row, options)) all_hold = Run(row, options.pairs, results) && all_hold;
  }
  if (!results.Write()) {
    fmt::print(stderr, "bench_peers: cannot write {}\n", results.path());
    return 3;
  }
  return all_hold ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_peers: %s\n", error.what());
    return 3;
  }
}
