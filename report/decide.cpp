// SPDX-License-Identifier: MIT
#include "report/decide.h"

#include <algorithm>
#include <utility>

#include "report/explain/explain.h"
#include "report/peaks/estimate.h"
#include "report/peaks/peaks.h"
#include "report/recommend/recommend.h"
#include "report/score/score.h"

namespace report {
namespace {

// The scores of what was measured and, where nothing was or time ran out, of what the facts alone suggest.
std::vector<Score> Scores(const Tables& tables, const Record& record, const Report& report, Basis measured) {
  const bool estimated = !record.calibrated && report.measurements.empty();
  const auto estimates = peaks::Estimated(EmbeddedPeaks(), report.devices);
  auto scores =
      score::ScoreAll(tables, report.devices, estimated ? estimates : report.measurements, estimates);
  for (Score& score : scores) {
    if (score.basis != Basis::kEstimated) score.basis = estimated ? Basis::kEstimated : measured;
  }
  return scores;
}

}  // namespace

Report Decide(const Options& options, const Tables& tables, const Record& record, Asked asked,
              Basis measured) {
  Report report;
  report.tool_version = record.tool_version;
  report.command = NameOfCommand(options.command);
  report.created = record.created;
  report.interrupted = record.interrupted;
  report.host = record.host;
  report.probes = record.probes;
  report.devices = std::move(asked.devices);
  report.other_gpus = asked.other_gpus;
  report.warnings = record.warnings;
  for (const backends::Measurement& measurement : record.measurements) {
    const bool shown = std::any_of(report.devices.begin(), report.devices.end(),
                                   [&](const auto& device) { return device.id == measurement.device_id; });
    if (shown) report.measurements.push_back(measurement);
  }
  if (!report.measurements.empty()) peaks::Judge(EmbeddedPeaks(), report.devices, report.measurements);
  if (options.command != Command::kList) {
    report.scores = Scores(tables, record, report, measured);
    const std::vector<Use> uses = options.command == Command::kRecommend
                                      ? std::vector<Use>{options.use}
                                      : std::vector<Use>{Use::kInference, Use::kTraining};
    for (const Use use : uses) {
      if (auto answer = recommend::Recommend(tables, report, use))
        report.recommendations.push_back(*std::move(answer));
    }
  }
  explain::Explain(tables, report);
  return report;
}

}  // namespace report
