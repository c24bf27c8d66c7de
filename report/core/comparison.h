// SPDX-License-Identifier: MIT
// Two reports side by side (docs/contract.md section 2): one row a figure, with what became of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/core/measurement_fields.h"
#include "probe/core/fields.h"
#include "report/core/report.h"
#include "report/core/report_names.h"
#include "report/core/request.h"

namespace report {

// same: within the spreads or the floor. noisy: one of the two is too unsure to say. missing: not in both.
// failed: verified in the first, and tried in vain in the second.
enum class Verdict { kSame, kFaster, kSlower, kNoisy, kMissing, kFailed };

// What a report answered for one use.
struct ComparedChoice {
  std::string backend;
  std::string device_id;
  std::string device;                  // its name, for people
  std::optional<double> tokens_per_s;  // written, or learnt from; absent where no speed was predicted
  std::optional<Range> alone;          // of that, where no more than a range is known; not in JSON
  std::optional<Range> measured;       // the same with the error of measuring alone; not in JSON
};

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
  std::vector<std::pair<Use, ComparedChoice>> answers{};
  std::optional<ReferenceRequest> request{};  // that they are for
};

// What both reports answered for one use, by the same request.
struct ComparedAnswer {
  Use use = Use::kInference;
  ComparedChoice base;
  ComparedChoice other;
  std::optional<double> ratio{};  // of speeds, other to base
  // Whether they differ by more than the error of measuring; absent without a ratio.
  std::optional<bool> differs{};
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
  std::vector<ComparedAnswer> answers{};  // a use each; none where the reports are of unlike requests
};

WHICHGPU_FIELDS(MeasuredReport, schema_version, tool_version, command, created, measurements)
WHICHGPU_FIELDS(ComparedChoice, backend, device_id, device, tokens_per_s)
WHICHGPU_FIELDS(ComparedAnswer, use, base, other, ratio, differs)
WHICHGPU_FIELDS(ComparedSide, file, tool_version, created)
WHICHGPU_FIELDS(ComparedRow, key, device_id, runtime, figure, unit, base, other, ratio, verdict, reason)
WHICHGPU_FIELDS(Comparison, schema_version, tool_version, command, created, interrupted, conclusive, base,
                other, notes, rows, answers)

}  // namespace report

namespace probe {

WHICHGPU_NAMES(report::Verdict, {kSame, "same"}, {kFaster, "faster"}, {kSlower, "slower"}, {kNoisy, "noisy"},
               {kMissing, "missing"}, {kFailed, "failed"})

}  // namespace probe
