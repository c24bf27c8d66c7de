// SPDX-License-Identifier: MIT
#include "report/run/trials.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "backends/core/measurement_fields.h"
#include "report/run/exclusions.h"
#include "report/run/tasks.h"

namespace report {
namespace {

using backends::Measurement;
using probe::Json;
using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;

constexpr const char* kTrialKey = "trial";

bool IsTrial(const Json& record) { return record.is_object() && record.contains(kTrialKey); }

std::optional<Measurement> MeasurementOf(const Json& record) {
  auto event = backends::DecodeEvent(record);
  auto* measurement = event ? std::get_if<Measurement>(&*event) : nullptr;
  return measurement == nullptr ? std::nullopt : std::optional(std::move(*measurement));
}

bool IsSameFigure(const Measurement& a, const Measurement& b) {
  return KindOf(a) == KindOf(b) && a.implementation == b.implementation && a.shape == b.shape;
}

// What ended the child or its context, where it was a kernel: whatever its trial said, it can not be relied
// on.
std::optional<Exclusion> CulpritOf(const ChildResult& result) {
  std::optional<Exclusion> culprit;
  for (const Json& record : result.records) {
    if (auto lost = DecodeLostContext(record)) return lost;
    if (result.end == ChildEnd::kDone || result.end == ChildEnd::kInterrupted) continue;
    const auto event = backends::DecodeEvent(record);
    const auto* stage = event ? std::get_if<backends::MeasureStage>(&*event) : nullptr;
    if (stage == nullptr) continue;
    culprit = stage->kind ? std::optional(Exclusion{stage->implementation, *stage->kind}) : std::nullopt;
  }
  return culprit;
}

bool IsCutShort(const ChildResult& result) {
  return result.end != ChildEnd::kDone ||
         std::any_of(result.records.begin(), result.records.end(), [](const Json& record) {
           return DecodeLostContext(record) || DecodeUnexplainedLoss(record) || DecodeError(record);
         });
}

}  // namespace

Json EncodeTrial(const Measurement& trial) {
  Json record = backends::EncodeEvent(trial);
  record[kTrialKey] = true;
  return record;
}

void SettleTrials(ChildResult& result) {
  if (!IsCutShort(result)) {
    std::erase_if(result.records, IsTrial);
    return;
  }
  const auto culprit = CulpritOf(result);
  std::vector<Measurement> later;
  std::vector<Json> kept;
  for (auto record = result.records.rbegin(); record != result.records.rend(); ++record) {
    const bool is_trial = IsTrial(*record);
    auto measurement = MeasurementOf(*record);
    if (is_trial) {
      const bool is_out = !measurement || (culprit && KindOf(*measurement) == culprit->kind &&
                                           measurement->implementation == culprit->implementation);
      if (is_out || std::any_of(later.begin(), later.end(),
                                [&](const Measurement& other) { return IsSameFigure(other, *measurement); }))
        continue;
      record->erase(kTrialKey);
    }
    if (measurement) later.push_back(*std::move(measurement));
    kept.push_back(std::move(*record));
  }
  std::reverse(kept.begin(), kept.end());
  result.records = std::move(kept);
}

}  // namespace report
