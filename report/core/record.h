// SPDX-License-Identifier: MIT
// What a run saw and measured: everything that it says follows from this and from the tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/core/measurement.h"
#include "probe/core/report.h"
#include "report/core/report.h"

namespace report {

inline constexpr std::uint32_t kRecordFormat = 1;

// A way to a device.
struct WayKey {
  std::string device_id;
  std::string runtime;
  std::string driver;
  bool operator==(const WayKey&) const = default;
};

// Order and content are those of the run.
struct Record {
  std::uint32_t format = kRecordFormat;
  std::string tool_version;
  std::string created;
  bool interrupted = false;
  bool calibrated = false;            // whether measuring was asked for
  std::optional<LeftOutBy> left_out;  // absent: every runtime was asked
  Host host;
  std::vector<Warning> warnings;
  std::vector<probe::ProbeReport> probes;
  std::vector<backends::Measurement> measurements;
  // Ways that a question was settled without, by what facts tell of them; absent: none was left unmeasured.
  std::optional<std::vector<WayKey>> settled_without;
};

}  // namespace report
