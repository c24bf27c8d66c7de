// SPDX-License-Identifier: MIT
#include "report/run/exclusions.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "backends/core/reporter.h"
#include "report/core/devices.h"

namespace report {
namespace {

using probe::Json;
using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;

constexpr const char* kLostKey = "lost_context";
constexpr const char* kUnexplainedKey = "unexplained_loss";

bool IsOurs(const Exclusion& one) {
  return HasImplementations(one.kind.kernel) && kernels::IsOwn(one.implementation);
}

bool IsItself(const Exclusion& one, const backends::FigureKind& kind, std::string_view implementation) {
  return one.kind == kind && one.implementation == implementation;
}

// The risks that a child has told of: the last one, where that is a kernel, and into `launched` all that it
// launched.
std::optional<Exclusion> LastRisk(const ChildResult& result, std::set<std::string>& launched) {
  std::optional<backends::MeasureStage> last;
  for (const Json& record : result.records) {
    const auto event = backends::DecodeEvent(record);
    const auto* stage = event ? std::get_if<backends::MeasureStage>(&*event) : nullptr;
    if (stage == nullptr) continue;
    last = *stage;
    if (stage->stage == probe::Stage::kLaunch) launched.insert(stage->implementation);
  }
  return last && last->kind ? std::optional(Exclusion{last->implementation, *last->kind}) : std::nullopt;
}

// What ended a child, with its family where another child can go without that, too.
struct Ended {
  const Exclusion* by;
  std::string family;  // empty: none of the variants is it
};
std::vector<Ended> WithFamilies(const std::vector<Exclusion>& exclusions,
                                const std::vector<kernels::Variant>& variants) {
  std::vector<Ended> all;
  for (const Exclusion& one : exclusions) {
    const auto it = std::find_if(variants.begin(), variants.end(), [&](const kernels::Variant& variant) {
      return IsItself(one, backends::KindOf(variant), variant.name);
    });
    all.push_back({&one, it == variants.end() ? "" : it->family});
  }
  return all;
}

std::string WhyNot(const kernels::Variant& variant, const std::vector<Ended>& ended) {
  const auto is_of_family = [&](const Ended& of) {
    return of.by->kind.kernel == variant.kernel && of.family == variant.family;
  };
  const bool second = std::count_if(ended.begin(), ended.end(), is_of_family) > 1;
  for (const Ended& of : ended) {
    if (is_of_family(of) && (second || of.by->whole_family))
      return "left out: " + of.by->implementation + ", which is of its kind, ended another process";
    if (of.by->whole_kernel && of.by->kind.kernel == variant.kernel)
      return "left out: others of this kernel ended one process after another";
  }
  return {};
}

}  // namespace

void LeaveOut(const std::vector<Exclusion>& exclusions, std::vector<kernels::Variant>& variants) {
  const auto ended = WithFamilies(exclusions, variants);
  std::erase_if(variants, [&](const kernels::Variant& variant) {
    return std::any_of(exclusions.begin(), exclusions.end(), [&](const Exclusion& one) {
      return IsItself(one, backends::KindOf(variant), variant.name);
    });
  });
  for (kernels::Variant& variant : variants) {
    if (auto reason = WhyNot(variant, ended); !reason.empty()) variant.left_out = std::move(reason);
  }
}

Json EncodeLostContext(const kernels::Variant& culprit) {
  return {{kLostKey, probe::Encode(Exclusion{culprit.name, backends::KindOf(culprit)})}};
}

namespace {

template <class T>
std::optional<T> DecodeUnder(const char* key, const Json& record) {
  if (!record.is_object() || !record.contains(key)) return std::nullopt;
  auto decoded = probe::Decode<T>(record[key]);
  return decoded ? std::optional(*std::move(decoded)) : std::nullopt;
}

}  // namespace

std::optional<Exclusion> DecodeLostContext(const Json& record) {
  return DecodeUnder<Exclusion>(kLostKey, record);
}

Json EncodeUnexplainedLoss(const UnexplainedLoss& loss) { return {{kUnexplainedKey, probe::Encode(loss)}}; }

std::optional<UnexplainedLoss> DecodeUnexplainedLoss(const Json& record) {
  return DecodeUnder<UnexplainedLoss>(kUnexplainedKey, record);
}

bool Restarts::IsLeftOut(const Exclusion& one) const {
  return std::any_of(exclusions_.begin(), exclusions_.end(),
                     [&](const Exclusion& other) { return IsItself(other, one.kind, one.implementation); });
}

// Of those that did not end a child themselves.
bool Restarts::HasLaunchedOthersThan(const Exclusion& culprit) const {
  const auto ended_one = [&](const std::string& name) {
    return name == culprit.implementation ||
           std::any_of(exclusions_.begin(), exclusions_.end(),
                       [&](const Exclusion& other) { return other.implementation == name; });
  };
  return !std::all_of(launched_.begin(), launched_.end(), ended_one);
}

bool Restarts::After(ChildResult& result, double deadline_s) {
  if (is_last_) return false;
  const bool hung = result.end == ChildEnd::kTimedOut;
  const bool died = hung || result.end == ChildEnd::kSignalled || result.end == ChildEnd::kExited;
  if (!died && result.end != ChildEnd::kDone) return false;
  if (hung && result.elapsed_s >= deadline_s) return false;  // with many kernels, not in one of them
  auto culprit = LastRisk(result, launched_);
  const auto find = [&](auto decode) {
    return std::find_if(result.records.begin(), result.records.end(),
                        [&](const Json& record) { return decode(record).has_value(); });
  };
  if (const auto loss = find(DecodeUnexplainedLoss); loss != result.records.end()) {
    if (!DecodeUnexplainedLoss(*loss)->after_work || std::exchange(was_lost_, true)) return false;
    result.records.erase(loss);
    return true;
  }
  const auto lost = find(DecodeLostContext);
  const bool told = lost != result.records.end();
  if (told) culprit = DecodeLostContext(*lost);
  if (!culprit || !IsOurs(*culprit) || (!told && !died)) return false;
  if (IsLeftOut(*culprit)) return false;  // it was not there to run
  const bool may_be_driver = !told && !HasLaunchedOthersThan(*culprit);
  if (may_be_driver && std::exchange(first_was_tried_, true)) return false;
  if (told) result.records.erase(lost);
  hangs_ += hung ? 1 : 0;
  culprit->whole_family = may_be_driver || (hung && !told);
  exclusions_.push_back(*std::move(culprit));
  is_last_ = exclusions_.size() > kMostRestarts || hangs_ > 1;
  for (Exclusion& one : exclusions_) one.whole_kernel = is_last_;
  return true;
}

}  // namespace report
