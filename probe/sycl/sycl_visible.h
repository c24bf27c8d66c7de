// SPDX-License-Identifier: MIT
// What keeps devices from SYCL's programs: variables, adapters that are not there or do not load.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/outcome.h"
#include "probe/core/result.h"
#include "probe/intel/selector.h"
#include "probe/sycl/sycl_api.h"
#include "probe/system/environment.h"

namespace probe::sycl {

using intel::kSelector;
// unified-runtime, scripts/core/INTRO.rst, "Environment Variables".
inline constexpr std::string_view kForceLoad = "UR_ADAPTERS_FORCE_LOAD";
inline constexpr std::string_view kSearchPath = "UR_ADAPTERS_SEARCH_PATH";

// The error of a malformed selector in the runtime's table, and what is to be said of it.
inline constexpr std::string_view kMalformed = "malformed_selector";
[[nodiscard]] std::string MalformedText(const system::Environment& environment);

// Tells of each of Level Zero's devices how many of torch.xpu's it is, and of all together a note: of the
// first platform that has cards these alone, else the processors' graphics of the first that has some
// (pytorch, c10/xpu/XPUFunctions.cpp, "Device Management"). By platforms, in their order.
void CountForTorch(const std::vector<std::vector<Found>*>& platforms);

struct Diagnosis {
  Outcome outcome = Outcome::kNoDevice;
  Error error;
};
// Why no device is shown, with so many adapters and those that did not load.
[[nodiscard]] Diagnosis Diagnose(std::size_t adapters, const std::vector<BrokenAdapter>& broken,
                                 const system::Environment& environment);

}  // namespace probe::sycl
