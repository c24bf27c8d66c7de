// SPDX-License-Identifier: MIT
#include "report/core/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "probe/core/parse.h"

namespace report {
namespace {

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kShortestBeginning = 3;

// Optimal string alignment distance (Damerau-Levenshtein without repeated edits of one pair).
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// The only known word that begins so.
std::optional<std::string> Completed(std::string_view word, std::span<const std::string> known) {
  const auto begins_so = [&](const std::string& candidate) {
    return word.size() >= kShortestBeginning && probe::Lower(candidate).starts_with(word);
  };
  const auto found = std::find_if(known.begin(), known.end(), begins_so);
  if (found == known.end() || std::any_of(found + 1, known.end(), begins_so)) return std::nullopt;
  return *found;
}

}  // namespace

std::optional<std::string> Nearest(std::string_view as_written, std::span<const std::string> known) {
  const std::string word = probe::Lower(as_written);
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (word == "gpu" && candidate == "cpu") continue;
    const std::size_t distance = Distance(word, probe::Lower(candidate));
    if (distance < best_distance && distance < word.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best ? best : Completed(word, known);
}

std::string Hint(std::string_view word, std::span<const std::string> known) {
  if (const auto nearest = Nearest(word, known)) return fmt::format("; did you mean '{}'?", *nearest);
  return known.empty() ? "" : fmt::format("; known are {}", fmt::join(known, ", "));
}

std::string HintOfGpus(std::string_view word, GpuWish wish) {
  if (const auto small = probe::Lower(word); small != "gpu" && small != "gpus") return "";
  return wish == GpuWish::kAny ? "; --require gpu asks for any GPU" : "; --among cpu leaves out every GPU";
}

}  // namespace report
