// SPDX-License-Identifier: MIT
// Two reports side by side (docs/contract.md section 2): one row a figure, with what became of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/core/measurement_fields.h"
#include "probe/core/fields.h"
#include "report/core/report.h"

namespace report {

// same: within the spreads or the floor. noisy: one of the two is too unsure to say. missing: not in both.
// failed: verified in the first, and tried in vain in the second.
enum class Verdict { kSame, kFaster, kSlower, kNoisy, kMissing, kFailed };

// What is read back of a report's JSON.
struct MeasuredReport {
  std::uint32_t schema_version = 0;
  std::string tool_version;
  std::string command;
  std::string created;
  std::vector<backends::Measurement> measurements;
  std::vector<probe::ProbeReport> probes{};  // without their devices
  bool interrupted = false;
  std::map<std::string, std::string> names{};  // of devices, by id
};

struct ComparedSide {
  std::string file;
  std::string tool_version;
  std::string created;
};

struct ComparedRow {
  std::string key;  // "cpu:0 cpu native gemm fp32/fp32 own"
  std::string device_id;
  std::string runtime;
  std::string figure;  // "fp32 matrix product, prompt"
  std::string unit;
  std::optional<double> base;  // in `unit`
  std::optional<double> other;
  std::optional<double> ratio;  // of speeds, other to base: above 1 is faster, of times too
  Verdict verdict = Verdict::kSame;
  std::optional<std::string> reason;  // of noisy, missing and failed
};

struct Comparison {
  std::uint32_t schema_version = kSchemaVersion;
  std::string tool_version;
  std::string command;
  std::string created;
  bool interrupted = false;
  bool conclusive = true;  // some figure could be held against its other; false: nothing can be said
  ComparedSide base;
  ComparedSide other;
  std::vector<std::string> notes{};  // what makes the two hard to compare
  std::vector<ComparedRow> rows;
};

WHICHGPU_FIELDS(MeasuredReport, schema_version, tool_version, command, created, measurements)
WHICHGPU_FIELDS(ComparedSide, file, tool_version, created)
WHICHGPU_FIELDS(ComparedRow, key, device_id, runtime, figure, unit, base, other, ratio, verdict, reason)
WHICHGPU_FIELDS(Comparison, schema_version, tool_version, command, created, interrupted, conclusive, base,
                other, notes, rows)

}  // namespace report

namespace probe {

WHICHGPU_NAMES(report::Verdict, {kSame, "same"}, {kFaster, "faster"}, {kSlower, "slower"}, {kNoisy, "noisy"},
               {kMissing, "missing"}, {kFailed, "failed"})

}  // namespace probe
