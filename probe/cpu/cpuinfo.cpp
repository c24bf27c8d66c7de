// SPDX-License-Identifier: MIT
#include "probe/cpu/cpuinfo.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/text.h"

namespace probe::cpu {
namespace {

struct Row {
  std::string_view maker;
  std::string_view part;  // empty: the row names the maker
  std::string_view name;
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> out;
    for (const auto& [maker, part, name] : ParseTable<3>(data::kProcessors))
      out.push_back({maker, part, name});
    return out;
  }();
  return rows;
}

std::optional<std::uint32_t> Value(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  return ParseNumber<std::uint32_t>(text, base);
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (words.size() < 1024) {
    text = Trim(text);
    if (text.empty()) break;
    const auto end = std::min(text.find(' '), text.size());
    words.push_back(CleanText(text.substr(0, end), 64));
    text.remove_prefix(end);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// Collects the lines of all processors. Cores of different kinds differ in flags and names (Arm, hybrid x86).
class Collector {
 public:
  void Line(std::string_view key, std::string_view value) {
    if (key == "processor" && Value(value)) ++threads_;
    if (key == "physical id") package_ = Value(value);
    if (key == "core id") Core(Value(value));
    if (key == "vendor_id" && !info_.vendor) info_.vendor = VendorName(value);
    if (key == "model name" || key == "uarch") Model(value);
    if (key == "flags") Flags(Family::kX86, value);
    if (key == "Features") Flags(Family::kArm64, value);
    if (key == "isa") Isa(value);
    if (key == "CPU implementer") implementer_ = Value(value);
    if (key == "CPU part") Part(Value(value));
  }

  CpuInfo Take() {
    if (threads_ != 0) info_.threads = threads_;
    if (!cores_.empty()) info_.cores = static_cast<std::uint32_t>(cores_.size());
    if (!packages_.empty()) info_.packages = static_cast<std::uint32_t>(packages_.size());
    return std::move(info_);
  }

 private:
  void Core(std::optional<std::uint32_t> core) {
    if (!core || !package_) return;
    cores_.insert({*package_, *core});
    packages_.insert(*package_);
  }
  void Model(std::string_view value) {
    if (!info_.model && !value.empty()) info_.model = CleanText(value);
  }
  void Flags(Family family, std::string_view value) {
    auto words = Words(value);
    if (info_.family == Family::kUnknown) {
      info_.family = family;
      info_.flags = std::move(words);
      last_flags_ = value;
    } else if (value != last_flags_) {
      std::vector<std::string> shared;
      std::set_intersection(words.begin(), words.end(), info_.flags.begin(), info_.flags.end(),
                            std::back_inserter(shared));
      info_.flags = std::move(shared);
      last_flags_ = value;
    }
  }
  void Isa(std::string_view value) {
    if (info_.isa) return;
    info_.family = Family::kRiscv;
    info_.isa = CleanText(value, 256);
  }
  void Part(std::optional<std::uint32_t> part) {
    if (!implementer_ || !part) return;
    for (const Row& row : Rows()) {
      if (ParseNumber<std::uint32_t>(row.maker, 16) != *implementer_) continue;
      if (row.part.empty()) {
        if (!info_.vendor) info_.vendor = row.name;
      } else if (ParseNumber<std::uint32_t>(row.part, 16) == *part) {
        if (!info_.model) info_.model = row.name;
        if (info_.model->find(row.name) == std::string::npos && info_.model->size() < 200) {
          info_.model->append(" + ").append(row.name);
        }
      }
    }
  }

  CpuInfo info_;
  std::uint32_t threads_ = 0;
  std::optional<std::uint32_t> package_;
  std::optional<std::uint32_t> implementer_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> cores_;
  std::set<std::uint32_t> packages_;
  std::string_view last_flags_;
};

}  // namespace

bool CpuInfo::Has(std::string_view flag) const {
  return std::binary_search(flags.begin(), flags.end(), flag);
}

std::string VendorName(std::string_view cpuid_vendor) {
  for (const Row& row : Rows()) {
    if (row.maker == cpuid_vendor || Trim(row.maker) == cpuid_vendor) return std::string(row.name);
  }
  return CleanText(cpuid_vendor, 64);
}

CpuInfo ParseCpuInfo(std::string_view text) {
  Collector collector;
  while (!text.empty()) {
    const std::string_view line = TakeUpTo(text, '\n');
    const auto colon = line.find(':');
    if (colon != std::string_view::npos)
      collector.Line(Trim(line.substr(0, colon)), Trim(line.substr(colon + 1)));
  }
  return collector.Take();
}

}  // namespace probe::cpu
