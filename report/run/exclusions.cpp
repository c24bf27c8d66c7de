// SPDX-License-Identifier: MIT
#include "report/run/exclusions.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "backends/core/reporter.h"

namespace report {
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

// Of another of a kernel's implementations.
bool IsFamily(const Exclusion& one, Kernel kernel, std::string_view implementation) {
  return one.kind.kernel == kernel && FamilyOf(one.implementation) == FamilyOf(implementation);
}
bool IsItself(const Exclusion& one, const backends::FigureKind& kind, std::string_view implementation) {
  return one.kind == kind && one.implementation == implementation;
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

void LeaveOut(const std::vector<Exclusion>& exclusions, std::vector<kernels::Variant>& variants) {
  for (const Exclusion& one : exclusions) {
    std::erase_if(variants, [&](const kernels::Variant& variant) {
      return IsItself(one, backends::KindOf(variant), variant.name);
    });
    if (!one.whole_family) continue;
    for (kernels::Variant& variant : variants) {
      if (IsFamily(one, variant.kernel, variant.name))
        variant.left_out =
            "left out: " + one.implementation + ", which is of its kind, ended another process";
    }
  }
}

Json EncodeLostContext(const kernels::Variant& culprit) {
  return {{kLostKey, probe::Encode(Exclusion{culprit.name, backends::KindOf(culprit)})}};
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
  const auto is_covered = [&](const Exclusion& other) {
    return IsItself(other, culprit->kind, culprit->implementation) ||
           (other.whole_family && IsFamily(other, culprit->kind.kernel, culprit->implementation));
  };
  if (std::any_of(exclusions_.begin(), exclusions_.end(), is_covered))
    return false;  // it was not there to run
  const bool second_of_family = std::any_of(
      exclusions_.begin(), exclusions_.end(),
      [&](const Exclusion& other) { return IsFamily(other, culprit->kind.kernel, culprit->implementation); });
  if (!told && !exclusions_.empty() && !second_of_family) return false;
  if (told) result.records.erase(lost);
  after_hang_ = hung;
  culprit->whole_family = (hung && !told) || second_of_family;
  exclusions_.push_back(*std::move(culprit));
  return true;
}

}  // namespace report
