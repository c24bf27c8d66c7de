// SPDX-License-Identifier: MIT
#include "probe/system/processor.h"

#include "probe/core/parse.h"

namespace probe::system {
namespace {

constexpr std::string_view kBlank = " \t\n";
constexpr std::size_t kMaxNumbers = 65536;

}  // namespace

std::optional<std::uint32_t> UsableThreads() {
  const auto usable = UsableProcessors().size();
  if (usable == 0) return std::nullopt;
  return static_cast<std::uint32_t>(usable);
}

std::optional<std::vector<std::uint32_t>> ParseNumberList(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  while (!text.empty() && kBlank.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const auto dash = part.find('-');
    const auto first = ParseNumber<std::uint32_t>(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : ParseNumber<std::uint32_t>(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= kMaxNumbers - numbers.size())
      return std::nullopt;
    for (std::uint32_t number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace probe::system
