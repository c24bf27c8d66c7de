// SPDX-License-Identifier: MIT
// What one module found: the events that a probe emits while it runs, and the report that they add up to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/outcome.h"
#include "probe/core/result.h"

namespace probe {

// Version of the serialised ProbeReport.
inline constexpr std::uint32_t kProbeReportFormat = 1;

struct Library {
  std::string soname;
  std::optional<std::string> path;
  std::optional<std::string> version;
  bool operator==(const Library&) const = default;
};

// One driver of a runtime that has several (an ICD, an OpenCL platform).
struct DriverReport {
  std::optional<std::string> manifest;
  std::optional<std::string> name;
  std::optional<std::string> version;
  std::optional<std::string> library;
  Outcome outcome = Outcome::kOk;
  std::optional<Stage> stage;
  std::optional<Error> error;
  std::optional<double> elapsed_s;
  bool operator==(const DriverReport&) const = default;
};

// A variable that hides or alters devices and is set. Value as set, cleaned for output.
struct EnvironmentVariable {
  std::string name;
  std::string value;
  bool operator==(const EnvironmentVariable&) const = default;
};

// How a child process ended.
struct ProcessExit {
  std::optional<std::int32_t> code;
  std::optional<std::int32_t> signal;
  bool operator==(const ProcessExit&) const = default;
};

struct ProbeReport {
  std::uint32_t format = kProbeReportFormat;
  std::string module;
  Outcome outcome = Outcome::kAbsent;
  Stage stage = Stage::kStart;
  std::optional<Error> error;
  std::optional<Library> library;
  std::vector<DriverReport> drivers;
  std::vector<RuntimeDevice> devices;
  std::vector<HardwareDevice> hardware;
  std::vector<EnvironmentVariable> environment;
  std::vector<std::string> warnings;
  std::optional<double> elapsed_s;
  std::optional<ProcessExit> exit;
  std::optional<std::string> stderr_tail;
  bool operator==(const ProbeReport&) const = default;
};

struct StageEntered {
  Stage stage = Stage::kStart;
};
// Ends the probe with something other than success. The last one counts.
struct Failure {
  Outcome outcome = Outcome::kFailed;
  Error error;
};
struct Warning {
  std::string text;
};
using ProbeEvent = std::variant<StageEntered, Library, DriverReport, RuntimeDevice, HardwareDevice,
                                EnvironmentVariable, Warning, Failure>;
using ProbeSink = std::function<void(const ProbeEvent&)>;

// Adds one event to a report. A driver with the manifest (or, without one, the name) of an earlier one
// replaces it. Never fails; bounds the number of entries at kMaxEntries each.
inline constexpr std::size_t kMaxEntries = 1024;
void Apply(const ProbeEvent& event, ProbeReport& report);

// Sets the outcome of a report whose probe ran to its end: the failure's where nothing was found, its stage
// kept; else ok, or no_device where there was neither, and the stage done.
void Conclude(ProbeReport& report);

// What the distribution says of itself, os-release(5).
struct OsRelease {
  std::string id;                              // "debian"; "linux" where it has no word of its own
  std::vector<std::string> id_like;            // those that it is made from, the nearest first
  std::optional<std::string> version_id;       // "12"; those that are never released have none
  std::optional<std::string> variant_id;       // "silverblue"
  std::optional<std::string> codename;         // of its own release
  std::optional<std::string> parent_codename;  // of the release that a derivative is made from
  bool operator==(const OsRelease&) const = default;
};

// What virtualises a Linux in Windows.
inline constexpr std::string_view kWsl2 = "wsl2";

// The machine as a whole.
struct HostFacts {
  std::optional<std::string> name;
  std::optional<std::string> os;
  std::optional<std::string> system;  // linux, windows, macos; absent: linux
  std::optional<std::string> libc;    // "glibc 2.36", "musl"
  std::optional<std::string> kernel;
  std::string architecture;
  std::optional<std::string> container;
  std::optional<std::string> virtualization;
  std::optional<OsRelease> os_release;
};

}  // namespace probe
