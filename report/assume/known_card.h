// SPDX-License-Identifier: MIT
// What the machine's tables of cards and of chips say of one that a person names. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/assume/cards.h"
#include "report/assume/words.h"
#include "report/core/tables.h"

namespace report::assume {

// Fills in the maker, the numbers, the kind, the memory and the architecture that the words do not say, of
// the card of that name, or of what people call it (words.alias): the one that is called so, else those in
// whose names it stands as whole words, else those that have all its words (cards.h), as far as they agree.
// Of several the numbers are those of the slowest whose rates are known (of as much memory, where that is
// said), and words.rates_of names it. The error says what of the words is another card's.
[[nodiscard]] std::optional<std::string> RecogniseCard(const Tables& tables, Words& words);

// Fills in the kind where all GPUs of the architecture are of one. The error says of which, where the words
// say another.
[[nodiscard]] std::optional<std::string> RecogniseKind(Words& words);

// Releases of one generation, whose numbers differ in the last digit alone ("12.70", "12.71"): tables and
// drivers split a name's chips differently, which matters to nobody where no build tells them apart, nor what
// their units do: a 12.74 has matrix engines, and is no 12.70.
[[nodiscard]] bool AreOneGeneration(const RuntimeFacts& facts, const std::string& its,
                                    const std::string& stated);

// What of --assume was meant by a text without a key: "name=RTX 4090" of a card that is called so, or
// "vendor=amd"; nullopt of any other text.
[[nodiscard]] std::optional<std::string> AsWords(const std::string& text);

// Whether it is the name of a card, or of one kind of chips, and no maker's alone.
[[nodiscard]] bool IsCard(const std::string& name);

// Takes the card's name out of what another tool prints, where that is none as it is; it stays where nothing
// in it is one either. Of several products that differ the error asks for one.
[[nodiscard]] std::optional<std::string> TakePrinted(const Tables& tables, std::string& name);

// The name of a card that somebody probably meant, other than what is written.
[[nodiscard]] std::optional<std::string> NearestCard(const std::string& name);

// As drivers print it, "NVIDIA A100-SXM4-80GB", in the tables' words: without its maker, hyphens and further
// blanks.
[[nodiscard]] std::string WithoutMaker(std::string_view name);

// "Hopper", which no card of it is called: which cards are of it. nullopt of what is no architecture's name.
[[nodiscard]] std::optional<std::string> OfAnArchitecture(const std::string& name);

// Of a name that no table has: why it is none, with what is near. Beside a maker it may be any card's, but
// not an architecture's: then nullopt.
[[nodiscard]] std::optional<std::string> NoCardOf(const std::string& name, bool is_of_maker);

// Of a part of a card ("A100-SXM4-40GB MIG 1g.5gb"), of several cards ("RTX 4090 RTX 3090") and of what
// machines are called ("DGX"): what to say in its place. nullopt of any other name.
[[nodiscard]] std::optional<std::string> NoWholeCard(const std::string& name);

// Whether the name is that of a series whose cards have a number behind it: "Radeon R9". `similar` have its
// words; is_exact: some are called so.
[[nodiscard]] bool IsASeries(std::string_view spelling, const Rows& similar, bool is_exact);

// Latin letters, digits and signs alone, as all names of cards are.
[[nodiscard]] bool IsInPlainLetters(std::string_view name);
// Of one that is not: what it looks like. Beside a maker nullopt where that is no card either.
[[nodiscard]] std::optional<std::string> InOtherLetters(const std::string& name, bool is_of_maker);

// Of a name that many cards have in theirs and none is called by ("RTX", "Ada", "Battlemage"): the question,
// with some of them. nullopt of what is a card's, or the GPU's of one kind of chips ("Lunar Lake", "UHD
// Graphics"). `rows` are called so, `similar` have the words and `architectures` in all.
[[nodiscard]] std::optional<std::string> AsksForMore(const Rows& rows, const Rows& similar, bool is_exact,
                                                     const Words& words, std::size_t architectures);

}  // namespace report::assume
