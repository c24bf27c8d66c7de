// SPDX-License-Identifier: MIT
#include "report/core/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "backends/core/measurement.h"
#include "probe/core/names.h"
#include "probe/core/parse.h"
#include "report/core/device_peak.h"
#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/known_error.h"
#include "report/core/quantity.h"

namespace report {
namespace {

using backends::MeasurementStatus;

// In the order of the enum.
constexpr std::array kRows = {
    StatusRow{MeasurementStatus::kOk, "was measured and verified", 0},
    StatusRow{MeasurementStatus::kWrongResult, "gave a wrong result", 9},
    StatusRow{MeasurementStatus::kImplausible, "ran faster than the chip can", 5},
    StatusRow{MeasurementStatus::kUnsupported, "is not supported", 3},
    StatusRow{MeasurementStatus::kOverBudget, "did not fit the time budget", 4},
    StatusRow{MeasurementStatus::kFailed, "failed", 6},
    StatusRow{MeasurementStatus::kCrashed, "crashed the driver", 8},
    StatusRow{MeasurementStatus::kTimedOut, "did not finish in time", 7},
    StatusRow{MeasurementStatus::kSkipped, "was not measured", 1},
    StatusRow{MeasurementStatus::kInterrupted, "was interrupted", 2},
};

constexpr std::string_view kEndedIt = " ended it";
constexpr std::string_view kKilled =
    "its process was killed by SIGKILL (out of memory, a job's limit, somebody's kill, or the driver itself)";

std::string Fill(std::string_view sentence, std::string_view title) {
  std::string text(sentence);
  if (const auto place = text.find("{}"); place != std::string::npos) text.replace(place, 2, title);
  return text;
}

void Add(std::string& list, const std::string& item) {
  if (!item.empty()) list.append(list.empty() ? "" : ", ").append(item);
}

bool IsTrouble(probe::Outcome outcome) {
  return outcome != probe::Outcome::kOk && outcome != probe::Outcome::kAbsent &&
         outcome != probe::Outcome::kNoDevice;
}

bool KnowsErrorOf(const Tables& tables, const probe::ProbeReport& probe) {
  return probe.error && FindError(Find(tables, probe.module), [&](const ErrorFacts& known) {
                          return !known.where && known.name == probe.error->name;
                        }) != nullptr;
}

// A row that stands for all of a device, which did not open.
bool IsOpening(const backends::Measurement& measurement) {
  return measurement.implementation.empty() && measurement.kernel != kernels::Kernel::kPeer &&
         measurement.stage == probe::NameOf(probe::Stage::kInit);
}

std::string Bracketed(std::string text, const std::string& detail) {
  return detail.empty() ? text : text.append(" (").append(detail).append(")");
}

}  // namespace

const StatusRow& Row(MeasurementStatus status) { return kRows[static_cast<std::size_t>(status)]; }

bool IsInTheCaches(const backends::Measurement& measurement) {
  return measurement.reason && measurement.reason->find(backends::kInTheCaches) != std::string::npos;
}

bool IsLoss(const backends::Measurement& measurement) {
  return measurement.status == MeasurementStatus::kFailed && measurement.implementation.empty() &&
         measurement.kernel != kernels::Kernel::kPeer && measurement.reason &&
         measurement.reason->find(kAndWithIt) != std::string::npos;
}

std::string_view PhraseOf(const backends::Measurement& measurement) {
  if (WasKilled(measurement)) return "was cut short";
  return IsInTheCaches(measurement) || measurement.needed_bytes ? "was not measured"
                                                                : Row(measurement.status).phrase;
}

std::string_view ImplementationOf(const backends::Measurement& measurement) {
  return HasImplementations(measurement.kernel) ? std::string_view(measurement.implementation) : "";
}

std::string FailureText(const backends::Measurement& measurement, std::string_view by) {
  std::string detail;
  if (measurement.reason) Add(detail, *measurement.reason);
  if (detail.empty() && measurement.max_relative_error) {
    Add(detail, "relative error " + SignificantText(*measurement.max_relative_error, 2));
  }
  if (measurement.stage) Add(detail, "at " + *measurement.stage);
  if (IsLoss(measurement)) return Bracketed("the device was lost while it was measured", detail);
  const auto who = by.empty() ? "" : fmt::format(" by {}", by);
  const auto what = IsOpening(measurement) ? "opening" : FigureName(measurement);
  return Bracketed(fmt::format("its {}{} {}", what, who, PhraseOf(measurement)), detail);
}

bool NamesError(const backends::Measurement& measurement, std::string_view error) {
  const auto has = [&](const std::string& text) {
    return measurement.reason && measurement.reason->find(text) != std::string::npos;
  };
  if (has(std::string(error).append(" ("))) return true;
  // One without a code is of this tool, and of a library's file it says nothing of the runtime.
  return IsOwn(measurement) && has(fmt::format(": {}: ", error));
}

std::vector<probe::EnvironmentVariable> VariablesIn(const probe::ProbeReport& probe,
                                                    std::string_view warning) {
  const auto continues_name = [](char c) { return c == '_' || probe::IsDigit(c) || (c >= 'A' && c <= 'Z'); };
  std::map<std::size_t, const probe::EnvironmentVariable*> found;
  for (const auto& set : probe.environment) {
    const auto place = set.name.empty() ? std::string_view::npos : warning.find(set.name);
    const auto end = place + set.name.size();
    if (place != std::string_view::npos && (end >= warning.size() || !continues_name(warning[end])))
      found.emplace(place, &set);
  }
  std::vector<probe::EnvironmentVariable> out;
  for (const auto& [place, variable] : found) out.push_back(*variable);
  return out;
}

std::string OutOfMemoryText(std::optional<std::uint64_t> limit_bytes) {
  if (!limit_bytes) return std::string("want of memory").append(kEndedIt);
  return fmt::format("the memory limit of {} MiB{}", *limit_bytes >> 20U, kEndedIt);
}

bool IsOutOfMemory(const backends::Measurement& measurement) {
  return measurement.status == MeasurementStatus::kFailed && measurement.reason &&
         (measurement.reason->ends_with(kEndedIt) ||
          measurement.reason->find(backends::kNoMemoryForBuffer) != std::string::npos);
}

bool IsKill(const probe::ProcessExit& exit) {
  constexpr int kSigkill = 9;  // on every system that has signals
  return exit.signal == kSigkill;
}

std::string KilledText() { return std::string(kKilled); }

bool WasKilled(const backends::Measurement& measurement) {
  return measurement.status == MeasurementStatus::kCrashed && measurement.reason == kKilled;
}

bool IsLeftOut(const probe::ProbeReport& probe) {
  return probe.error && probe.error->Is(probe::OwnError::kLeftOut);
}

bool IsUntold(const probe::ProbeReport& probe) {
  return probe.error && probe.error->Is(probe::OwnError::kNothingKnown);
}

std::string UnknownRatesText(const probe::PhysicalDevice& device) {
  const auto* row = StandInFor(EmbeddedPeaks(), device);
  const std::string_view kind = device.kind == probe::DeviceKind::kIntegrated ? "integrated" : "discrete";
  std::string_view names = row ? std::string_view(row->name) : std::string_view();
  const bool is_of_number = row && FindPeak(EmbeddedPeaks(), device) == row;
  const std::string_view why = is_of_number         ? "the largest with its PCI number that is known"
                               : HasNearest(device) ? "the slowest of the nearest to it that are known"
                                                    : "the slowest of its architecture that is known";
  const auto others = row ? fmt::format("{}, {}, stand", probe::Trim(probe::TakeUpTo(names, '/')), why)
                          : fmt::format("a common {} GPU stand", kind);
  return fmt::format("the rates of {} are not known: those of {} for them", probe::CleanText(device.name, 64),
                     others);
}

std::string Joined(const std::vector<Reason>& reasons) {
  std::string text;
  for (const Reason& reason : reasons) text += (text.empty() ? "" : "; ") + reason.text;
  return text;
}

std::string WorkText(const Report& report, Use use) {
  if (use == Use::kTraining) return "training";
  return report.request ? report.request->inference.model + " " + report.request->inference.format
                        : "the model";
}

std::string UntoldMemoryText(const Report& report, const std::vector<const Score*>& scores) {
  const Score& first = *scores.front();
  const bool is_hosts = first.memory.own_bytes.has_value();
  const auto* own = FindDevice(report.devices, first.device_id);
  const auto processor = std::find_if(report.devices.begin(), report.devices.end(), [](const auto& device) {
    return device.kind == probe::DeviceKind::kCpu;
  });
  const auto* device = !is_hosts ? own : processor == report.devices.end() ? nullptr : &*processor;
  std::vector<std::string> parts;
  std::vector<std::string> wholes;
  for (const Score* score : scores) {
    const auto work = WorkText(report, score->use);
    if (score->memory.own_bytes)
      parts.push_back(fmt::format("{} of {}", BytesText(score->on_host_bytes), work));
    else
      wholes.push_back(work);
  }
  auto held = parts;
  for (const auto& work : wholes) held.push_back("all of " + work);
  const auto supposed =
      parts.empty() ? fmt::format("that {} fit{}", fmt::join(wholes, " and "), wholes.size() == 1 ? "s" : "")
                    : fmt::format("to hold {}", fmt::join(held, " and "));
  const auto how = device ? HowToSayMemory(*device) : std::string_view();
  return fmt::format("nobody says how much memory {} has: it is supposed {}{}",
                     is_hosts || first.memory.kind == MemoryKind::kHosts
                         ? std::string("the processor")
                         : DeviceName(report.devices, first.device_id),
                     supposed, how.empty() ? "" : fmt::format("; say how much, such as {}", how));
}

std::string KeptBy(const Tables& tables, const Recommendation& answer) {
  std::string text;
  for (const Selection& one : answer.environment) {
    if (one.selects == Selects::kDevice)
      text += fmt::format("{} {}={}", text.empty() ? " with" : "", one.name, one.value);
  }
  const auto* facts = Find(tables, answer.backend);
  if (text.empty() && facts && facts->visibility && facts->visibility->value == NamedBy::kUuid)
    return fmt::format(" with {} and its UUID, which is not known here", facts->visibility->variable);
  return text;
}

std::string NothingFitsText(const Report& report, const Recommendation& answer) {
  if (!answer.nothing_fits) return "";
  const auto& [needed, available, host, smaller] = *answer.nothing_fits;
  const bool trains = answer.use == Use::kTraining;
  const bool look_alike = available && BytesText(needed) == BytesText(*available);
  const auto size = [&](double bytes) {
    constexpr double kGiB = 1U << 30U;
    return look_alike ? fmt::format("{:.2f} GiB", bytes / kGiB) : BytesText(bytes);
  };
  auto text = fmt::format("nothing here fits {}: {} needs {}", WorkText(report, answer.use),
                          trains ? "a step" : "it", size(needed));
  const auto way = fmt::format(
      "{} on {}", RuntimeName(report.devices, answer.device_id, answer.backend, answer.driver.value_or("")),
      DeviceName(report.devices, answer.device_id));
  const auto* device = FindDevice(report.devices, answer.device_id);
  const bool shares = device && !trains && SharesHostMemory(*device);
  const auto* score = ScoreOf(report, answer);
  const bool has_own = score && score->memory.apart_bytes > 0;
  if (available) text += fmt::format(", and {} has {}", way, size(*available));
  if (available && shares)
    text += has_own ? ", together with the processor's memory" : ", which is the processor's memory, too";
  if (available && host) text += fmt::format(" and the host {}", BytesText(*host));
  if (smaller)
    return fmt::format("{}; with 4-bit weights (QLoRA) it needs {}, which fits there", text,
                       BytesText(*smaller));
  return text;
}

std::string NotAskedText(const Tables& tables, std::string_view runtime) {
  return fmt::format("{} was not asked: {}", Title(tables, runtime),
                     LooksFor(tables, runtime)
                         ? "--only, --skip or --sysroot left it out, or the version that looked here can not"
                         : "this version can not look for it");
}

std::string OutcomeText(const Tables& tables, const probe::ProbeReport& probe) {
  const auto title = Title(tables, probe.module);
  if (probe.error && probe.error->Is(probe::OwnError::kInterrupted))
    return fmt::format("{} had not answered when this run was interrupted", title);
  if (probe.error && probe.error->Is(probe::OwnError::kNotStarted))
    return Bracketed(fmt::format("{} could not be asked: no process was started", title), probe.error->text);
  if (probe.error && probe.error->Is(probe::OwnError::kOutOfMemory))
    return Bracketed(fmt::format("{} could not be asked", title), probe.error->text);
  if (probe.error && probe.error->name == kKilledError)
    return Bracketed(fmt::format("{} was not heard to the end", title), probe.error->text);
  if (probe.outcome == probe::Outcome::kFailed && IsRefusal(probe.error))
    return Bracketed(fmt::format("{} was not loaded by this tool", title), probe.error->text);
  if (IsLeftOut(probe)) return fmt::format("{} was left out: {}", title, probe.error->text);
  if (probe.outcome == probe::Outcome::kAbsent && IsUntold(probe))
    return probe.error->text.starts_with(title) ? probe.error->text
                                                : fmt::format("{}: {}", title, probe.error->text);
  std::string detail;
  if (IsTrouble(probe.outcome)) {
    if (probe.error) Add(detail, Describe(*probe.error));
    if (probe.exit && probe.exit->signal) {
      const auto signal = fmt::format("signal {}", *probe.exit->signal);
      if (!detail.ends_with(signal)) Add(detail, signal);
    }
    Add(detail, "at " + std::string(probe::NameOf(probe.stage)));
  }
  // Why a runtime has no device is worth a word only where it knows.
  if (probe.outcome == probe::Outcome::kNoDevice && probe.error) Add(detail, probe.error->text);
  // Of one that is not here what else is: "its library is not", which its table knows.
  if (probe.outcome == probe::Outcome::kAbsent && KnowsErrorOf(tables, probe)) Add(detail, probe.error->text);
  if (probe.outcome == probe::Outcome::kHidden) {
    detail.clear();
    for (const auto& variable : HidingVariables(probe)) Add(detail, SettingText({variable}));
  }
  return Bracketed(Fill(probe::Row(probe.outcome).sentence, title), detail);
}

std::string OutcomeText(const Tables& tables, std::string_view runtime, const probe::DriverReport& driver) {
  const auto title = fmt::format("{}'s driver {}", Title(tables, runtime), DriverName(driver));
  if (driver.error && driver.error->Is(probe::OwnError::kOutOfMemory))
    return Bracketed(title + " could not be asked", driver.error->text);
  if (driver.error && driver.error->name == kKilledError)
    return Bracketed(title + " was not heard to the end", driver.error->text);
  if (driver.outcome == probe::Outcome::kFailed && IsRefusal(driver.error))
    return Bracketed(title + " was not loaded by this tool", driver.error->text);
  std::string detail;
  if (driver.error) Add(detail, Describe(*driver.error));
  if (IsTrouble(driver.outcome) && driver.stage && driver.outcome != probe::Outcome::kHidden)
    Add(detail, "at " + std::string(probe::NameOf(*driver.stage)));
  return Bracketed(Fill(probe::Row(driver.outcome).sentence, title), detail);
}

std::string DriverName(const probe::DriverReport& driver) {
  if (driver.name && !driver.name->empty()) return *driver.name;
  const auto& file = driver.manifest ? driver.manifest : driver.library;
  if (!file) return "without a name";
  return file->substr(file->find_last_of('/') + 1);
}

}  // namespace report
