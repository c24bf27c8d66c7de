// SPDX-License-Identifier: MIT
#include "report/run/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "probe/core/fields.h"
#include "probe/core/hidden.h"
#include "probe/core/text.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"

namespace report {
namespace {

using probe::Outcome;
using probe::ProbeReport;
using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;

std::string SignalText(const probe::ProcessExit& exit) {
  return exit.signal ? fmt::format("killed by signal {}", *exit.signal) : "ended by a signal";
}

// How a child's end reads as an outcome; kDone has none of its own.
struct DetectionEnd {
  ChildEnd end;
  Outcome outcome;
  std::string_view name;
};
constexpr std::array kDetectionEnds = {
    DetectionEnd{ChildEnd::kExited, Outcome::kBadReply, "exited early"},
    DetectionEnd{ChildEnd::kSignalled, Outcome::kCrashed, "crashed"},
    DetectionEnd{ChildEnd::kTimedOut, Outcome::kTimedOut, "timed out"},
    DetectionEnd{ChildEnd::kAbandoned, Outcome::kTimedOut, "stuck in the kernel"},
    DetectionEnd{ChildEnd::kMultiplied, Outcome::kTimedOut, "starts processes without end"},
    DetectionEnd{ChildEnd::kFlooded, Outcome::kBadReply, "flooded"},
    DetectionEnd{ChildEnd::kNotStarted, Outcome::kFailed, NameOf(probe::OwnError::kNotStarted)},
    DetectionEnd{ChildEnd::kInterrupted, Outcome::kFailed, NameOf(probe::OwnError::kInterrupted)},
    DetectionEnd{ChildEnd::kOutOfMemory, Outcome::kFailed, NameOf(probe::OwnError::kOutOfMemory)},
};

std::string DescribeDetectionEnd(const ChildResult& result) {
  switch (result.end) {
    case ChildEnd::kExited:
      return fmt::format("its process exited with code {} before it had answered",
                         result.exit.code.value_or(-1));
    case ChildEnd::kSignalled:
      return IsKill(result.exit) ? KilledText() : fmt::format("its process was {}", SignalText(result.exit));
    case ChildEnd::kTimedOut:
      return fmt::format("no answer within {} s; its process was killed",
                         SignificantText(result.elapsed_s, 2));
    case ChildEnd::kAbandoned:
      return "its process can not be killed: it hangs inside the kernel, or runs as another user";
    case ChildEnd::kMultiplied:
      return "its process was killed, and what that left behind starts others as fast as they are killed";
    case ChildEnd::kFlooded:
    case ChildEnd::kNotStarted:
    case ChildEnd::kOutOfMemory:
      return result.detail;
    case ChildEnd::kInterrupted:
      return "interrupted before it had answered";
    case ChildEnd::kDone:
      break;
  }
  return "";
}

// A driver shares its child's process and can write records too: in no other module's name.
bool IsOwn(const std::string& module, const probe::ProbeEvent& event) {
  if (const auto* device = std::get_if<probe::RuntimeDevice>(&event)) return device->runtime == module;
  if (const auto* device = std::get_if<probe::HardwareDevice>(&event)) return device->source == module;
  return true;
}

}  // namespace

ProbeReport Assemble(const std::string& module, const ChildResult& result, std::vector<FileRead>& files) {
  ProbeReport report;
  report.module = module;
  std::optional<probe::Error> malformed;
  for (const probe::Json& record : result.records) {
    if (auto file = DecodeFileRead(record)) {
      files.push_back(*std::move(file));
    } else if (record.contains("event")) {
      const auto event = probe::DecodeEvent(record);
      if (event && !IsOwn(module, *event)) {
        malformed = probe::Error{"decode", std::nullopt, "event", "a device in the name of another module"};
      } else if (event) {
        probe::Apply(*event, report);
      } else if (!malformed) {
        malformed = event.error();
      }
    } else if (const auto error = DecodeError(record)) {
      probe::Apply(probe::Failure{Outcome::kFailed, *error}, report);
    }
  }
  report.elapsed_s = result.elapsed_s;
  if (!result.stderr_tail.empty()) report.stderr_tail = result.stderr_tail;
  if (result.end == ChildEnd::kDone) {
    probe::Conclude(report);
  } else {
    const auto row = std::find_if(kDetectionEnds.begin(), kDetectionEnds.end(),
                                  [&](const DetectionEnd& known) { return known.end == result.end; });
    const bool died = result.end == ChildEnd::kExited && result.exit.code.value_or(0) != 0;
    report.outcome = died ? Outcome::kCrashed : row->outcome;
    const bool is_kill = result.end == ChildEnd::kSignalled && IsKill(result.exit);
    report.error = probe::Error{"", std::nullopt, std::string(is_kill ? kKilledError : row->name),
                                DescribeDetectionEnd(result)};
    report.exit = result.exit;
    if (report.stage == probe::Stage::kDone) report.stage = probe::Stage::kStart;  // a driver wrote that
  }
  if (malformed) {
    report.outcome = Outcome::kBadReply;
    report.error = malformed;
  }
  return report;
}

ProbeReport MergeDrivers(const std::string& module,
                         const std::vector<std::pair<std::string, ProbeReport>>& drivers) {
  ProbeReport merged;
  merged.module = module;
  const auto rank = [&](const ProbeReport& report) {
    return report.outcome == Outcome::kOk ? 2 : HasFound(report) ? 1 : 0;
  };
  int best = -1;
  for (const auto& [manifest, report] : drivers) {
    probe::DriverReport driver;
    for (const probe::DriverReport& known : report.drivers) {
      if (known.manifest == manifest || (!known.manifest && report.drivers.size() == 1)) driver = known;
    }
    driver.manifest = probe::CleanText(manifest);
    driver.elapsed_s = report.elapsed_s;
    if (report.outcome != Outcome::kOk || driver.outcome == Outcome::kOk) driver.outcome = report.outcome;
    if (report.outcome != Outcome::kOk) {
      driver.stage = report.stage;
      driver.error = report.error;
    }
    merged.drivers.push_back(driver);
    for (probe::RuntimeDevice device : report.devices) {
      device.manifest = manifest;
      merged.devices.push_back(std::move(device));
    }
    if (!merged.library) merged.library = report.library;
    if (merged.environment.empty()) merged.environment = report.environment;
    merged.hardware.insert(merged.hardware.end(), report.hardware.begin(), report.hardware.end());
    merged.warnings.insert(merged.warnings.end(), report.warnings.begin(), report.warnings.end());
    if (report.stderr_tail) merged.stderr_tail = report.stderr_tail;
    merged.elapsed_s = std::max(merged.elapsed_s.value_or(0), report.elapsed_s.value_or(0));
    if (rank(report) > best) {
      best = rank(report);
      merged.outcome = report.outcome;
      merged.stage = report.stage;
      merged.error = report.error;
      merged.exit = report.exit;
    }
  }
  return merged;
}

}  // namespace report
