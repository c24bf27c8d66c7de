// SPDX-License-Identifier: MIT
// The names of the report's enums, and of those below it.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "backends/core/measurement.h"
#include "probe/core/names.h"
#include "report/core/report.h"

namespace probe {

WHICHGPU_NAMES(report::Use, {kInference, "inference"}, {kPrefill, "prefill"}, {kDecode, "decode"},
               {kTraining, "training"})
WHICHGPU_NAMES(report::Selects, {kDevice, "device"}, {kDriver, "driver"})
WHICHGPU_NAMES(report::LeftOutBy, {kSysroot, "sysroot"}, {kOnly, "only"}, {kSkip, "skip"})
WHICHGPU_NAMES(report::Policy, {kMinimum, "minimum"}, {kTested, "tested"})
WHICHGPU_NAMES(report::Basis, {kMeasured, "measured"}, {kCached, "cached"}, {kEstimated, "estimated"},
               {kAssumed, "assumed"})
WHICHGPU_NAMES(report::Confidence, {kHigh, "high"}, {kMedium, "medium"}, {kLow, "low"})
WHICHGPU_NAMES(report::Severity, {kBlocking, "blocking"}, {kDegraded, "degraded"}, {kNote, "note"})

}  // namespace probe
