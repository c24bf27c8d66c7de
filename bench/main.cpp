// SPDX-License-Identifier: MIT
// bench_peers [--pairs N] [--to DIRECTORY] [ROW...]: compares the processor's kernels with their peers, all
// rows that have a limit or those whose names begin as asked. 0: every limit was held.
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <vector>

#include "bench/results.h"
#include "bench/rows.h"
#include "bench/tile_geometry.h"

namespace {

struct Options {
  int pairs = 15;
  std::string directory = ".";
  std::vector<std::string_view> rows;
};

bool Parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--")) {
      options.rows.push_back(argument);
      continue;
    }
    if (i + 1 >= argc) return false;
    const std::string_view value = argv[++i];
    if (argument == "--to") {
      options.directory = value;
    } else if (argument == "--pairs") {
      std::from_chars(value.data(), value.data() + value.size(), options.pairs);
    } else {
      return false;
    }
  }
  return options.pairs > 0;
}

bool Wanted(const bench::Row& row, const Options& options) {
  if (options.rows.empty()) return row.limit.has_value();
  for (const std::string_view name : options.rows) {
    if (row.name.starts_with(name)) return true;
  }
  return false;
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

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!Parse(argc, argv, options)) {
    fmt::print(stderr, "usage: bench_peers [--pairs N] [--to DIRECTORY] [ROW...]\n");
    return 2;
  }
  bench::ShowTileGeometry();
  bench::Results results(options.directory);
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
