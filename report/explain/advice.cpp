// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "data/install_elsewhere.h"

#include "probe/core/parse.h"
#include "report/core/devices.h"
#include "report/core/known_error.h"
#include "report/core/wording.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

using probe::Outcome;

constexpr std::array kAdvice = {
    OutcomeAdvice{Outcome::kAbsent, "system_runtime", Severity::kNote,
                  "nothing can use this runtime until it is installed", "", "", true},
    OutcomeAdvice{Outcome::kNoDevice, "system_runtime", Severity::kNote,
                  "its drivers answer and none of them has a device here", "", "", false},
    OutcomeAdvice{
        Outcome::kDenied, "device_node", Severity::kDegraded,
        "the device is there; this user may not open its node",
        "join the groups that own the node, then log in again; in a container pass their numeric ids with "
        "--group-add",
        "", true},
    OutcomeAdvice{Outcome::kHidden, "programming_interface", Severity::kDegraded,
                  "other programs started like this one do not see the devices either", "unset the variable",
                  "", false},
    OutcomeAdvice{Outcome::kFailed, "system_runtime", Severity::kDegraded,
                  "the runtime is installed and does not work as it is",
                  "update or reinstall the driver; the evidence names the call that failed", "", true},
    OutcomeAdvice{Outcome::kCrashed, "system_runtime", Severity::kDegraded,
                  "any program that uses this driver is at risk of dying the same way",
                  "update or reinstall the driver, or remove the file that registers it where there is one",
                  "", true},
    OutcomeAdvice{Outcome::kTimedOut, "kernel_driver", Severity::kDegraded,
                  "the driver hangs: often a kernel module and a library of different versions",
                  "update the kernel driver and its libraries together, then restart", "", true},
    OutcomeAdvice{Outcome::kBadReply, "system_runtime", Severity::kDegraded, "what it said cannot be trusted",
                  "update or reinstall the driver", "", true},
};

constexpr std::array kStatusAdvice = {
    StatusAdvice{
        backends::MeasurementStatus::kWrongResult,
        "the driver says that its kernels succeed and their results are wrong: a simulated device, or a "
        "broken "
        "driver",
        "do not use {} on this device; update the driver"},
    StatusAdvice{backends::MeasurementStatus::kCrashed,
                 "a kernel, or the driver's call that gets its memory, took the whole process down",
                 "update the driver; until then keep programs from using this runtime"},
    StatusAdvice{backends::MeasurementStatus::kTimedOut,
                 "a kernel, or the driver's call that gets its memory, did not end in its time: a hang "
                 "(firmware, kernel driver), or a machine too busy to measure",
                 "measure again on an idle machine; if it lasts, update the driver, or use another runtime"},
    StatusAdvice{backends::MeasurementStatus::kFailed, "it enumerates and cannot run a kernel",
                 "update the driver; the evidence names the call that failed"},
    StatusAdvice{backends::MeasurementStatus::kImplausible, "its clock or its results cannot be believed",
                 "update the driver"},
};

// Where it ended before any kernel was launched. A library is made ready where other kernels are compiled.
constexpr std::array kWhileOpening = {
    StatusAdvice{backends::MeasurementStatus::kCrashed,
                 "the driver took the whole process down when the GPU was opened; no kernel was launched",
                 "update the driver; until then keep programs from using this runtime"},
    StatusAdvice{
        backends::MeasurementStatus::kTimedOut,
        "the GPU did not open in its time: the driver hangs (firmware, kernel driver), or the machine "
        "is too busy; no kernel was launched",
        "measure again on an idle machine; if it lasts, restart, then update the driver, or use "
        "another runtime"},
    StatusAdvice{backends::MeasurementStatus::kFailed,
                 "the driver lists the GPU and does not open it; no kernel was launched",
                 "update the driver; the evidence names the call that failed"},
};
constexpr std::array kWhileCompiling = {
    StatusAdvice{backends::MeasurementStatus::kCrashed,
                 "the driver's compiler took the whole process down; no kernel hung or crashed on the GPU",
                 "update the driver; until then keep programs from using this runtime"},
    StatusAdvice{backends::MeasurementStatus::kTimedOut,
                 "the driver did not compile a kernel in its time: its compiler hangs or is slow, or the "
                 "machine is too busy; no kernel hung on the GPU",
                 "measure again: most drivers keep what they have compiled for the next run; if it lasts, "
                 "update the driver"},
};
constexpr std::array kWhileMadeReady = {
    StatusAdvice{backends::MeasurementStatus::kCrashed,
                 "a library took the whole process down while it was made ready; none of its kernels was "
                 "launched",
                 "install it in the version that the driver is made for"},
    StatusAdvice{
        backends::MeasurementStatus::kTimedOut,
        "a library was not ready in its time: it hangs or is slow, or the machine is too busy; none of "
        "its kernels was launched",
        "measure again on an idle machine; if it lasts, install the library in the version that the "
        "driver is made for"},
};

template <class Rows>
const StatusAdvice* RowOf(const Rows& rows, backends::MeasurementStatus status) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.status == status; });
  return found == rows.end() ? nullptr : &*found;
}

const StatusAdvice* BeforeAnyLaunch(const backends::Measurement& measurement) {
  if (measurement.stage == probe::NameOf(probe::Stage::kInit))
    return RowOf(kWhileOpening, measurement.status);
  if (!EndedWhileCompiling(measurement)) return nullptr;
  const bool is_compiler = IsOwn(measurement) || measurement.implementation.empty();
  return is_compiler ? RowOf(kWhileCompiling, measurement.status)
                     : RowOf(kWhileMadeReady, measurement.status);
}

// This tool's own decision, of which the driver knows nothing (Library::Open, CheckTrusted).
constexpr OutcomeAdvice kRefused{
    Outcome::kFailed,
    "system_runtime",
    Severity::kDegraded,
    "this tool did not load the file, because somebody else could have changed it; the driver itself may be "
    "well",
    "give the file that the evidence names, and every folder above it, to root and let nobody else write "
    "them; or run this tool as an ordinary user",
    "",
    true};

constexpr std::string_view kNoMemoryMeaning =
    "measuring needs more memory than there is for it; that speaks against no driver";
constexpr std::string_view kMoreMemory =
    "give the container or the job a higher memory limit, or end what else uses the memory";
constexpr OutcomeAdvice kNotAskedForMemory{
    Outcome::kFailed,
    "system_runtime",
    Severity::kDegraded,
    "asking it needs more memory than there is for it; that speaks against no driver",
    kMoreMemory,
    "",
    false};

constexpr std::string_view kKilledMeaning =
    "no fault of a program's own raises SIGKILL: the kernel sends it for want of memory, a job's limit, "
    "somebody, or the driver on purpose; once alone it speaks against no driver";
constexpr std::string_view kAgain =
    "try it again with more memory free; if it happens again, the kernel's log says whether memory ran out, "
    "and where neither that nor a job's limit ended it, update the driver";
constexpr OutcomeAdvice kKilled{
    Outcome::kCrashed, "system_runtime", Severity::kDegraded, kKilledMeaning, kAgain, "", false};

// What a sysroot holds of a runtime; nullptr for nothing, and where the machine itself was asked.
const Installed* FindInstalled(const Host& host, std::string_view runtime,
                               const std::optional<std::string>& part) {
  if (!host.installed || !part) return nullptr;
  const auto found = std::find_if(host.installed->begin(), host.installed->end(), [&](const Installed& one) {
    return one.runtime == runtime && one.file.find(*part) != std::string::npos;
  });
  return found == host.installed->end() ? nullptr : &*found;
}

// On a system that the tables of runtimes do not speak of.
bool IsElsewhere(const Host& host) { return host.system.value_or("linux") != "linux"; }

// How a runtime is had there, or, without its name, the driver of any GPU; nullopt: it is not.
std::optional<std::string> TextElsewhere(std::string_view system, std::string_view runtime) {
  for (const auto& [os, name, text] : probe::ParseTable<3>(data::kInstallElsewhere)) {
    if (os == system && name == runtime) return std::string(text);
  }
  return std::nullopt;
}

Fix FixOf(const InstallHint& hint) {
  Fix fix{hint.text, std::nullopt, true, false};
  if (hint.packages) fix.remedy = Remedy{Action::kInstall, *hint.packages};
  return fix;
}

bool IsOf(const ErrorFacts& known, const probe::Error& error) {
  const bool is_named =
      known.name == error.name ||
      (known.also && std::find(known.also->begin(), known.also->end(), error.name) != known.also->end());
  return is_named && known.call.value_or(error.call) == error.call;
}

// Where the runtime's table knows this very error, its words replace the outcome's.
bool AdviseOn(const ErrorFacts* row, Finding& finding) {
  if (row == nullptr) return false;
  finding.layer = row->layer;
  finding.meaning = row->meaning;
  finding.fix.clear();
  for (const auto& fix : row->fix)
    finding.fix.push_back(
        {fix.text, fix.command, fix.needs_root, fix.needs_reboot, fix.remedy, fix.on_host.value_or(false)});
  return true;
}

}  // namespace

bool IsOutOfMemoryError(const std::optional<probe::Error>& error) {
  return error && error->Is(probe::OwnError::kOutOfMemory);
}

const OutcomeAdvice* AdviceFor(const probe::ProbeReport& probe) {
  static constexpr OutcomeAdvice kNotStarted{
      Outcome::kFailed,
      "system_runtime",
      Severity::kDegraded,
      "this tool could not start the process in which it asks; the runtime may be well",
      "raise the limits on processes (ulimit -u) and open files (ulimit -n), or free memory",
      "",
      false};
  static constexpr OutcomeAdvice kLeftOut{
      Outcome::kFailed,
      "system_runtime",
      Severity::kDegraded,
      "earlier tries of this tool did not come to an end that it saw; that alone speaks against no driver: a "
      "job's limit, kill -9 or a power cut look the same",
      "try it again when nothing is lost if the machine should restart",
      "whichgpu list --retry-crashed",
      false};
  if (!probe.error) return AdviceFor(probe.outcome);
  if (IsLeftOut(probe)) return &kLeftOut;
  if (probe.error->Is(probe::OwnError::kInterrupted)) return nullptr;
  if (IsOutOfMemoryError(probe.error)) return &kNotAskedForMemory;
  if (probe.error->name == kKilledError) return &kKilled;
  if (probe.outcome == Outcome::kFailed && IsRefusal(probe.error)) return &kRefused;
  return probe.error->Is(probe::OwnError::kNotStarted) ? &kNotStarted : AdviceFor(probe.outcome);
}

const OutcomeAdvice* AdviceFor(const probe::DriverReport& driver) {
  if (IsOutOfMemoryError(driver.error)) return &kNotAskedForMemory;
  if (driver.error && driver.error->name == kKilledError) return &kKilled;
  const bool is_refused = driver.outcome == Outcome::kFailed && IsRefusal(driver.error);
  return is_refused ? &kRefused : AdviceFor(driver.outcome);
}

const OutcomeAdvice* AdviceFor(Outcome outcome) {
  const auto found =
      std::find_if(kAdvice.begin(), kAdvice.end(), [&](const auto& row) { return row.outcome == outcome; });
  return found == kAdvice.end() ? nullptr : &*found;
}

bool EndedWhileCompiling(const backends::Measurement& measurement) {
  return measurement.stage == probe::NameOf(probe::Stage::kCompile);
}

const StatusAdvice* AdviceFor(const backends::Measurement& measurement) {
  static constexpr StatusAdvice kNoMemory{backends::MeasurementStatus::kFailed, kNoMemoryMeaning,
                                          kMoreMemory};
  static constexpr StatusAdvice kLost{
      backends::MeasurementStatus::kFailed,
      "the driver gave the device up while it was measured; what was right before that stands",
      "measure again; if it lasts, update the driver, and look into the kernel's log for what befell the "
      "device"};
  static constexpr StatusAdvice kEnded{backends::MeasurementStatus::kCrashed, kKilledMeaning, kAgain};
  if (IsOutOfMemory(measurement)) return &kNoMemory;
  if (WasKilled(measurement)) return &kEnded;
  if (IsLoss(measurement)) return &kLost;
  const auto* before = BeforeAnyLaunch(measurement);
  return before ? before : RowOf(kStatusAdvice, measurement.status);
}

std::string NameIn(const Report& report, const probe::PhysicalDevice& device) {
  const bool is_alone = std::none_of(report.devices.begin(), report.devices.end(), [&](const auto& other) {
    return other.id != device.id && other.name == device.name;
  });
  return is_alone || device.name.empty() ? device.name : fmt::format("{} ({})", device.name, device.id);
}

void AddEvidence(Finding& finding, std::string source, std::string value) {
  const auto is_told = [&](const Evidence& told) { return told.source == source && told.value == value; };
  if (value.empty() || std::any_of(finding.evidence.begin(), finding.evidence.end(), is_told)) return;
  finding.evidence.push_back({std::move(source), std::move(value)});
}

void Advise(const OutcomeAdvice& advice, Finding& finding) {
  finding.layer = advice.layer;
  finding.severity = advice.severity;
  finding.meaning = advice.meaning;
  if (advice.fix.empty()) return;
  Fix fix{std::string(advice.fix), std::nullopt, advice.needs_root, false};
  if (!advice.command.empty()) fix.command = advice.command;
  if (advice.outcome == Outcome::kDenied) fix.remedy = Remedy{Action::kJoinGroups, {"render", "video"}};
  finding.fix.push_back(std::move(fix));
}

bool AdviseOnError(const RuntimeFacts* facts, const std::optional<probe::Error>& error, Finding& finding) {
  if (!error) return false;
  return AdviseOn(
      FindError(facts, [&](const ErrorFacts& known) { return !known.where && IsOf(known, *error); }),
      finding);
}

bool AdviseOnError(const RuntimeFacts* facts, const Report& report, const probe::DriverReport& driver,
                   Finding& finding) {
  if (!driver.error) return false;
  return AdviseOn(FindError(facts,
                            [&](const ErrorFacts& known) {
                              return IsOf(known, *driver.error) &&
                                     (!known.where || Fits(*known.where, report, driver));
                            }),
                  finding);
}

bool AdviseOnReason(const RuntimeFacts* facts, const backends::Measurement& measurement, Finding& finding) {
  return AdviseOn(KnownReason(facts, measurement), finding);
}

bool CanBeInstalled(const RuntimeFacts& facts, const Host& host) {
  return !IsElsewhere(host) || TextElsewhere(*host.system, facts.name);
}

std::optional<std::string> DriverElsewhere(const Host& host) {
  return IsElsewhere(host) ? TextElsewhere(*host.system, "") : std::nullopt;
}

void AddInstallHints(const RuntimeFacts& facts, const Host& host, Finding& finding) {
  if (IsElsewhere(host)) {
    if (auto text = TextElsewhere(*host.system, facts.name))
      finding.fix.push_back({*std::move(text), std::nullopt, true, false});
    return;
  }
  for (const auto& hint : facts.install) {
    if (!hint.drivers) finding.fix.push_back(FixOf(hint));
  }
}

bool AddHintsFor(const probe::PhysicalDevice& device, const RuntimeFacts& facts, const Host& host,
                 Finding& finding) {
  const auto driver = device.hardware ? device.hardware->kernel_driver : std::nullopt;
  bool found = false;
  for (const auto& hint : facts.install) {
    const bool is_for = driver && hint.drivers &&
                        std::find(hint.drivers->begin(), hint.drivers->end(), *driver) != hint.drivers->end();
    if (!is_for) continue;
    found = true;
    const Installed* installed = FindInstalled(host, facts.name, hint.file);
    if (installed == nullptr) {
      finding.fix.push_back(FixOf(hint));
      continue;
    }
    AddEvidence(finding, "installed", installed->file);
    finding.fix.push_back(
        {facts.title + " is installed for it: run whichgpu on that machine, not on a copy of its files",
         std::nullopt, false, false});
  }
  return found;
}

}  // namespace report::explain
