// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <vector>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/sysfs/card.h"

namespace probe::sysfs {
namespace {

struct SocRow {
  std::string_view match;
  SocFacts facts;
  std::string_view compatible;
};

const std::vector<SocRow>& SocRows() {
  static const std::vector<SocRow> rows = [] {
    std::vector<SocRow> out;
    for (const auto& [match, name, vendor, family, target, compatible] : ParseTable<6>(data::kSocGpus)) {
      const bool one_product = match == "product" || match == "chip";
      out.push_back({match, {std::string(name), one_product, vendor, family, target}, compatible});
    }
    return out;
  }();
  return rows;
}

constexpr std::string_view kMali = "arm,mali-";
constexpr std::string_view kAdreno = "qcom,adreno-";

const SocRow* FindChip(std::string_view compatible) {
  const auto row = std::find_if(SocRows().begin(), SocRows().end(), [&](const SocRow& known) {
    return known.match == "chip" && known.compatible == compatible;
  });
  return row == SocRows().end() ? nullptr : &*row;
}

// "rockchip,rk3588-mali" and "arm,mali-valhall-csf" of the node, "rockchip,rk3588" of the board.
std::optional<SocFacts> MaliOf(std::span<const std::string> own, std::span<const std::string> board) {
  const auto is_mali = [](std::string_view text) {
    return text.ends_with("-mali") || text.starts_with(kMali.substr(0, kMali.size() - 1));
  };
  if (std::none_of(own.begin(), own.end(), is_mali)) return std::nullopt;
  const SocRow* chip = nullptr;
  for (const std::string_view text : own) {
    if (chip == nullptr && text.ends_with("-mali")) chip = FindChip(text.substr(0, text.size() - 5));
  }
  for (const std::string_view text : board) chip = chip == nullptr ? FindChip(text) : chip;
  if (chip != nullptr) return chip->facts;
  for (const std::string_view text : own) {  // "arm,mali-t860", "arm,mali-450"
    if (!text.starts_with(kMali)) continue;
    const auto model = text.substr(kMali.size());
    if (!IsDigits(model) && !(model.starts_with('t') && IsDigits(model.substr(1)))) continue;
    std::string name = "Mali-" + std::string(model);
    name[5] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[5])));
    return SocFacts{std::move(name), true, "Arm", "", ""};
  }
  return SocFacts{"Arm Mali GPU", false, "Arm", "", ""};
}

// "qcom,adreno-660.1": the number, and after the point the revision (linux, bindings/display/msm/gpu.yaml).
std::optional<SocFacts> AdrenoOf(std::string_view compatible) {
  if (!compatible.starts_with(kAdreno)) return std::nullopt;
  const auto model = compatible.substr(kAdreno.size());
  const auto number = model.substr(0, model.find('.'));
  if (number.size() == model.size() || number.size() != 3 || !IsDigits(number)) return std::nullopt;
  return SocFacts{"Adreno " + std::string(number), true, "Qualcomm", "", ""};
}

}  // namespace

std::optional<SocFacts> FindSocFacts(std::span<const std::string> own, std::span<const std::string> board) {
  for (const std::string_view text : own) {
    for (const SocRow& row : SocRows()) {
      const bool is_whole = row.match == "product" || row.match == "family";
      if (is_whole && row.compatible == text) return row.facts;
    }
    if (auto adreno = AdrenoOf(text)) return adreno;
  }
  if (auto mali = MaliOf(own, board)) return mali;
  for (const std::string_view text : own) {
    for (const SocRow& row : SocRows()) {
      if (row.match == "maker" && FitsPattern(text, row.compatible)) return row.facts;
    }
  }
  return std::nullopt;
}

}  // namespace probe::sysfs
