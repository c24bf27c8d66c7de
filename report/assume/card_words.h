// SPDX-License-Identifier: MIT
// Names of cards as people write them: "rtx4060 laptop", "Intel(R) Arc(TM) A770 Graphics". Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace report::assume {

// How many words of the card's name the written one leaves out; nullopt where it has a word that the card's
// has not. Makers, trademarks and what every card is (a GPU, graphics) do not count, a card for laptops is a
// mobile one, and words may be written together.
[[nodiscard]] std::optional<std::size_t> WordsLeftOut(std::string_view written, std::string_view card);

}  // namespace report::assume
