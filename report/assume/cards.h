// SPDX-License-Identifier: MIT
// The cards and parts of chips that have names, of all tables, and their names as people write them: "rtx4060
// laptop", "Intel(R) Arc(TM) A770 Graphics". Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace report::assume {

struct Row {
  std::uint32_t vendor = 0;
  std::uint32_t device = 0;  // 0: it is on no bus
  std::string_view name;
  std::string_view kind;
  std::string_view target;
};
using Rows = std::vector<Row>;

[[nodiscard]] bool IsGpu(const Row& row);
[[nodiscard]] const Rows& AllRows();

// How many words of the card's name the written one leaves out; nullopt where it has a word that the card's
// has not. Makers, trademarks and what every card is (a GPU, graphics) do not count, a card for laptops is a
// mobile one, and words may be written together.
[[nodiscard]] std::optional<std::size_t> WordsLeftOut(std::string_view written, std::string_view card);

}  // namespace report::assume
