// SPDX-License-Identifier: MIT
// Names of cards as people and drivers write them: "rtx4060 laptop", "Intel(R) Arc(TM) A770 Graphics". Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace report {

// "16GB": a word that says how much memory a card has.
[[nodiscard]] bool IsMemorySize(std::string_view word);

// How many words of the card's name the written one leaves out; nullopt where it has a word that the card's
// has not. Makers, trademarks and what every card is (a GPU, graphics) do not count, a card for laptops is a
// mobile one, and words may be written together.
[[nodiscard]] std::optional<std::size_t> WordsLeftOut(std::string_view written, std::string_view card);

// The words of the card's name that are written, whatever blanks and hyphens stand between their letters, and
// with or without the maker before them; empty where it has no such words. "NVIDIA RTX4070" is the "RTX 4070"
// of "GeForce RTX 4070 SUPER".
[[nodiscard]] std::string_view SpelledAs(std::string_view written, std::string_view card);

// Whether the written name is that very card's: only what stands before the card's number may be left out.
// "6900 XT" is a "Radeon RX 6900 XT", and "RX 9060" no "Radeon RX 9060 XT".
[[nodiscard]] bool IsCardsName(std::string_view written, std::string_view card);

}  // namespace report
