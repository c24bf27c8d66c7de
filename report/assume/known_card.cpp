// SPDX-License-Identifier: MIT
#include "report/assume/known_card.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/pci_names.h"
#include "data/targets/targets.h"

#include "probe/core/parse.h"

namespace report::assume {
namespace {

struct Row {
  std::uint32_t device = 0;
  std::string name;
  std::string_view kind;
  std::string_view target;
};

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool HasWords(std::string_view name, std::string_view words) {
  for (auto at = name.find(words); at != std::string_view::npos; at = name.find(words, at + 1)) {
    const bool starts = at == 0 || !IsLetterOrDigit(name[at - 1]);
    const auto end = at + words.size();
    if (starts && (end == name.size() || !IsLetterOrDigit(name[end]))) return true;
  }
  return false;
}

std::vector<Row> RowsOf(std::uint32_t vendor) {
  std::vector<Row> rows;
  for (const auto& [number, devices, revisions, name, kind, architecture, target, source] :
       probe::ParseTable<8>(data::kPciNames)) {
    if (probe::ParseNumber<std::uint32_t>(number, 16) != vendor) continue;
    auto ids = devices;
    const auto id = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(ids, ' '), 16);
    if (!id) continue;
    rows.push_back({*id, probe::Lower(name), kind, target});
    // A revision's row says what differs from the one before it.
    if (revisions.empty()) continue;
    const auto base =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.device == *id; });
    rows.back().kind = base->kind;
    rows.back().target = base->target;
  }
  return rows;
}

// All that are called so; without one, all that have the words.
std::vector<Row> Named(std::uint32_t vendor, const std::string& name) {
  const auto wanted = probe::Lower(name);
  std::vector<Row> exact;
  std::vector<Row> similar;
  for (const Row& row : RowsOf(vendor)) {
    const bool is_it = row.name == wanted || (row.name.ends_with(wanted) && HasWords(row.name, wanted));
    if (is_it) exact.push_back(row);
    if (HasWords(row.name, wanted)) similar.push_back(row);
  }
  return exact.empty() ? similar : exact;
}

// By the table's word itself, or by the maker's name of the chip.
std::string ArchitectureOf(const RuntimeFacts& facts, std::string_view target) {
  if (target.starts_with(facts.target->prefix)) return std::string(target);
  for (const auto& [chip, runtime, architecture] : probe::ParseTable<3>(data::targets::ArchitecturesText())) {
    if (chip == target && runtime == facts.name) return std::string(architecture);
  }
  return "";
}

}  // namespace

void RecogniseCard(const Tables& tables, std::uint32_t vendor, Words& words) {
  if (!words.name) return;
  const auto rows = Named(vendor, *words.name);
  if (rows.empty()) return;
  bool same_target = true;
  bool same_kind = true;
  for (const Row& row : rows) {
    same_target = same_target && row.target == rows.front().target;
    same_kind = same_kind && row.kind == rows.front().kind;
  }
  if (rows.size() == 1) words.ids = probe::PciIds{vendor, rows.front().device, {}, {}, {}};
  if (same_kind && !words.kind && rows.front().kind == "integrated")
    words.kind = probe::DeviceKind::kIntegrated;
  if (words.architecture || !same_target) return;
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (!facts.target || !IsOfVendor(facts, vendor)) continue;
    auto architecture = ArchitectureOf(facts, rows.front().target);
    if (architecture.empty()) continue;
    words.of = &facts;
    words.architecture = std::move(architecture);
  }
}

}  // namespace report::assume
