// SPDX-License-Identifier: MIT
// The machine's face: one JSON object a command, as data/schema/<command>.json describes it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "probe/core/json.h"
#include "report/core/report.h"

namespace report::render {

// Commands that have an object here: report, list, recommend.
[[nodiscard]] std::span<const std::string_view> JsonCommands();

// The keys that the contract gives `command`, every string cleaned. Runtimes' and hardware's own devices
// appear under devices[] alone, not once more under probes[]. `command` must be one of JsonCommands().
[[nodiscard]] probe::Json JsonObject(const Report& report, std::string_view command);

// The object as indented text with one final newline.
[[nodiscard]] std::string Json(const Report& report, std::string_view command);

}  // namespace report::render
