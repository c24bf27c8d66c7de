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
#include "probe/sycl/sycl_api.h"
#include "probe/system/environment.h"

namespace probe::sycl {

// intel/llvm, sycl/doc/EnvironmentVariables.md.
inline constexpr std::string_view kSelector = "ONEAPI_DEVICE_SELECTOR";
// unified-runtime, scripts/core/INTRO.rst, "Environment Variables".
inline constexpr std::string_view kForceLoad = "UR_ADAPTERS_FORCE_LOAD";
inline constexpr std::string_view kSearchPath = "UR_ADAPTERS_SEARCH_PATH";

// What the selector leaves of one platform.
struct Selection {
  std::vector<UrDevice> left;  // devices and tiles
  bool is_malformed = false;   // every program's first question for devices fails
};
// nullopt where no selector is set, or the loader does not tell.
[[nodiscard]] std::optional<Selection> SelectionOf(const Api& api, UrPlatform platform,
                                                   const system::Environment& environment);

// How many devices of a program this one is: 1 where it is left, else those of its tiles that are.
[[nodiscard]] std::uint32_t CountSelected(const Api& api, const Selection& selection, UrDevice device);

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
