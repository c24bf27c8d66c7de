// SPDX-License-Identifier: MIT
#include "probe/core/pci_table.h"

#include <algorithm>
#include <vector>

#include "data/pci_names.h"

#include "probe/core/names.h"
#include "probe/core/parse.h"

namespace probe {
namespace {

std::optional<std::uint32_t> Hex(std::string_view text) { return ParseNumber<std::uint32_t>(text, 16); }

// Those that blanks separate.
std::vector<std::uint32_t> Numbers(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  while (!text.empty()) {
    if (const auto number = Hex(TakeUpTo(text, ' '))) numbers.push_back(*number);
  }
  return numbers;
}

std::vector<PciRow> ParseRows(std::string_view table) {
  std::vector<PciRow> rows;
  for (const auto& cells : ParseTable<8>(table)) {
    const auto& [number, devices, revisions, name, kind, architecture, target, source] = cells;
    if (const auto vendor = Hex(number))
      rows.push_back({*vendor, Numbers(devices), Numbers(revisions), name, kind, architecture, target});
  }
  return rows;
}

}  // namespace

std::span<const PciRow> PciRows() {
  static const std::vector<PciRow> rows = ParseRows(data::kPciNames);
  return rows;
}

bool ListsNumber(std::span<const std::uint32_t> numbers, std::uint32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

std::optional<PciFacts> FindPciFacts(const PciIds& ids) {
  const PciRow* base = nullptr;
  const PciRow* refined = nullptr;
  for (const PciRow& row : PciRows()) {
    if (row.vendor != ids.vendor || !ListsNumber(row.devices, ids.device)) continue;
    if (row.revisions.empty()) base = &row;
    if (ids.revision && ListsNumber(row.revisions, *ids.revision)) refined = &row;
  }
  if (base == nullptr) return std::nullopt;
  PciFacts facts;
  facts.name = refined != nullptr ? refined->name : base->name;
  facts.one_product = facts.name.find('/') == std::string_view::npos;
  facts.kind = ParseName<DeviceKind>(base->kind).value_or(DeviceKind::kUnknown);
  const bool has_target = refined != nullptr && !refined->target.empty();
  facts.architecture = base->architecture;
  facts.target = has_target ? refined->target : base->target;
  return facts;
}

}  // namespace probe
