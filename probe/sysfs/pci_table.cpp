// SPDX-License-Identifier: MIT
#include "probe/sysfs/pci_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "data/pci_names.h"

#include "probe/core/names.h"

namespace probe::sysfs {
namespace {

struct Row {
  std::uint32_t vendor = 0;
  std::string_view devices;    // hexadecimal, separated by blanks; empty: the row names the vendor
  std::string_view revisions;  // likewise; empty: any
  std::string_view name;
  std::string_view kind;
  std::string_view architecture;
  std::string_view target;
};

std::optional<std::uint32_t> Hex(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view TakeUpTo(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::vector<Row> ParseRows(std::string_view table) {
  std::vector<Row> rows;
  while (!table.empty()) {
    std::string_view line = TakeUpTo(table, '\n');
    const auto vendor = Hex(TakeUpTo(line, ','));  // comments and the heading have none
    if (!vendor) continue;
    Row& row = rows.emplace_back();
    row.vendor = *vendor;
    for (auto* field : {&row.devices, &row.revisions, &row.name, &row.kind, &row.architecture, &row.target}) {
      *field = TakeUpTo(line, ',');
    }
  }
  return rows;
}

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = ParseRows(data::kPciNames);
  return rows;
}

bool Lists(std::string_view numbers, std::uint32_t number) {
  while (!numbers.empty()) {
    if (Hex(TakeUpTo(numbers, ' ')) == number) return true;
  }
  return false;
}

}  // namespace

std::optional<PciFacts> FindPciFacts(const PciIds& ids) {
  const Row* base = nullptr;
  const Row* refined = nullptr;
  for (const Row& row : Rows()) {
    if (row.vendor != ids.vendor || !Lists(row.devices, ids.device)) continue;
    if (row.revisions.empty()) base = &row;
    if (ids.revision && Lists(row.revisions, *ids.revision)) refined = &row;
  }
  if (base == nullptr) return std::nullopt;
  PciFacts facts;
  facts.name = refined != nullptr ? refined->name : base->name;
  facts.one_product = facts.name.find('/') == std::string_view::npos;
  facts.kind = ParseName<DeviceKind>(base->kind).value_or(DeviceKind::kUnknown);
  facts.architecture = base->architecture;
  facts.target = base->target;
  return facts;
}

std::string_view VendorName(std::uint32_t vendor) {
  for (const Row& row : Rows()) {
    if (row.vendor == vendor && row.devices.empty()) return row.name;
  }
  return {};
}

}  // namespace probe::sysfs
