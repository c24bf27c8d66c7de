// SPDX-License-Identifier: MIT
// The embedded texts of data/targets/<name>.json, one for every file there. Text only: report/core/targets.h
// reads it.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace data::targets {

[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> Texts();

}  // namespace data::targets
