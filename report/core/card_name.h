// SPDX-License-Identifier: MIT
// Names of cards as people and drivers write them: "rtx4060 laptop", "Intel(R) Arc(TM) A770 Graphics". Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace report {

// "16GB": a word that says how much memory a card has.
[[nodiscard]] bool IsMemorySize(std::string_view word);

// How many words of the card's name the written one leaves out; nullopt where it has a word that the card's
// has not. Makers, trademarks and what every card is (a GPU, graphics) do not count, a card for laptops is a
// mobile one, and words may be written together.
[[nodiscard]] std::optional<std::size_t> WordsLeftOut(std::string_view written, std::string_view card);

// How many of the card's words are written, of those that count there, sizes of memory among them.
[[nodiscard]] std::size_t WordsInCommon(std::string_view written, std::string_view card);

// Whether it is called as cards for laptops are: "RTX 4060 Max-Q", "GTX 980M", "RX 7600M XT". A workstation's
// of less power is a "Max-Q", too.
[[nodiscard]] bool IsForLaptops(std::string_view name);

// The words of the card's name that are written, whatever blanks and hyphens stand between their letters, and
// with or without the maker before them; empty where it has no such words. "NVIDIA RTX4070" is the "RTX 4070"
// of "GeForce RTX 4070 SUPER".
[[nodiscard]] std::string_view SpelledAs(std::string_view written, std::string_view card);

// A name that is looked for in thousands of cards' names.
class Spelling {
 public:
  explicit Spelling(std::string_view written);
  [[nodiscard]] std::string_view In(std::string_view card) const;  // as SpelledAs

 private:
  std::vector<std::string> letters_;  // its own, and those without a maker before them
};

// Whether the written name is that very card's: only what stands before the card's number may be left out.
// "6900 XT" is a "Radeon RX 6900 XT", and "RX 9060" no "Radeon RX 9060 XT".
[[nodiscard]] bool IsCardsName(std::string_view written, std::string_view card);

// The name of the product in what another tool prints of a GPU (lspci, vulkaninfo, glxinfo, nvidia-smi -L):
// without a place and a class before it, the maker's registered name, the driver's, numbers, what stands in
// parentheses, and the edition of a board that is the same card. A marketing name in brackets is the name:
// "03:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)". The text itself
// where nothing is left of it.
[[nodiscard]] std::string PrintedName(std::string_view text);

// The number of the maker whose registered name stands first in such a text: "Intel Corporation DG2 [Arc
// A770]"; nullopt where none does that is known.
[[nodiscard]] std::optional<std::uint32_t> PrintedMaker(std::string_view text);

// The products of a name that is of several, "Radeon RX 7900 XT/7900 XTX", each with the words that it shares
// with the first; only that name itself of one.
[[nodiscard]] std::vector<std::string> ProductsIn(std::string_view name);

// Whether the first piece of the rest of a list goes on with the name before its comma: that has a bracket
// which the rest closes, or the piece is what a maker is registered as ("Advanced Micro Devices, Inc.").
[[nodiscard]] bool GoesOn(std::string_view name, std::string_view rest);

// Whether it is that card's name, or one that cards without a number of their own share ("UHD Graphics") and
// that the card's has.
[[nodiscard]] bool MayBe(std::string_view written, std::string_view card);

}  // namespace report
