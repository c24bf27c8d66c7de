// SPDX-License-Identifier: MIT
#include "report/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"

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

// The type of the sums where that is not the usual one, so that no two figures of a way have one name.
std::string SumsText(const Measurement& m) {
  using kernels::Dtype;
  const bool computes = m.kernel == kernels::Kernel::kGemm || m.kernel == kernels::Kernel::kGemv ||
                        m.kernel == kernels::Kernel::kChain;
  if (!computes || m.acc_dtype == Dtype::kFp32 || m.acc_dtype == Dtype::kInt32) return "";
  return fmt::format(", {} sums", kernels::Row(m.acc_dtype).name);
}

std::string Figure(const Measurement& m) {
  const auto maker = Maker(m);
  const auto shape = ShapeClass(m);
  return fmt::format("{}{}{}{}{}", FigureName(m), SumsText(m), shape.empty() ? "" : ", ", shape,
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

bool AreOfOneWay(const Measurement& one, const Measurement& two) {
  const auto way = [](const Measurement& m) { return std::tie(m.device_id, m.peer_id, m.runtime, m.driver); };
  return way(one) == way(two);
}

// Of one figure: the same but for which own variant it was. What failed before it had a shape failed at all.
bool AreOfOneFigure(const Measurement& one, const Measurement& two) {
  return AreOfOneWay(one, two) && backends::KindOf(one) == backends::KindOf(two) &&
         Maker(one) == Maker(two) && (two.shape == kernels::Problem() || ShapeClass(one) == ShapeClass(two));
}

// Faster than its chip is known to be says as much of the table of chips, which is another in a newer
// version.
bool Fails(const Measurement& m) {
  return IsTrouble(m) && m.status != backends::MeasurementStatus::kImplausible;
}

// A process that ended before it had any variant takes with it what it was to measure. After one that ended
// in a variant another measures the rest.
bool EndedTheWay(const Measurement& m) { return Fails(m) && m.implementation.empty(); }

// Why a figure of `base` is not in `other`, where something went wrong that did not in `base`. What `other`
// tells of the figure itself decides.
const Measurement* NewTrouble(const Measurement& figure, std::span<const Measurement> base,
                              std::span<const Measurement> other) {
  const auto is_old = [&](const Measurement& trouble) {
    return std::any_of(base.begin(), base.end(), [&](const Measurement& m) {
      return Fails(m) && AreOfOneFigure(m, trouble) && m.implementation == trouble.implementation;
    });
  };
  const auto find = [&](auto&& explains) {
    const auto found = std::find_if(other.begin(), other.end(),
                                    [&](const Measurement& m) { return explains(m) && !is_old(m); });
    return found == other.end() ? nullptr : &*found;
  };
  const auto is_own = [&](const Measurement& m) { return AreOfOneFigure(figure, m); };
  if (std::any_of(other.begin(), other.end(), is_own))
    return find([&](const Measurement& m) { return Fails(m) && is_own(m); });
  return find([&](const Measurement& m) { return EndedTheWay(m) && AreOfOneWay(figure, m); });
}

const probe::ProbeReport* ProbeOf(const MeasuredReport& report, const std::string& runtime) {
  const auto found = std::find_if(report.probes.begin(), report.probes.end(),
                                  [&](const auto& probe) { return probe.module == runtime; });
  return found == report.probes.end() ? nullptr : &*found;
}

std::optional<std::string> FailureOf(const Measurement& figure, const MeasuredReport& base,
                                     const MeasuredReport& other) {
  if (const auto* trouble = NewTrouble(figure, base.measurements, other.measurements))
    return FailureText(*trouble);
  const auto of_the_way = [&](const Measurement& m) { return AreOfOneWay(figure, m); };
  if (std::any_of(other.measurements.begin(), other.measurements.end(), of_the_way)) return std::nullopt;
  const auto* now = ProbeOf(other, figure.runtime);
  return now ? NewlyWrongText(figure, ProbeOf(base, figure.runtime), *now) : std::nullopt;
}

// Of a figure that one report lacks: "not in the second", or what became of it there.
std::string WhyMissing(const Entry& entry, const MeasuredReport& base, const MeasuredReport& other) {
  const auto& lacks = entry.base ? other : base;
  const std::string_view side = entry.base ? "the second" : "the first";
  const Measurement& figure = entry.base ? *entry.base : *entry.other;
  const auto tried =
      std::find_if(lacks.measurements.begin(), lacks.measurements.end(),
                   [&](const Measurement& m) { return !IsVerified(m) && AreOfOneFigure(figure, m); });
  if (tried == lacks.measurements.end()) return fmt::format("not in {}", side);
  return fmt::format("{} in {}{}", PhraseOf(*tried), side,
                     tried->reason ? fmt::format(": {}", *tried->reason) : "");
}

ComparedRow RowOf(const std::string& key, const Entry& entry, const MeasuredReport& one,
                  const MeasuredReport& two) {
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
    row.reason = WhyMissing(entry, one, two);
    return row;
  }
  row.ratio = entry.other->Speed() / entry.base->Speed();
  row.reason = Doubt(*entry.base, *entry.other);
  row.verdict = row.reason ? Verdict::kNoisy : VerdictOf(*entry.base, *entry.other);
  return row;
}

}  // namespace

std::vector<ComparedRow> Compare(const MeasuredReport& base, const MeasuredReport& other) {
  Table table;
  table.Add(base.measurements, &Entry::base);
  table.Add(other.measurements, &Entry::other);
  std::vector<ComparedRow> rows;
  for (const auto& [key, entry] : table.entries()) {
    ComparedRow& row = rows.emplace_back(RowOf(key, entry, base, other));
    auto failure = entry.other ? std::nullopt : FailureOf(*entry.base, base, other);
    if (!failure) continue;
    row.verdict = Verdict::kFailed;
    row.reason = *std::move(failure);
  }
  return rows;
}

std::vector<std::string> Notes(const MeasuredReport& base, const MeasuredReport& other) {
  std::vector<std::string> notes;
  for (const auto* report : {&base, &other}) {
    if (report->interrupted)
      notes.push_back(fmt::format("the run of the {} was interrupted", report == &base ? "first" : "second"));
  }
  for (const auto& [id, name] : base.names) {
    const auto found = other.names.find(id);
    if (found != other.names.end() && found->second != name)
      notes.push_back(fmt::format("{} is {} in the first and {} in the second", id, name, found->second));
  }
  return notes;
}

bool IsConclusive(std::span<const ComparedRow> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const ComparedRow& row) {
    return row.verdict != Verdict::kNoisy && row.verdict != Verdict::kMissing;
  });
}

bool HasRegression(std::span<const ComparedRow> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const ComparedRow& row) {
    return row.verdict == Verdict::kSlower || row.verdict == Verdict::kFailed;
  });
}

}  // namespace report::compare
