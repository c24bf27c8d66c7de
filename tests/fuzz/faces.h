// SPDX-License-Identifier: MIT
// Everything that is said of a record, required to hold what each face promises.
#pragma once

#include <cstdint>

#include "report/store/record.h"

namespace fuzz {

// From the unified devices to every face; `choice` picks width, use and locale.
void RequireFaces(const report::Record& record, std::uint64_t choice);

// The record out of this JSON, required to read again as it was written; nullopt where it is refused.
[[nodiscard]] std::optional<report::Record> ReadRequired(const probe::Json& json);

}  // namespace fuzz
