// SPDX-License-Identifier: MIT
// The embedded texts of data/runtimes/<name>.json, one for every file there, and of
// data/reference_request.json, data/fit.json and data/peaks/*.csv. Text only: report/core/tables.h reads it.
// And which of the runtimes this build can look for.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace data {

[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> RuntimeTexts();
[[nodiscard]] std::span<const std::string_view> RuntimesOfThisBuild();
[[nodiscard]] std::string_view ReferenceRequestText();
[[nodiscard]] std::string_view FitText();
[[nodiscard]] std::string_view CardPeaksText();
[[nodiscard]] std::string_view UnitPeaksText();
[[nodiscard]] std::string_view KindPeaksText();

}  // namespace data
