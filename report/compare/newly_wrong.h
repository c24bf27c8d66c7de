// SPDX-License-Identifier: MIT
// Whether a runtime or its driver newly went wrong when it was asked, before anything could be measured by
// it.
#pragma once

#include <optional>
#include <string>

#include "backends/core/measurement.h"
#include "probe/core/report.h"

namespace report::compare {

// How the figure's way went wrong in `now` and had not in `before`, which is nullptr where nobody asked its
// runtime; nullopt where it did not.
[[nodiscard]] std::optional<std::string> NewlyWrongText(const backends::Measurement& figure,
                                                        const probe::ProbeReport* before,
                                                        const probe::ProbeReport& now);

}  // namespace report::compare
