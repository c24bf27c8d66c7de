// SPDX-License-Identifier: MIT
#include "report/run/exclusions.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "backends/core/measurement_fields.h"

namespace report {

WHICHGPU_FIELDS(Exclusion, implementation, kind, whole_family)

namespace {

using kernels::Kernel;
using probe::Json;
using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;

constexpr const char* kLostKey = "lost_context";

// Kernels that have implementations: without one of them the rest can be measured.
bool CanBeExcluded(Kernel kernel) {
  switch (kernel) {
    case Kernel::kGemm:
    case Kernel::kChain:
    case Kernel::kGemv:
    case Kernel::kRead:
    case Kernel::kCopy:
    case Kernel::kTriad:
      return true;
    case Kernel::kHostToDevice:
    case Kernel::kDeviceToHost:
    case Kernel::kPeer:
    case Kernel::kLaunch:
    case Kernel::kFill:
      return false;
  }
  return false;
}

bool IsOurs(const Exclusion& one) {
  return CanBeExcluded(one.kind.kernel) && kernels::IsOwn(one.implementation);
}

bool AreOfOneFamily(const Exclusion& a, const Exclusion& b) {
  return a.kind.kernel == b.kind.kernel && FamilyOf(a.implementation) == FamilyOf(b.implementation);
}

// What a child that died was at, where that is a kernel of ours and others were launched before it: who dies
// at the first one dies of the driver, or of what fills operands.
std::optional<Exclusion> LastRisk(const ChildResult& result) {
  std::optional<backends::MeasureStage> last;
  std::vector<std::string> launched;
  for (const Json& record : result.records) {
    const auto event = backends::DecodeEvent(record);
    const auto* stage = event ? std::get_if<backends::MeasureStage>(&*event) : nullptr;
    if (stage == nullptr) continue;
    last = *stage;
    if (stage->stage == probe::Stage::kLaunch) launched.push_back(stage->implementation);
  }
  if (!last || !last->kind) return std::nullopt;
  const bool others = std::any_of(launched.begin(), launched.end(),
                                  [&](const auto& name) { return name != last->implementation; });
  return others ? std::optional(Exclusion{last->implementation, *last->kind}) : std::nullopt;
}

}  // namespace

std::string_view FamilyOf(std::string_view implementation) {
  const auto at = implementation.rfind('_');
  if (at == std::string_view::npos) return implementation;
  const std::string_view tile = implementation.substr(at + 1);
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == 'x'; };
  const bool is_tile =
      tile.find('x') != std::string_view::npos && std::all_of(tile.begin(), tile.end(), is_part);
  return is_tile ? implementation.substr(0, at) : implementation;
}

bool IsExcluded(const kernels::Variant& variant, const std::vector<Exclusion>& exclusions) {
  return std::any_of(exclusions.begin(), exclusions.end(), [&](const Exclusion& one) {
    if (one.kind.kernel != variant.kernel) return false;
    if (one.whole_family) return FamilyOf(one.implementation) == FamilyOf(variant.name);
    return one.implementation == variant.name &&
           one.kind == backends::FigureKind{variant.kernel, variant.in, variant.acc};
  });
}

Json EncodeLostContext(const kernels::Variant& culprit) {
  return {{kLostKey, probe::Encode(Exclusion{culprit.name, {culprit.kernel, culprit.in, culprit.acc}})}};
}

std::optional<Exclusion> DecodeLostContext(const Json& record) {
  if (!record.is_object() || !record.contains(kLostKey)) return std::nullopt;
  auto lost = probe::Decode<Exclusion>(record[kLostKey]);
  return lost ? std::optional(*std::move(lost)) : std::nullopt;
}

bool Restarts::After(ChildResult& result, double deadline_s) {
  if (exclusions_.size() >= kMostRestarts || after_hang_) return false;
  const bool hung = result.end == ChildEnd::kTimedOut;
  const bool died = hung || result.end == ChildEnd::kSignalled || result.end == ChildEnd::kExited;
  if (!died && result.end != ChildEnd::kDone) return false;
  if (hung && result.elapsed_s >= deadline_s) return false;  // with many kernels, not in one of them
  const auto lost = std::find_if(result.records.begin(), result.records.end(),
                                 [](const Json& record) { return DecodeLostContext(record).has_value(); });
  const bool told = lost != result.records.end();
  auto culprit = told ? DecodeLostContext(*lost) : died ? LastRisk(result) : std::nullopt;
  if (!culprit || !IsOurs(*culprit)) return false;
  const bool known = std::any_of(exclusions_.begin(), exclusions_.end(),
                                 [&](const Exclusion& other) { return AreOfOneFamily(other, *culprit); });
  if (!told && !exclusions_.empty() && !known) return false;
  if (known && exclusions_.back().whole_family && AreOfOneFamily(exclusions_.back(), *culprit)) return false;
  if (told) result.records.erase(lost);
  after_hang_ = hung;
  culprit->whole_family = (hung && !told) || known;
  exclusions_.push_back(*std::move(culprit));
  return true;
}

Json EncodeExclusions(const std::vector<Exclusion>& exclusions) {
  Json list = Json::array();
  for (const Exclusion& one : exclusions) list.push_back(probe::Encode(one));
  return list;
}

std::vector<Exclusion> DecodeExclusions(const Json& json) {
  std::vector<Exclusion> exclusions;
  if (!json.is_array()) return exclusions;
  for (const Json& item : json) {
    auto one = probe::Decode<Exclusion>(item);
    if (one) exclusions.push_back(*std::move(one));
  }
  return exclusions;
}

}  // namespace report
