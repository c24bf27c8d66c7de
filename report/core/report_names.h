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
WHICHGPU_NAMES(report::ReasonId, {kOther, "other"}, {kEqual, "equal"}, {kFaster, "faster"}, {kAhead, "ahead"},
               {kSameProcessor, "same_processor"}, {kNoGpu, "no_gpu"}, {kGpusLeftOut, "gpus_left_out"},
               {kGpusHidden, "gpus_hidden"}, {kGpusNotAsked, "gpus_not_asked"},
               {kGpusUnusable, "gpus_unusable"}, {kGpusUnmeasured, "gpus_unmeasured"},
               {kNotMounted, "not_mounted"}, {kNotMeasurable, "not_measurable"}, {kOnlyOption, "only_option"},
               {kUnmeasured, "unmeasured"}, {kOnlyAsked, "only_asked"}, {kFasterLeftOut, "faster_left_out"},
               {kWorksLeftOut, "works_left_out"}, {kOfTheWay, "of_the_way"}, {kMemory, "memory"},
               {kOneOfSeveral, "one_of_several"}, {kRuntimeBrought, "runtime_brought"},
               {kBuildPassedOver, "build_passed_over"}, {kFromCache, "from_cache"},
               {kArithmetic, "arithmetic"}, {kSlower, "slower"}, {kNotKnownFaster, "not_known_faster"},
               {kLeftOut, "left_out"}, {kStandsOn, "stands_on"}, {kSoftware, "software"},
               {kUnusable, "unusable"}, {kUnreached, "unreached"}, {kNotAsked, "not_asked"},
               {kRuntimeFailed, "runtime_failed"})
WHICHGPU_NAMES(report::Severity, {kBlocking, "blocking"}, {kDegraded, "degraded"}, {kNote, "note"})

}  // namespace probe
