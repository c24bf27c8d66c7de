// SPDX-License-Identifier: MIT
#include "report/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "report/core/devices.h"
#include "report/core/quantity.h"

namespace report::compare {
namespace {

using backends::Measurement;

constexpr double kComparableWork = 1.2;  // products that differ by more than this in size run at other rates

// A product is either square or has the few rows of a prompt; its exact size follows from the device's speed.
std::string_view ShapeClass(const Measurement& m) {
  return m.kernel == kernels::Kernel::kGemm && m.shape.m != m.shape.n ? "prompt" : "";
}

// "own:tile_8x32" is ours, whichever variant won; launches and transfers tell their kinds apart by it, and a
// vendor's library is a figure of its own.
std::string Maker(const Measurement& m) {
  const bool contest = m.kernel != kernels::Kernel::kLaunch && m.kernel != kernels::Kernel::kHostToDevice &&
                       m.kernel != kernels::Kernel::kDeviceToHost && m.kernel != kernels::Kernel::kPeer;
  return contest && IsOwn(m) ? "own" : m.implementation;
}

std::string Key(const Measurement& m) {
  const auto shape = ShapeClass(m);
  return fmt::format("{}{}{} {} {} {} {}/{} {}{}{}", m.device_id, m.peer_id ? ">" : "",
                     m.peer_id.value_or(""), m.runtime, m.driver, kernels::Row(m.kernel).name,
                     kernels::Row(m.in_dtype).name, kernels::Row(m.acc_dtype).name, Maker(m),
                     shape.empty() ? "" : " ", shape);
}

std::string Figure(const Measurement& m) {
  const auto maker = Maker(m);
  const auto shape = ShapeClass(m);
  return fmt::format("{}{}{}{}", FigureName(m), shape.empty() ? "" : ", ", shape,
                     maker == "own" ? "" : ", " + maker.substr(maker.find(':') + 1));
}

struct Entry {
  const Measurement* base = nullptr;
  const Measurement* other = nullptr;
};

// Keeps the order in which keys were met.
class Table {
 public:
  void Add(std::span<const Measurement> all, const Measurement* Entry::* side) {
    for (const Measurement& m : all) {
      if (!IsVerified(m)) continue;
      const auto [place, is_new] = index_.try_emplace(Key(m), entries_.size());
      if (is_new) entries_.emplace_back(place->first, Entry{});
      const Measurement*& kept = entries_[place->second].second.*side;
      if (!kept || m.Speed() > kept->Speed()) kept = &m;
    }
  }
  [[nodiscard]] const std::vector<std::pair<std::string, Entry>>& entries() const { return entries_; }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<std::pair<std::string, Entry>> entries_;
};

struct Interval {
  double low;
  double high;
};

// Of the speed, which is never 0 nor below. The bounds of a time's interval are of its rate as well
// (measurement.h).
Interval IntervalOf(const Measurement& m) {
  constexpr double kLeastShare = 0.01;
  return {m.Speed() * std::clamp((*m.ci95)[0], kLeastShare, 1.0), m.Speed() * std::max((*m.ci95)[1], 1.0)};
}

std::optional<std::string> Doubt(const Measurement& base, const Measurement& other) {
  for (const auto* m : {&base, &other}) {
    if (m->quality == backends::Quality::kNoisy || !m->ci95) {
      return fmt::format("noisy in {}", m == &base ? "the first" : "the second");
    }
  }
  const double one = kernels::Work(base.kernel, base.in_dtype, base.shape);
  const double two = kernels::Work(other.kernel, other.in_dtype, other.shape);
  const bool product = base.kernel == kernels::Kernel::kGemm;
  if (product && std::max(one, two) > kComparableWork * std::min(one, two)) {
    return fmt::format("measured at {}x{}x{} and {}x{}x{}", base.shape.m, base.shape.n, base.shape.k,
                       other.shape.m, other.shape.n, other.shape.k);
  }
  return std::nullopt;
}

Verdict VerdictOf(const Measurement& base, const Measurement& other) {
  const double ratio = other.Speed() / base.Speed();
  const Interval before = IntervalOf(base);
  const Interval after = IntervalOf(other);
  if (ratio < 1 - kFloor && after.high < before.low) return Verdict::kSlower;
  if (ratio > 1 / (1 - kFloor) && after.low > before.high) return Verdict::kFaster;
  return Verdict::kSame;
}

ComparedRow RowOf(const std::string& key, const Entry& entry) {
  const Measurement& any = entry.base ? *entry.base : *entry.other;
  ComparedRow row;
  row.key = key;
  row.device_id = any.device_id;
  row.runtime = any.runtime;
  row.figure = Figure(any);
  row.unit = any.unit;
  if (entry.base) row.base = entry.base->rate;
  if (entry.other) row.other = entry.other->rate;
  if (!entry.base || !entry.other) {
    row.verdict = Verdict::kMissing;
    row.reason = fmt::format("not in {}", entry.base ? "the second" : "the first");
    return row;
  }
  row.ratio = entry.other->Speed() / entry.base->Speed();
  row.reason = Doubt(*entry.base, *entry.other);
  row.verdict = row.reason ? Verdict::kNoisy : VerdictOf(*entry.base, *entry.other);
  return row;
}

}  // namespace

std::vector<ComparedRow> Compare(std::span<const Measurement> base, std::span<const Measurement> other) {
  Table table;
  table.Add(base, &Entry::base);
  table.Add(other, &Entry::other);
  std::vector<ComparedRow> rows;
  for (const auto& [key, entry] : table.entries()) rows.push_back(RowOf(key, entry));
  return rows;
}

bool IsConclusive(std::span<const ComparedRow> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const ComparedRow& row) {
    return row.verdict != Verdict::kNoisy && row.verdict != Verdict::kMissing;
  });
}

bool HasRegression(std::span<const ComparedRow> rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const ComparedRow& row) { return row.verdict == Verdict::kSlower; });
}

}  // namespace report::compare
