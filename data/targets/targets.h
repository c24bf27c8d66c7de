// SPDX-License-Identifier: MIT
// The embedded texts of data/targets/<name>.json, one for every file there. Text only: report/core/targets.h
// reads it.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace data::targets {

// data/architectures.csv: what builds call chips that are known by their makers' code names.
[[nodiscard]] std::string_view ArchitecturesText();
// data/code_lists.csv: architectures that builds of several programs have code for.
[[nodiscard]] std::string_view CodeListsText();
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> Texts();

}  // namespace data::targets
