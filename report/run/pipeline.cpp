// SPDX-License-Identifier: MIT
#include "report/run/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "probe/system/cache_dir.h"
#include "probe/system/clock.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/unify/unify.h"
#include "report/assume/assume.h"
#include "report/assume/known_card.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/decide/decide.h"
#include "report/run/detect.h"
#include "report/run/live.h"
#include "report/store/cache.h"
#include "report/store/plausible.h"
#include "report/store/record.h"
#include "report/store/turns.h"

namespace report {
namespace {

namespace system = probe::system;

// The facts that decide: this build's, and the work that the request predicts.
probe::Result<Tables> TablesFor(const RunRequest& request) {
  auto tables = EmbeddedTables();
  if (tables && request.workload) tables->reference = *request.workload;
  return tables;
}

Problem Internal(const probe::Error& error) { return {kExitInternal, probe::Describe(error)}; }

std::optional<probe::Processor> HostProcessor(const std::vector<probe::PhysicalDevice>& devices) {
  for (const probe::PhysicalDevice& device : devices) {
    if (device.kind == probe::DeviceKind::kCpu && device.hardware) return device.hardware->processor;
  }
  return std::nullopt;
}

int SignalOf(const Context& context) {
  return context.interrupt.signal == nullptr ? 0 : context.interrupt.signal->load();
}

// Narrows them to the one asked for, and finds those that the answer is not to be on.
std::variant<Asked, Problem> KeepSelected(const RunRequest& request, const Tables& tables,
                                          std::vector<probe::PhysicalDevice> devices) {
  auto excluded = ExcludedDevices(tables, devices, request.terms.exclude);
  if (!excluded) return BadInput(excluded.error());
  if (!request.device) return Asked{std::move(devices), {}, *std::move(excluded)};
  const auto index = SelectDevice(devices, *request.device);
  if (!index) return BadInput(index.error());
  const auto selected = devices.begin() + static_cast<std::ptrdiff_t>(*index);
  std::rotate(devices.begin(), selected, selected + 1);
  std::vector<probe::PhysicalDevice> other_gpus;
  std::copy_if(devices.begin() + 1, devices.end(), std::back_inserter(other_gpus), IsGpu);
  devices.resize(1);
  return Asked{std::move(devices), std::move(other_gpus), *std::move(excluded)};
}

// What --only and --skip leave of a record, as they would of a live run.
void KeepModules(const RunRequest& request, Record& record) {
  std::erase_if(record.probes, [&](const auto& probe) { return !IsAsked(request, probe.module); });
  std::erase_if(record.measurements, [&](const auto& m) { return !IsAsked(request, m.runtime); });
}

std::variant<Produced, Problem> Replay(const RunRequest& request) {
  auto tables = TablesFor(request);
  if (!tables) return Internal(tables.error());
  auto record = ReadRecord(*request.replay_dir);
  if (!record) return BadInput(record.error());
  auto devices = probe::unify::Unify(record->probes);
  if (const auto odd = OddPlaces(devices, record->measurements)) {
    const auto file = (std::filesystem::path(*request.replay_dir) / kRecordFile).string();
    return BadInput(probe::Error{"", std::nullopt, "", fmt::format("{}: {}", file, *odd)});
  }
  const auto modules = record->probes.size();
  KeepModules(request, *record);
  if (record->probes.size() != modules) devices = probe::unify::Unify(record->probes);
  auto asked = KeepSelected(request, *tables, std::move(devices));
  if (auto* problem = std::get_if<Problem>(&asked)) return *problem;
  auto report = Decide(request, *tables, *record, std::get<Asked>(std::move(asked)));
  return Produced{*std::move(tables), std::move(report), std::nullopt, 0};
}

// The devices and the ways to them that the terms leave for an answer.
std::vector<probe::PhysicalDevice> LeftBy(const Tables& tables, Terms terms, const Asked& asked) {
  terms.excluded_ids = asked.excluded;
  auto left = asked.devices;
  for (auto& device : left)
    std::erase_if(device.views,
                  [&](const probe::View& view) { return !IsLeft(tables, terms, device, view); });
  return left;
}

probe::Error IsMissing(const Missing& missing, const TargetTable& target) {
  const auto near = assume::NearestCard(missing.device_name);
  auto hint = near ? fmt::format("; did you mean the card '{}' by name?", *near) : "";
  if (!near && !missing.architectures.empty())
    hint = fmt::format("; {} may have {} {}, and its {} is not for all of these",
                       probe::CleanText(missing.device_name, 64), missing.key,
                       fmt::join(missing.architectures, ", "), missing.build);
  return {"", std::nullopt, "",
          fmt::format("--assume: {}: it is missing, and {}'s builds are told apart by it{}", missing.key,
                      target.title, hint)};
}

// A machine in the caller's words: nothing is looked at and nothing measured.
std::variant<Produced, Problem> Assume(const RunRequest& request, const Context& context) {
  auto tables = TablesFor(request);
  if (!tables) return Internal(tables.error());
  const auto& asked_about = request.terms.target;
  auto machine = assume::Imagine(*tables, request.assume, asked_about ? &*asked_about : nullptr);
  if (!machine) return BadInput(machine.error());
  auto asked = KeepSelected(request, *tables, std::move(machine->devices));
  if (auto* problem = std::get_if<Problem>(&asked)) return *problem;
  if (const auto& target = request.terms.target) {
    for (const Missing& missing :
         WhatIsMissing(*tables, *target, LeftBy(*tables, request.terms, std::get<Asked>(asked)))) {
      if (missing.is_needed) return BadInput(IsMissing(missing, *target));
      // Once for GPUs alike.
      const Warning warning(fmt::format(
          "no build for {} is looked at for {}: {}'s are told apart by {}, which is not said",
          missing.runtime, probe::CleanText(missing.device_name, 64), target->title, missing.key));
      auto& said = machine->warnings;
      if (std::none_of(said.begin(), said.end(),
                       [&](const Warning& one) { return one.text == warning.text; }))
        said.push_back(warning);
    }
  }
  Record record;
  record.tool_version = context.tool_version;
  record.created = system::CalendarNow();
  record.host = std::move(machine->host);
  record.probes = std::move(machine->probes);
  record.warnings = std::move(machine->warnings);
  auto report = Decide(request, *tables, record, std::get<Asked>(std::move(asked)));
  for (Score& score : report.scores) score.basis = Basis::kAssumed;
  for (Recommendation& answer : report.recommendations) answer.basis = Basis::kAssumed;
  return Produced{*std::move(tables), std::move(report), std::nullopt, 0};
}

// After what fills them: compiling kernels. Detection alone compiles nothing that is worth a look.
void BoundDriverCaches(const Live& live) {
  if (const auto directory = system::CacheDirectory(*live.environment, *live.files))
    system::TrimDriverCaches(*directory);
}

// Measurements of earlier runs, and the key of what this one would see.
struct Kept {
  std::unique_ptr<const system::FileSystem> files;
  MeasurementCache cache;
  Turns turns;
  std::string key;
};

// Nothing where this run can neither use nor leave measurements for others.
std::optional<Kept> OpenKept(const RunRequest& request, const Context& context) {
  if (!request.calibrate || !request.IsOfThisMachine() || request.record_dir) return std::nullopt;
  auto opened = system::FileSystem::Open("/");
  if (!opened) return std::nullopt;
  auto files = std::make_unique<const system::FileSystem>(*std::move(opened));
  const auto environment = system::Environment::OfProcess();
  auto key = CacheKey(request, Selected(request), context.tool_version, *files, environment);
  if (!key) return std::nullopt;
  MeasurementCache cache(environment, *files);
  Turns turns(environment, *files, context.interrupt);
  return Kept{std::move(files), std::move(cache), std::move(turns), *std::move(key)};
}

// What an earlier run leaves this one: its answer, or a note on why that is not used and a turn to find its
// own.
struct Earlier {
  std::optional<std::variant<Produced, Problem>> answer;
  std::optional<Record> figures;  // whose measurements hold, where the machine is to be looked at again
  std::string note;
  Turn turn;
};

// How much memory is free and whether a device may be used changes without a boot.
bool RestsOnTheMoment(const RunRequest& request) {
  return request.of_the_moment || request.terms.min_memory_bytes || request.terms.can;
}

void TellOrigin(const std::string& created, Report& report) {
  for (Recommendation& answer : report.recommendations)
    answer.reasons.push_back({ReasonId::kFromCache, "from measurements of " + created});
}

// What was said of the machine then is not so now.
Warning Dated(const std::string& created, Warning warning) {
  warning.text = fmt::format("when this was measured ({}): {}", created, warning.text);
  return warning;
}

void FindAnswer(const RunRequest& request, const Kept& kept, Earlier& earlier) {
  auto found = kept.cache.Find(kept.key, request.effort);
  earlier.note = std::move(found.note);
  if (!found.record) return;
  // An answer stands without ways that are no candidates; a page or a table of all ways does not.
  const bool shows_all = request.command != kRecommending;
  if (shows_all && !found.is_whole && !request.facts_suffice) return;
  if (RestsOnTheMoment(request)) {
    earlier.figures = std::move(found.record);
    return;
  }
  auto tables = TablesFor(request);
  if (!tables) {
    earlier.answer = Internal(tables.error());
    return;
  }
  auto asked = KeepSelected(request, *tables, probe::unify::Unify(found.record->probes));
  if (auto* problem = std::get_if<Problem>(&asked)) {
    earlier.answer = *problem;
    return;
  }
  auto report = Decide(request, *tables, *found.record, std::get<Asked>(std::move(asked)), Basis::kCached);
  const auto& unmeasured = found.record->settled_without;
  if (unmeasured && !shows_all && !StandsWithout(*unmeasured, report, request.uses)) return;
  if (shows_all) {
    report.measured = found.record->created;
  } else {
    TellOrigin(found.record->created, report);
  }
  for (Warning& warning : report.warnings) warning = Dated(found.record->created, std::move(warning));
  report.created = system::CalendarNow();
  earlier.answer = Produced{*std::move(tables), std::move(report), std::nullopt, 0};
}

Earlier AskEarlier(const RunRequest& request, std::optional<Kept>& kept) {
  Earlier earlier;
  if (!kept || !request.from_earlier) return earlier;
  FindAnswer(request, *kept, earlier);
  if (earlier.answer || earlier.figures) return earlier;
  earlier.turn = kept->turns.ToAnswer();
  // The run that was waited for may have left one.
  FindAnswer(request, *kept, earlier);
  return earlier;
}

void Measure(Live& live, const Context& context, const std::vector<probe::PhysicalDevice>& all,
             const Asked& asked, Turns turns, const Tables& tables, Record& record) {
  Measuring measuring{asked.devices, HostProcessor(all), std::move(turns)};
  // What is recorded is for whoever reads it.
  if (live.request.only_candidates && !live.request.record_dir) {
    measuring.is_needless = [&](const Target& target, const std::vector<backends::Measurement>& known) {
      Record so_far = record;
      so_far.measurements = known;
      const WayKey way{target.device_id, target.device.runtime, target.device.driver};
      return IsSettledWithout(way, live.request, tables, std::move(so_far), asked);
    };
  }
  MeasureLive(live, measuring, record);
  if (SignalOf(context) != 0) return;
  // What is measured does not depend on what this caller has a use for: others are answered by it, too.
  RunRequest whole = live.request;
  whole.terms = {};
  MeasureAgain(live, measuring, tables, Decide(whole, tables, record, asked), record);
}

bool HasMeasuredAnswer(const Report& report) {
  return std::any_of(report.scores.begin(), report.scores.end(),
                     [](const Score& score) { return score.eligible && score.basis == Basis::kMeasured; });
}

// For later runs, unless they may do better. Returns a note on why it could not, or "".
std::string KeepForLater(const RunRequest& request, const std::optional<Kept>& kept, const Record& record) {
  const bool whole = !HasAny(record.warnings, WarningKind::kLeftOut);
  if (!kept || !whole || !record.calibrated || record.interrupted) return "";
  return kept->cache.Keep(kept->key, request.effort, record, request.only_candidates);
}

// Whether an earlier run's figures answer without what it left unmeasured, on the machine as it is now.
bool StandsNow(const RunRequest& request, const Tables& tables, Record now, const Asked& asked,
               const Record& earlier) {
  if (!earlier.settled_without) return true;
  now.measurements = earlier.measurements;
  now.settled_without = earlier.settled_without;
  return StandsWithout(*earlier.settled_without, Decide(request, tables, now, asked, Basis::kCached),
                       request.uses);
}

// Of a run that measures nothing: the ways of which an earlier run of this boot saw wrong results and no
// right one. No rate that facts promise makes such a way an answer.
void TakeWrongResults(const RunRequest& request, const Context& context, Record& record) {
  if (!request.from_earlier || request.facts_suffice || request.uses.empty()) return;
  RunRequest measuring = request;
  measuring.calibrate = true;
  const auto kept = OpenKept(measuring, context);
  const auto found = kept ? kept->cache.Find(kept->key, Effort::kQuick) : CacheLookup{};
  if (!found.record) return;
  const auto& all = found.record->measurements;
  for (const backends::Measurement& wrong : all) {
    const bool any_right = std::any_of(all.begin(), all.end(), [&](const backends::Measurement& other) {
      return IsVerified(other) && other.device_id == wrong.device_id && other.runtime == wrong.runtime &&
             other.driver == wrong.driver;
    });
    if (wrong.status != backends::MeasurementStatus::kWrongResult || any_right) continue;
    auto& taken = record.measurements.emplace_back(wrong);
    // Beside what this run says of itself, that nothing was measured.
    const auto how = wrong.reason ? ": " + *wrong.reason : "";
    taken.reason = fmt::format("in the run of {}{}", found.record->created, how);
  }
}

// Of an answer by an earlier run's figures: whose they are, and what was said of the machine then.
void TellFigures(Earlier& earlier, Report& report) {
  TellOrigin(earlier.figures->created, report);
  for (Warning& warning : earlier.figures->warnings)
    report.warnings.push_back(Dated(earlier.figures->created, std::move(warning)));
  if (!earlier.note.empty()) report.warnings.emplace_back(earlier.note);
}

// What is known of the run before it looks at anything.
Record Begun(const RunRequest& request, const Context& context, const Live& live, const Earlier& earlier) {
  Record record;
  record.tool_version = context.tool_version;
  record.created = system::CalendarNow();
  record.left_out = request.LeavesOut();
  record.warnings = live.warnings;
  if (!earlier.turn.warning.empty()) record.warnings.push_back(earlier.turn.warning);
  return record;
}

// Looks at this machine and measures it.
std::variant<Produced, Problem> Survey(const RunRequest& request, const Context& context,
                                       std::optional<Kept> kept, Earlier earlier) {
  auto opened = OpenLive(request, context.interrupt, context.progress);
  if (auto* problem = std::get_if<Problem>(&opened)) return *problem;
  Live& live = std::get<Live>(opened);
  Record record = Begun(request, context, live, earlier);
  if (auto problem = DetectLive(live, record)) return *problem;
  auto tables = TablesFor(request);
  if (!tables) return Internal(tables.error());
  const auto all = probe::unify::Unify(record.probes);
  auto selected = KeepSelected(request, *tables, all);
  if (auto* problem = std::get_if<Problem>(&selected)) return *problem;
  auto& asked = std::get<Asked>(selected);
  record.calibrated = request.calibrate && request.IsOfThisMachine();
  if (earlier.figures && !StandsNow(request, *tables, record, asked, *earlier.figures))
    earlier.figures.reset();
  if (earlier.figures) {
    record.measurements = std::move(earlier.figures->measurements);
    record.settled_without = std::move(earlier.figures->settled_without);
  } else if (record.calibrated && SignalOf(context) == 0) {
    // Those of the answer, where there are any: what a run may wait is counted in them.
    Turns turns = kept ? std::move(kept->turns) : Turns(*live.environment, *live.files, context.interrupt);
    Measure(live, context, all, asked, std::move(turns), *tables, record);
  }
  if (!record.calibrated) TakeWrongResults(request, context, record);
  if (record.calibrated && !earlier.figures) BoundDriverCaches(live);
  // Looked at once: what the report says and what the program returns agree.
  const int signal = SignalOf(context);
  record.interrupted = signal != 0;
  if (const auto warning = live.risks->warning(); !warning.empty())
    record.warnings.push_back(live.Shown(warning));
  context.progress("");
  const auto basis = earlier.figures ? Basis::kCached : Basis::kMeasured;
  Produced outcome{{}, Decide(request, *tables, record, std::move(asked), basis), std::nullopt, signal};
  outcome.tables = *std::move(tables);
  if (earlier.figures) {
    TellFigures(earlier, outcome.report);
    return outcome;
  }
  // What measures too little to answer by would answer no better later.
  const bool answers = HasMeasuredAnswer(outcome.report);
  if (request.budget_s && !answers && record.calibrated && !record.interrupted) {
    const auto text = fmt::format("--budget: {} s is too short to measure what an answer needs",
                                  SignificantText(*request.budget_s, 2));
    record.warnings.emplace_back(text);
    outcome.report.warnings.emplace_back(text);
  }
  auto note = answers ? KeepForLater(request, kept, record) : "";
  if (note.empty()) note = earlier.note;
  if (!note.empty()) outcome.report.warnings.push_back(std::move(note));
  if (live.pseudonyms) {
    auto status = WriteRecord(*request.record_dir, record, live.read, *live.pseudonyms);
    if (!status) outcome.problem = Internal(status.error());
  }
  return outcome;
}

}  // namespace

std::variant<Produced, Problem> Produce(const RunRequest& request, const Context& context) {
  if (request.replay_dir) return Replay(request);
  if (!request.assume.empty()) return Assume(request, context);
  auto kept = OpenKept(request, context);
  if (request.facts_suffice) {
    // What an earlier run saw does as well; nobody is waited for, and nothing is measured.
    Earlier earlier;
    if (kept && request.from_earlier) FindAnswer(request, *kept, earlier);
    if (earlier.answer) return *std::move(earlier.answer);
    RunRequest facts = request;
    facts.calibrate = false;
    return Survey(facts, context, std::nullopt, std::move(earlier));
  }
  auto earlier = AskEarlier(request, kept);
  if (earlier.answer) return *std::move(earlier.answer);
  return Survey(request, context, std::move(kept), std::move(earlier));
}

}  // namespace report
