// SPDX-License-Identifier: MIT
// The cards and parts of chips that have names, of all tables. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "report/core/tables.h"

namespace report::assume {

// One name of one number; a card of several numbers has as many rows.
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

// Whether a table has it letter for letter, be it a list of products; the case of letters does not count.
[[nodiscard]] bool IsRowsName(std::string_view name);

// With the blanks that the tables have in it: "rtx4070" is "RTX 4070". As it was where no card has it.
[[nodiscard]] std::string Spelled(const std::string& name);

// Whether a row of peaks has these numbers and a rate.
[[nodiscard]] bool HasRates(const Row& row);

// Whether rates of these numbers are known and no size of memory: they are sold with several.
[[nodiscard]] bool HasNoOneSize(const Row& row);

// Whether it is the name of one of the products of such a list: "GeForce RTX 4060 Laptop GPU / GeForce RTX
// 4060 Max-Q". Sizes of memory count.
[[nodiscard]] bool IsOneOf(std::string_view written, std::string_view names);

// Letters and digits alone, without a size of memory: an "AI Max+ 395 128GB" is an "aimax395".
[[nodiscard]] std::string LettersOf(std::string_view name);

// The card that people mean by another name: of "Strix Halo" the "Radeon 8060S" (data/card_aliases.csv).
struct Alias {
  std::string_view name;
  std::string_view card;
};
[[nodiscard]] const std::vector<Alias>& Aliases();
[[nodiscard]] std::optional<std::string> CardOfAlias(std::string_view name);

// How much memory the product of that name has: of several that have the row's numbers the one that the table
// calls so, else the only one; of a list of products what all of them have. nullopt where nobody knows, or
// where it is sold with several sizes (data/peaks/cards.csv).
[[nodiscard]] std::optional<std::uint64_t> MemoryOfProduct(const Row& row, std::string_view name);

// Of a maker whose GPUs are all parts of chips.
[[nodiscard]] bool BuildsPartsAlone(std::uint32_t vendor);

// "M4" is a Tesla, and Apple has an M1: an M4, too, whether the tables list it or not.
[[nodiscard]] bool OthersAreNamedLike(std::string_view name, std::uint32_t vendor);

// Of a name without a number, which many chips share, the one of the chip that lspci prints before it:
// "TigerLake-LP GT2 [Iris Xe Graphics]". nullopt where a table has none with that chip's name behind it.
[[nodiscard]] std::optional<std::string> NameWithChip(std::string_view name, std::string_view printed);

// As the runtime's table has it, of a row's target: by the table's word itself, or by the maker's name of the
// chip; empty: it is not known.
[[nodiscard]] std::string ArchitectureOf(const RuntimeFacts& facts, std::string_view target);

// Discrete or integrated, where all GPUs of the architecture are (as probes say it): "sm_87" is part of a
// chip.
[[nodiscard]] std::optional<probe::DeviceKind> KindOf(const RuntimeFacts& facts, std::uint32_t vendor,
                                                      const std::string& architecture);

}  // namespace report::assume
