// SPDX-License-Identifier: MIT
#include "report/decide/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/advise/advise.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/decide/decide.h"
#include "report/explain/explain.h"
#include "report/peaks/peaks.h"
#include "report/recommend/recommend.h"
#include "report/score/score.h"
#include "report/targets/targets.h"

namespace report {
namespace {

// Devices that are not what they claim to be, with what tells it.
std::map<std::string_view, const Doubt*> RefutedDevices(const Report& report) {
  std::map<std::string_view, const Doubt*> refuted;
  for (const Doubt& doubt : report.doubts) {
    if (doubt.refuted) refuted.emplace(doubt.device_id, &doubt);
  }
  return refuted;
}

// That none of the programs that are known here has code for the GPU. "" of any other way, and
// where the caller names a program, or asks whether a runtime works, and is answered about that.
targets::WithoutCode WithoutCodeOf(const Tables& tables, const Report& report, const std::string& device_id,
                                   const std::string& runtime, Use use) {
  const auto* device = FindDevice(report.devices, device_id);
  if (report.terms.target || report.terms.can || !device || !IsGpu(*device)) return {};
  return targets::WhyNothingRuns(tables, report, *device, runtime, use);
}

// That kernels of this tool run there helps nobody. "" where a build that nobody here knows may have code.
std::string WhyNoCode(const Tables& tables, const Report& report, const Score& score) {
  auto without = WithoutCodeOf(tables, report, score.device_id, score.runtime, score.use);
  return without.is_too_new ? "" : std::move(without.why);
}

// The same of a way by which programs have code, and none of those that a report names for it.
std::string ServedByOthers(const Tables& tables, const Report& report, const std::string& device_id,
                           const std::string& runtime, Use use) {
  const auto* device = FindDevice(report.devices, device_id);
  if (report.terms.target || report.terms.can || !device || !IsGpu(*device)) return "";
  return targets::ServedByOthers(tables, report, *device, runtime, use);
}

void WarnOfOtherPrograms(const Tables& tables, const Report& report, Recommendation& answer) {
  const auto who = ServedByOthers(tables, report, answer.device_id, answer.backend, answer.use);
  if (!who.empty())
    answer.warnings.emplace_back(
        WarningKind::kUnseenHere, answer.device_id,
        fmt::format("few programs {} on {} by {}: {}", answer.use == Use::kTraining ? "train" : "run models",
                    DeviceName(report.devices, answer.device_id), Title(tables, answer.backend), who));
}

void WarnOfTooNew(const Tables& tables, const Report& report, Recommendation& answer) {
  const auto without = WithoutCodeOf(tables, report, answer.device_id, answer.backend, answer.use);
  if (without.is_too_new)
    answer.warnings.emplace_back(
        fmt::format("{} is newer than the programs that are known here, and a newer release of them may have "
                    "code for it: {}",
                    DeviceName(report.devices, answer.device_id), without.why));
}

// A card that does not hold the step which is predicted is a way all the same where the caller has a program
// to install and a use for no GPU that holds it, or a use for nothing that does: smaller models train on it.
void LetSmallCardsTrain(const Tables& tables, const Report& report, std::vector<Score>& scores) {
  const auto is_gpu = [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    const auto* view = device ? FindView(*device, score.runtime, score.driver) : nullptr;
    return score.use == Use::kTraining && view && IsGpu(*device) && !IsSoftware(*device, *view);
  };
  const auto holds_it = [&](const Score& score) {
    return score.eligible && score.use == Use::kTraining && (!report.terms.target || is_gpu(score)) &&
           !recommend::IsOmitted(report, score);
  };
  if (std::any_of(scores.begin(), scores.end(), holds_it)) return;
  const auto refuted = RefutedDevices(report);
  for (Score& score : scores) {
    const auto* facts = Find(tables, score.runtime);
    const bool trains =
        facts && facts->training.supported && score.tokens_per_s && score.ranking_tokens_per_s;
    if (!is_gpu(score) || !trains || score.fits.value_or(true) || refuted.contains(score.device_id)) continue;
    score.eligible = WhyNoCode(tables, report, score).empty();
  }
}

// Of a score or a measurement.
template <class T>
WayKey WayOf(const T& one) {
  return {one.device_id, one.runtime, one.driver};
}

template <class T>
bool IsSettled(const Record& record, const T& one) {
  const auto& ways = *record.settled_without;
  return std::find(ways.begin(), ways.end(), WayOf(one)) != ways.end();
}

// What facts tell stands for ways that nobody measured, as the question was settled without them.
void FillInSettled(const Record& record, const std::vector<backends::Measurement>& estimates,
                   std::vector<backends::Measurement>& figures) {
  std::copy_if(estimates.begin(), estimates.end(), std::back_inserter(figures),
               [&](const auto& m) { return IsSettled(record, m); });
}

void TellSettled(const Record& record, std::vector<Score>& scores) {
  for (Score& score : scores) {
    if (!IsSettled(record, score)) continue;
    const bool stands_on_another = std::any_of(scores.begin(), scores.end(), [&](const Score& other) {
      return other.device_id == score.device_id && other.runtime == score.stands_on;
    });
    score.basis = Basis::kEstimated;
    score.reasons.push_back(
        {ReasonId::kOfTheWay, stands_on_another ? "not measured beside what it stands on"
                                                : "not measured, as facts alone tell that it is far behind"});
  }
}

void RuleOutWithoutCode(const Tables& tables, const Report& report, std::vector<Score>& scores) {
  for (Score& score : scores) {
    score.is_served = ServedByOthers(tables, report, score.device_id, score.runtime, score.use).empty();
    auto why = score.eligible ? WhyNoCode(tables, report, score) : "";
    if (why.empty()) continue;
    score.eligible = false;
    score.lacks_code = true;
    score.reasons.insert(score.reasons.begin(), {ReasonId::kOfTheWay, std::move(why)});
  }
}

// That this run measured nothing and no earlier one's figures answer: of ways that compute wrongly it may
// know that.
bool RestsOnFacts(const Record& record, const Report& report) {
  const auto is_wrong = [](const auto& m) { return m.status == backends::MeasurementStatus::kWrongResult; };
  return !record.calibrated && std::all_of(report.measurements.begin(), report.measurements.end(), is_wrong);
}

// What facts tell of every way, but of those that are known to compute wrongly: of them, how.
std::vector<backends::Measurement> FactsBeside(const std::vector<backends::Measurement>& wrong,
                                               const std::vector<backends::Measurement>& estimates) {
  auto figures = wrong;
  std::copy_if(estimates.begin(), estimates.end(), std::back_inserter(figures), [&](const auto& estimate) {
    return std::none_of(wrong.begin(), wrong.end(),
                        [&](const auto& m) { return WayOf(m) == WayOf(estimate); });
  });
  return figures;
}

// The scores of what was measured and, where nothing was or time ran out, of what the facts alone suggest. A
// device that is not what it claims to be is never eligible.
std::vector<Score> Scores(const Tables& tables, const Record& record, const Report& report, Basis measured) {
  const bool estimated = RestsOnFacts(record, report);
  const auto estimates = peaks::Estimated(EmbeddedPeaks(), tables, report);
  auto figures = estimated ? FactsBeside(report.measurements, estimates) : report.measurements;
  if (record.settled_without) FillInSettled(record, estimates, figures);
  auto scores = score::ScoreAll(tables, report.devices, figures, estimates);
  for (Score& score : scores) {
    if (score.basis != Basis::kEstimated) score.basis = estimated ? Basis::kEstimated : measured;
  }
  if (record.settled_without) TellSettled(record, scores);
  RuleOutWithoutCode(tables, report, scores);
  const auto refuted = RefutedDevices(report);
  for (Score& score : scores) {
    const auto found = refuted.find(score.device_id);
    if (found == refuted.end()) continue;
    score.eligible = false;
    score.lacks_code = false;
    score.reasons.insert(score.reasons.begin(), {ReasonId::kOfTheWay, found->second->text});
  }
  return scores;
}

std::size_t CountViews(const Report& report) {
  return std::accumulate(
      report.devices.begin(), report.devices.end(), std::size_t{0},
      [](std::size_t sum, const probe::PhysicalDevice& device) { return sum + device.views.size(); });
}

}  // namespace

void AddViews(const std::vector<targets::WayBeyond>& ways, std::vector<probe::PhysicalDevice>& devices) {
  for (const auto& way : ways) {
    for (auto& device : devices) {
      if (device.id == way.device_id && !FindView(device, way.view.device.runtime, way.view.device.driver))
        device.views.push_back(way.view);
    }
  }
}

namespace {

bool IsBy(const targets::WayBeyond& way, const std::string& device_id, const std::string& runtime) {
  return device_id == way.device_id && runtime == way.view.device.runtime;
}

bool HasReason(const Recommendation& answer, ReasonId id) {
  return std::any_of(answer.reasons.begin(), answer.reasons.end(),
                     [&](const Reason& reason) { return reason.id == id; });
}

// A caller without a program is told what the program does that this answer leads to: it does not train on
// the processor beside a GPU because this build has no module for the GPU's runtime, or because that is not
// installed and the program brings it. nullopt where no such way is the better one, nor left out by the
// caller.
std::optional<Recommendation> AnswerBeyond(const Deciding& deciding, const Report& report, Use use,
                                           Supposed& supposed) {
  const auto& tables = deciding.tables;
  auto ways = targets::WaysBeyond(tables, deciding.all_asked, report, use);
  if (ways.empty()) return std::nullopt;
  Report with = report;
  AddViews(ways, with.devices);
  with.scores = Scores(tables, deciding.record, with, deciding.measured);
  std::erase_if(with.scores, [&](const Score& score) {
    return score.use != use && std::any_of(ways.begin(), ways.end(), [&](const auto& way) {
             return IsBy(way, score.device_id, score.runtime);
           });
  });
  if (with.terms.narrow()) LetSmallCardsTrain(tables, with, with.scores);
  auto answer = recommend::Recommend(tables, with, use);
  if (!answer) return std::nullopt;
  const auto way = std::find_if(ways.begin(), ways.end(), [&](const auto& one) {
    return IsBy(one, answer->device_id, answer->backend);
  });
  const Score* score = ScoreOf(with, *answer);
  if (way == ways.end() || !score) {
    const bool leaves_out =
        HasReason(*answer, ReasonId::kFasterLeftOut) || HasReason(*answer, ReasonId::kWorksLeftOut);
    return leaves_out ? answer : std::nullopt;
  }
  targets::TellBeyond(report, way->view, way->text, *answer);
  if (auto line = explain::OneLine(tables, with, *score); !line.empty()) answer->arithmetic = std::move(line);
  // Those of its equals, too: they are as good.
  const auto* device = FindDevice(with.devices, answer->device_id);
  for (const auto& one : ways) {
    const auto* other = FindDevice(with.devices, one.device_id);
    const bool is_like = other == device || (other && device && AreEqualGpus(*other, *device));
    if (!is_like || one.view.device.runtime != answer->backend) continue;
    supposed.ways.push_back(one);
    if (const auto* of = FindScore(with, use, one.device_id, answer->backend, one.view.device.driver))
      supposed.scores.push_back(*of);
  }
  return answer;
}

bool IsByAGpuThatHoldsIt(const Report& report, const Recommendation& answer) {
  const auto* device = FindDevice(report.devices, answer.device_id);
  const Score* score = ScoreOf(report, answer);
  return device && device->kind != probe::DeviceKind::kCpu && !(score && !score->fits.value_or(true));
}

// The report as it is when nobody holds the memory of the cards that are full: of their ways facts stand for
// what had no room. nullopt without such a card.
std::optional<Report> WithWholeCards(const Deciding& deciding, const Report& report, Use use) {
  std::set<std::string_view> full;
  for (const auto& device : report.devices) {
    if (!IsFull(report, device, use)) continue;
    const bool may_serve = std::any_of(device.views.begin(), device.views.end(), [&](const auto& view) {
      return !IsSupposed(view) && !IsRuledOut(report, device, view);
    });
    if (may_serve) full.insert(device.id);
  }
  if (full.empty()) return std::nullopt;
  Report with = report;
  for (auto& device : with.devices) {
    if (!full.contains(device.id)) continue;
    device.memory.free_bytes = device.memory.total_bytes;
    device.memory.usable_bytes.reset();
    for (auto& view : device.views) view.device.memory_free_bytes = view.device.memory_total_bytes;
  }
  // What was measured beside others' work is not what the whole card does.
  std::erase_if(with.measurements, [&](const auto& m) { return full.contains(m.device_id); });
  const auto measured = with.measurements;
  if (deciding.record.calibrated) {
    const auto estimates = peaks::Estimated(EmbeddedPeaks(), deciding.tables, with);
    std::copy_if(estimates.begin(), estimates.end(), std::back_inserter(with.measurements),
                 [&](const auto& m) { return full.contains(m.device_id); });
  }
  with.scores = Scores(deciding.tables, deciding.record, with, deciding.measured);
  with.measurements = measured;
  for (Score& score : with.scores) {
    if (full.contains(score.device_id)) score.basis = Basis::kEstimated;
  }
  return with;
}

// What is installed outlives what others hold of a card at this minute.
std::optional<Recommendation> AnswerByAFullCard(const Deciding& deciding, Report& report, Use use) {
  auto with = WithWholeCards(deciding, report, use);
  if (!with) return std::nullopt;
  if (with->terms.narrow()) LetSmallCardsTrain(deciding.tables, *with, with->scores);
  auto answer = recommend::Recommend(deciding.tables, *with, use);
  if (!answer || !IsByAGpuThatHoldsIt(*with, *answer)) return std::nullopt;
  const auto* device = FindDevice(report.devices, answer->device_id);
  // Who asks for so much memory asks for what is free.
  if (report.terms.min_memory_bytes && device->memory.free_bytes.value_or(0) < *report.terms.min_memory_bytes)
    return std::nullopt;
  if (IsMostlyHeld(*device))
    answer->warnings.emplace_back(
        WarningKind::kHeldByOther, answer->device_id,
        fmt::format("others hold the memory of {} now, {} of {} are free: the answer is for when they have "
                    "ended",
                    DeviceName(report.devices, device->id), BytesText(*device->memory.free_bytes),
                    BytesText(*device->memory.total_bytes)));
  report.scores = std::move(with->scores);
  return answer;
}

}  // namespace

Supposed Answer(const Deciding& deciding, const std::vector<Use>& uses, Report& report) {
  const auto& [tables, record, measured, all_asked, assumed, for_an_image] = deciding;
  const auto views = CountViews(report);
  if (report.terms.target) {
    targets::JudgeWays(tables, report);
    targets::AddSupposedViews(tables, all_asked, report);
  } else if (!report.terms.can) {
    targets::JudgeExclusions(tables, report);
  }
  report.request = tables.reference;
  if (report.scores.empty() || views != CountViews(report))
    report.scores = Scores(tables, record, report, measured);
  if (report.terms.narrow()) LetSmallCardsTrain(tables, report, report.scores);
  Supposed supposed;
  const bool may_suppose = !report.terms.target && !report.terms.can;
  for (const Use use : uses) {
    auto answer = recommend::Recommend(tables, report, use);
    if (may_suppose && !(answer && IsByAGpuThatHoldsIt(report, *answer))) {
      if (auto beyond = AnswerBeyond(deciding, report, use, supposed)) answer = std::move(beyond);
    }
    if (report.terms.target && !(answer && IsByAGpuThatHoldsIt(report, *answer))) {
      if (auto later = AnswerByAFullCard(deciding, report, use)) answer = std::move(later);
    }
    if (answer) {
      WarnOfTooNew(tables, report, *answer);
      WarnOfOtherPrograms(tables, report, *answer);
      if (report.terms.target) targets::AddArtefact(tables, all_asked, report, *answer);
      if (answer->artefact && !for_an_image)
        advise::AddEnvironment(report.host, *report.terms.target, *answer->artefact);
      report.recommendations.push_back(*std::move(answer));
    } else {
      report.no_answer = recommend::WhyNone(tables, report, use);
    }
  }
  return supposed;
}

namespace {

// What `recommend --target` answers for the use.
Report AnsweredFor(const Deciding& deciding, const Report& report, const TargetTable& target, Use use) {
  Report asked = report;
  asked.command = kRecommending;
  asked.recommendations.clear();
  asked.no_answer.reset();
  asked.terms.target = target;
  static_cast<void>(Answer(deciding, {use}, asked));
  return asked;
}

// Whether without a word of the use another build is answered: that is asked about inference.
bool IsOfUse(const Deciding& deciding, const Report& report, const TargetTable& target,
             const Recommendation& own) {
  if (own.use == Use::kInference) return false;
  const auto usual = AnsweredFor(deciding, report, target, Use::kInference);
  return usual.recommendations.empty() || !usual.recommendations.front().artefact ||
         usual.recommendations.front().artefact->id != own.artefact->id;
}

}  // namespace

std::vector<Program> ProgramsFor(const Deciding& deciding, const Report& report,
                                 const Recommendation& answer) {
  std::vector<Program> programs;
  const auto* facts = Find(deciding.tables, answer.backend);
  if (!facts) return programs;
  for (const std::string& name :
       answer.use == Use::kTraining ? facts->advice.training : facts->advice.inference) {
    const auto target = EmbeddedTarget(name);
    if (!target) continue;  // a test holds that each is there
    Program& program = programs.emplace_back(Program{.target = target->name, .title = target->title});
    if (const auto missing = WhatIsMissing(deciding.tables, *target, report.devices);
        deciding.assumed && !missing.empty() && missing.front().is_needed) {
      program.reason = fmt::format("its builds are told apart by {}, which is not said", missing.front().key);
      continue;
    }
    auto asked = AnsweredFor(deciding, report, *target, answer.use);
    if (asked.recommendations.empty()) {
      program.reason = asked.no_answer ? asked.no_answer->reason : "";
    } else if (auto& own = asked.recommendations.front(); own.artefact) {
      program.backend = own.backend;
      program.device_id = own.device_id;
      program.artefact = own.artefact->id;
      program.command = own.command;
      program.left_out = std::move(own.left_out);
      program.is_of_use = IsOfUse(deciding, report, *target, own);
      std::erase_if(own.warnings, [&](const Warning& warning) {
        return std::find(answer.warnings.begin(), answer.warnings.end(), warning) != answer.warnings.end();
      });
      program.warnings.emplace(own.warnings.begin(), own.warnings.end());
      for (const Warning& warning : own.warnings) {
        if (warning.kind == WarningKind::kHeldByOther) program.limits.push_back(warning.text);
      }
      if (!own.artefact->missing.empty()) program.missing = own.artefact->missing;
    }
  }
  return programs;
}

}  // namespace report
