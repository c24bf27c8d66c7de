// SPDX-License-Identifier: MIT
#include "report/recommend/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/core/statistics.h"
#include "report/core/architecture.h"
#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/known_error.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"

namespace report::recommend {
namespace {

// Fastest first; equal ones by name, so that no order of arrival decides.
Scores Ordered(const Report& report, Use use) {
  Scores scores;
  for (const Score& score : report.scores) {
    if (score.use == use && score.eligible && score.tokens_per_s && score.ranking_tokens_per_s &&
        !OmissionOf(report, score))
      scores.push_back(&score);
  }
  const auto key = [](const Score* s) { return std::tie(s->device_id, s->runtime, s->driver); };
  std::sort(scores.begin(), scores.end(), [&](const Score* a, const Score* b) {
    const double x = a->tokens_per_s->value;
    const double y = b->tokens_per_s->value;
    return x != y ? x > y : key(a) < key(b);
  });
  return scores;
}

// Which of several equal cards was a percent faster this time is chance: the first of the machine is meant,
// unless less of its memory is free.
const Score* FirstOfEquals(const Report& report, const Scores& tied, const Score* best) {
  constexpr double kAsMuch = 0.95;
  const auto* device = FindDevice(report.devices, best->device_id);
  const Score* first = best;
  for (const Score* score : tied) {
    const auto* other = FindDevice(report.devices, score->device_id);
    const bool same_way = score->runtime == best->runtime && score->driver == best->driver;
    if (same_way && other && device && other < FindDevice(report.devices, first->device_id) &&
        AreEqualGpus(*other, *device) && MemoryOf(report, *score) >= kAsMuch * MemoryOf(report, *best))
      first = score;
  }
  return first;
}

// Of architectures that are versions, of ways that nobody measured: of two cards of which nothing else is
// known the newer is meant. 0 of all others.
double GenerationOf(const Tables& tables, const Report& report, const Score& score) {
  const auto* facts = Find(tables, score.runtime);
  const auto* device = FindDevice(report.devices, score.device_id);
  const auto* view = device ? FindView(*device, score.runtime, score.driver) : nullptr;
  if (score.basis != Basis::kEstimated || !view || !facts || !facts->target ||
      facts->target->form != TargetForm::kVersion)
    return 0;
  const auto text = ArchitectureText(*facts->target, view->device.architecture, Reader::kPeople);
  return std::strtod(text.c_str(), nullptr);
}

// `tied` are in order: of equals in all the fastest. What is not told apart from the fastest is never above
// the answer.
const Score* Best(const Tables& tables, const Report& report, Scores tied, const Scores& unknown) {
  const auto speed = [](const Score* score) { return score->tokens_per_s->value; };
  if (!unknown.empty()) {
    std::erase_if(tied, [&](const Score* score) {
      return score != tied.front() && speed(score) < speed(unknown.front());
    });
  }
  const auto key = [&](const Score* score) {
    return std::tuple(score->is_served, MaturityOf(tables, *score), MemoryOf(report, *score),
                      GenerationOf(tables, report, *score));
  };
  const Score* best = *std::max_element(tied.begin(), tied.end(),
                                        [&](const Score* a, const Score* b) { return key(a) < key(b); });
  return FirstOfEquals(report, tied, best);
}

void AddSaid(std::vector<Reason>& list, Reason reason) {
  if (!reason.text.empty()) list.push_back(std::move(reason));
}

struct Reliability {
  bool noisy = false;
  bool brief = true;                        // those that are noisy are so for want of batches
  std::optional<std::string> limited_by{};  // what held each of those that are noisy
  double foreign_load = 0;
  bool throttled = false;
  bool host_timed = false;
};

Reliability Look(const std::vector<const backends::Measurement*>& figures) {
  Reliability found;
  for (const auto* m : figures) {
    const bool noisy = m->quality == backends::Quality::kNoisy;
    if (noisy) found.limited_by = !found.noisy || found.limited_by ? m->limited_by : std::nullopt;
    found.noisy = found.noisy || noisy;
    found.brief = found.brief && (!noisy || m->samples < backends::kMinBatches);
    found.foreign_load = std::max(found.foreign_load, m->foreign_load.value_or(0));
    // A later third that is slower by chance tells nothing of power or heat.
    found.throttled = found.throttled || (m->throttled && !noisy);
    found.host_timed = found.host_timed || m->host_timed;
  }
  return found;
}

// A quota of processor time binds what was chosen.
bool IsUnderQuota(const Report& report, const Score& chosen) {
  const auto* device = FindDevice(report.devices, chosen.device_id);
  const auto* processor =
      device && device->kind == probe::DeviceKind::kCpu && device->hardware && device->hardware->processor
          ? &*device->hardware->processor
          : nullptr;
  return processor && processor->quota_cores &&
         *processor->quota_cores < processor->usable_threads.value_or(processor->threads.value_or(0));
}

// Of a way without a measured figure.
std::string EstimatedText(const Report& report, const Score& chosen) {
  const auto any = [&](bool of_device) {
    return std::any_of(report.measurements.begin(), report.measurements.end(), [&](const auto& m) {
      return IsVerified(m) && (!of_device || m.device_id == chosen.device_id);
    });
  };
  const auto* device = FindDevice(report.devices, chosen.device_id);
  const auto* view = device ? FindView(*device, chosen.runtime, chosen.driver) : nullptr;
  const auto failure = view ? SparedFailure(report, chosen.device_id, *view) : "";
  if (failure.empty() && !any(false)) return "nothing was measured: the rates are estimated from facts";
  return fmt::format(
      "{} {}: its rates are estimated from facts{}", chosen.runtime,
      failure.empty() ? "was not measured" : fmt::format("could not be measured here ({})", failure),
      any(true) ? " and from what other runtimes measured of the device" : "");
}

void Judge(const Report& report, const Score& chosen, Recommendation& answer) {
  auto look = Look(FiguresBehind(report, chosen, Side::kOwn));
  auto whose = answer.backend;
  if (const auto rest = Look(FiguresBehind(report, chosen, Side::kRest)); rest.noisy && !look.noisy) {
    look.noisy = true;
    look.brief = rest.brief;
    look.limited_by = rest.limited_by;
    whose = "the processor";
  }
  if (look.foreign_load > 0) {
    answer.warnings.push_back(fmt::format(
        "other programs took {} of the processors while {} was measured: its figures are too low, "
        "run it again with --measure when the machine is idle",
        PercentText(look.foreign_load), answer.backend));
  } else if (look.noisy && look.brief) {
    answer.warnings.push_back(
        fmt::format("there was little time for {}'s figures: --thorough measures longer", whose));
  } else if (look.noisy && look.limited_by) {
    answer.warnings.push_back(
        fmt::format("{}'s figures are noisy: its clocks go up and down at {}", whose, *look.limited_by));
  } else if (look.noisy) {
    answer.warnings.push_back(
        fmt::format("{}'s figures are noisy: {}something else may be using the machine", whose,
                    IsUnderQuota(report, chosen) ? "the processor quota stops it again and again, or " : ""));
  }
  if (look.throttled)
    answer.warnings.push_back(answer.backend +
                              " slowed down while it was measured: by power, heat or others on the machine");
  if (report.interrupted)
    answer.warnings.emplace_back("the run was interrupted once everything was measured");
  const bool estimated = chosen.basis == Basis::kEstimated;
  const bool fits = chosen.fits.value_or(true);
  // The report's first lines say it.
  if (answer.nothing_fits && report.command != kWholeReport)
    answer.warnings.emplace_back(WarningKind::kNothingFits, answer.device_id,
                                 NothingFitsText(report, answer));
  if (!fits && !answer.nothing_fits && report.command != kWholeReport)
    answer.warnings.emplace_back(WarningKind::kHeldByOther, answer.device_id, NotHeldText(report, chosen));
  const bool undecided = !answer.undecided.empty();
  if (undecided && !estimated) {
    answer.warnings.push_back(fmt::format(
        "whether {} is faster is not decided: the error of measuring is wider than the distance; measure "
        "again with --thorough on an idle machine",
        answer.undecided.size() == 1 ? answer.undecided.front() : "another way"));
  }
  answer.confidence = look.noisy || report.interrupted || estimated || undecided ? Confidence::kLow
                      : !answer.tie.empty() || look.throttled || !fits           ? Confidence::kMedium
                                                                                 : Confidence::kHigh;
}

void WarnOfEstimates(const Report& report, const Score& chosen, Recommendation& answer) {
  const auto measured = MeasurementsOf(report.measurements, chosen.device_id, chosen.runtime, chosen.driver);
  // Of a way that nobody can look for the answer has a warning of its own.
  const auto* device = FindDevice(report.devices, chosen.device_id);
  const auto* view = device ? FindView(*device, chosen.runtime, chosen.driver) : nullptr;
  if (chosen.basis == Basis::kEstimated && !(view && view->matched_by == kUnseen) &&
      std::none_of(measured.begin(), measured.end(), [](const auto* m) { return IsVerified(*m); }))
    answer.warnings.emplace_back(
        view && IsSupposed(*view) ? WarningKind::kUnseenHere : WarningKind::kEstimated, answer.device_id,
        EstimatedText(report, chosen));
}

// What was chosen does not fit what its driver claims.
void WarnOfDoubts(const Report& report, Recommendation& answer) {
  for (const Doubt& doubt : report.doubts) {
    if (doubt.device_id != answer.device_id) continue;
    answer.warnings.push_back(doubt.text);
    if (doubt.slow) answer.confidence = Confidence::kLow;
    if (answer.confidence == Confidence::kHigh) answer.confidence = Confidence::kMedium;
  }
}

// What software makes of another device is known no better than the printed ranges say.
void LowerForOtherDevices(const Scores& ordered, const Score& chosen, Recommendation& answer) {
  const bool may_be_faster = std::any_of(ordered.begin(), ordered.end(), [&](const Score* score) {
    return score->device_id != chosen.device_id && score->tokens_per_s->value > chosen.tokens_per_s->low;
  });
  if (may_be_faster && answer.confidence == Confidence::kHigh) answer.confidence = Confidence::kMedium;
}

// What was left out might have been chosen.
void WarnOfLeftOut(const Report& report, Recommendation& answer) {
  if (!HasAny(report.warnings, WarningKind::kLeftOut)) return;
  answer.warnings.emplace_back(
      "this may not be the best way here: what was interrupted in earlier runs was left out, and "
      "--retry-crashed tries it again");
  if (answer.confidence == Confidence::kHigh) answer.confidence = Confidence::kMedium;
}

// What a variable makes of the chosen runtime; the report's findings say it there.
void WarnOfVariables(const Report& report, Recommendation& answer) {
  if (report.command == kWholeReport) return;
  for (const auto& probe : report.probes) {
    if (probe.module != answer.backend) continue;
    std::copy_if(probe.warnings.begin(), probe.warnings.end(), std::back_inserter(answer.warnings),
                 [&](const std::string& warning) { return !VariablesIn(probe, warning).empty(); });
  }
}

// Of a processor that is the answer for a program, where a variable hides GPUs that nothing shows: of those
// that something shows the program's own sentences tell.
void WarnOfHidden(const Report& report, Recommendation& answer) {
  const auto* own = FindDevice(report.devices, answer.device_id);
  const bool is_processor = !own || own->kind == probe::DeviceKind::kCpu;
  if (!report.terms.target || report.hidden_gpus.empty() || !is_processor ||
      std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
        return IsGpu(device) && !HidingVariables(report, device).empty();
      }))
    return;
  answer.warnings.push_back("GPUs that are here are not used: " + report.hidden_gpus);
}

// Whether the caller has a use for the processor, of which nothing is known but that it is there.
bool IsLeft(const Report& report, const Recommendation& processor) {
  Score way;
  way.use = processor.use;
  way.device_id = processor.device_id;
  way.runtime = processor.backend;
  way.driver = processor.driver.value_or("");
  way.basis = processor.basis;
  return !OmissionOf(report, way) && (!report.terms.can || processor.driver);
}

// Nothing has a score: every machine has a processor, and nothing is known to be better. nullopt where the
// caller has no use for it.
std::optional<Recommendation> Fallback(const Tables& tables, const Report& report, Use use) {
  Recommendation answer;
  answer.use = use;
  answer.backend = kProcessorRuntime;
  answer.device_id = kProcessorId;
  for (const auto& device : report.devices) {
    if (device.kind != probe::DeviceKind::kCpu) continue;
    answer.device_id = device.id;
    for (const auto& view : device.views) {
      if (IsSoftware(device, view)) continue;
      answer.backend = view.device.runtime;
      answer.driver = view.device.driver;
    }
  }
  answer.basis = Basis::kEstimated;
  answer.confidence = Confidence::kLow;
  if (!IsLeft(report, answer)) return std::nullopt;
  answer.rejected = RejectedOptions(tables, report, use, nullptr, {});
  const auto asked = AskedReason(tables, report, answer);
  const auto omitted = OmittedReason(report, use);
  AddSaid(answer.reasons, asked);
  AddSaid(answer.reasons, NoGpuReason(report, use, answer.rejected));
  AddSaid(answer.reasons, NotMeasurableReason(report));
  AddSaid(answer.reasons, omitted);
  if (asked.text.empty() && omitted.text.empty()) AddSaid(answer.reasons, UnmeasuredReason(report, answer));
  WarnOfLeftOut(report, answer);
  WarnOfVariables(report, answer);
  WarnOfHidden(report, answer);
  WarnOfUntold(tables, report, answer);
  for (auto& text : UsableOthers(report)) answer.warnings.emplace_back(std::move(text));
  std::erase_if(answer.rejected, [&](const Rejected& option) {
    return option.runtime == answer.backend && option.device_id == answer.device_id;
  });
  return answer;
}

}  // namespace

bool IsCutShort(const Report& report) {
  return report.interrupted &&
         (report.measurements.empty() ||
          std::any_of(report.measurements.begin(), report.measurements.end(),
                      [](const auto& m) { return m.status == backends::MeasurementStatus::kInterrupted; }));
}

Difference Compare(const Range& a, const Range& b) {
  const auto is_close = [](const Range& range) {
    return range.value - range.low <= kTieHalfWidth * range.value &&
           range.high - range.value <= kTieHalfWidth * range.value;
  };
  const bool near = std::abs(a.value - b.value) <= kTieShare * std::max(a.value, b.value);
  if (near) return is_close(a) && is_close(b) ? Difference::kNone : Difference::kUnknown;
  return a.low <= b.high && b.low <= a.high ? Difference::kUnknown : Difference::kSome;
}

namespace {

// What facts say of two ways is known no closer than to a factor: ways of which they say the same are equal.
Difference CompareScores(const Score& a, const Score& b) {
  const bool estimated = a.basis == Basis::kEstimated && b.basis == Basis::kEstimated;
  const double x = a.ranking_tokens_per_s->value;
  const double y = b.ranking_tokens_per_s->value;
  if (estimated && std::abs(x - y) <= kTieShare * std::max(x, y)) return Difference::kNone;
  return Compare(*a.ranking_tokens_per_s, *b.ranking_tokens_per_s);
}

}  // namespace

bool IsUndecided(const Score& fastest, const Score& chosen, const Score& other) {
  return CompareScores(fastest, other) == Difference::kUnknown ||
         CompareScores(chosen, other) == Difference::kUnknown;
}

std::optional<std::pair<const Score*, const Score*>> OpenPair(const Report& report,
                                                              const Recommendation& answer) {
  if (answer.undecided.empty()) return std::nullopt;
  const Scores ordered = Ordered(report, answer.use);
  const auto named = [&](const std::string& way) {
    return std::find_if(ordered.begin(), ordered.end(), [&](const Score* score) {
      return WayName(report.devices, score->device_id, score->runtime, score->driver) == way;
    });
  };
  const auto driver = answer.driver.value_or("");
  const auto chosen = named(WayName(report.devices, answer.device_id, answer.backend, driver));
  const auto open = named(answer.undecided.front());
  if (chosen == ordered.end() || open == ordered.end()) return std::nullopt;
  const auto differ = [&](const Score* score) {
    return Compare(*score->ranking_tokens_per_s, *(*open)->ranking_tokens_per_s);
  };
  const Score* against = differ(ordered.front()) == Difference::kUnknown ? ordered.front() : *chosen;
  if (against->basis != Basis::kMeasured || (*open)->basis != Basis::kMeasured) return std::nullopt;
  const bool ahead = against->tokens_per_s->value >= (*open)->tokens_per_s->value;
  return ahead ? std::pair(against, *open) : std::pair(*open, against);
}

namespace {

// A program that runs on the processor runs there by its build for a GPU, too. That the step which is
// predicted does not fit a card says nothing of smaller models, and is no reason to install what can not use
// the card.
Scores ForProgram(const Report& report, Scores ordered) {
  const auto is_processor = [&](const Score* score) {
    const auto* device = FindDevice(report.devices, score->device_id);
    return device && device->kind == probe::DeviceKind::kCpu;
  };
  const bool has_small_card = std::any_of(ordered.begin(), ordered.end(), [&](const Score* score) {
    return score->use == Use::kTraining && !score->fits.value_or(true) && !is_processor(score);
  });
  if (report.terms.target && has_small_card) std::erase_if(ordered, is_processor);
  return ordered;
}

// Where the ways stand to each other: the fastest first, those equal to it, and those that nobody can tell
// from it.
struct Standing {
  Scores ordered;
  Scores tied;
  Scores unknown;
};

Standing StandingOf(Scores ordered) {
  Standing standing{std::move(ordered), {}, {}};
  for (const Score* score : standing.ordered) {
    const auto difference = CompareScores(*standing.ordered.front(), *score);
    if (score == standing.ordered.front() || difference == Difference::kNone) {
      standing.tied.push_back(score);
    } else if (difference == Difference::kUnknown) {
      standing.unknown.push_back(score);
    }
  }
  return standing;
}

// Whether the memory of anything here holds the work, be it an answer for this caller or not.
bool IsHeld(const Report& report, Use use) {
  return std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.use == use && score.eligible && score.tokens_per_s && score.fits.value_or(true);
  });
}

Recommendation Of(const Report& report, const Standing& standing, const Score& chosen) {
  Recommendation answer;
  answer.use = chosen.use;
  answer.backend = chosen.runtime;
  answer.device_id = chosen.device_id;
  answer.driver = chosen.driver;
  answer.tokens_per_s = chosen.tokens_per_s;
  answer.request_s = chosen.request_s;
  answer.first_token_s = chosen.first_token_s;
  answer.writing_tokens_per_s = chosen.writing_tokens_per_s;
  if (!chosen.fits.value_or(true) && !IsHeld(report, chosen.use)) answer.nothing_fits = NothingFitsOf(chosen);
  answer.basis = chosen.basis;
  const auto name = [&](const Score* score) {
    return WayName(report.devices, score->device_id, score->runtime, score->driver);
  };
  const Scores& tied = standing.tied;
  for (const Score* score : tied) {
    if (score != &chosen) answer.tie.push_back(name(score));
  }
  for (const Score* score : standing.ordered) {
    const bool alike = std::find(tied.begin(), tied.end(), score) != tied.end();
    if (!alike && IsUndecided(*standing.ordered.front(), chosen, *score))
      answer.undecided.push_back(name(score));
  }
  return answer;
}

void AddReasons(const Tables& tables, const Report& report, const Standing& standing, const Score& chosen,
                Recommendation& answer) {
  const auto* device = FindDevice(report.devices, chosen.device_id);
  const bool processor = device && device->kind == probe::DeviceKind::kCpu;
  if (processor) {
    AddSaid(answer.reasons, NoGpuReason(report, chosen.use, answer.rejected));
    AddSaid(answer.reasons, NotMeasurableReason(report));
  }
  if (standing.tied.size() > 1) answer.reasons.push_back(TieReason(tables, report, chosen, standing.tied));
  AddSaid(answer.reasons, LeadReason(report, standing.ordered, standing.tied, chosen));
  AddSaid(answer.reasons, FasterReason(report, chosen));
  if (processor) AddSaid(answer.reasons, SoftwareReason(report, *device, chosen));
  if (answer.reasons.empty()) answer.reasons.push_back(OnlyOptionReason(report, chosen));
  AddSaid(answer.reasons, OneOfSeveralReason(report, chosen));
  for (const Reason& reason : chosen.reasons) {
    if (answer.nothing_fits && reason.id == ReasonId::kMemory) continue;  // the first line says it
    answer.reasons.push_back(reason);
  }
}

// Of an answer that rests on what nobody knows or measured of the device: warns, and lowers its confidence.
void WarnOfUnknownRates(const Report& report, const Score& chosen, Recommendation& answer) {
  const auto* device = FindDevice(report.devices, chosen.device_id);
  if (chosen.rates_unknown && device) answer.warnings.emplace_back(UnknownRatesText(*device));
  // What bounds the phase says that it is assumed.
  if (chosen.assumes_upload && answer.confidence == Confidence::kHigh)
    answer.confidence = Confidence::kMedium;
}

}  // namespace

std::optional<Recommendation> Recommend(const Tables& tables, const Report& report, Use use) {
  if (IsCutShort(report)) return std::nullopt;
  const Standing standing = StandingOf(ForProgram(report, Ordered(report, use)));
  if (standing.ordered.empty()) {
    auto answer = Fallback(tables, report, use);
    if (!answer) return std::nullopt;
    answer->environment = EnvironmentOf(tables, report, *answer);
    AddArchitectures(tables, report, *answer);
    return answer;
  }
  const Score& chosen = *Best(tables, report, standing.tied, standing.unknown);
  auto answer = Of(report, standing, chosen);
  answer.environment = EnvironmentOf(tables, report, answer);
  AddArchitectures(tables, report, answer);
  answer.rejected = RejectedOptions(tables, report, use, &chosen, standing.tied);
  AddReasons(tables, report, standing, chosen, answer);
  Judge(report, chosen, answer);
  LowerForOtherDevices(standing.ordered, chosen, answer);
  WarnOfMemory(report, chosen, answer);
  WarnOfEstimates(report, chosen, answer);
  WarnOfUnknownRates(report, chosen, answer);
  WarnOfDoubts(report, answer);
  WarnOfFailedBeside(tables, report, answer);
  WarnOfLeftOut(report, answer);
  WarnOfVariables(report, answer);
  WarnOfHidden(report, answer);
  WarnOfUntold(tables, report, answer);
  for (auto& text : UsableOthers(report)) answer.warnings.emplace_back(std::move(text));
  return answer;
}

}  // namespace report::recommend
