// SPDX-License-Identifier: MIT
// What no table of a program may hold: texts that their readers take for more than they say, words that mean
// nothing to this program, and a format that it does not know. Each finding names the key, what stands there
// and what would be right.
#pragma once

#include <string>
#include <string_view>

#include "probe/core/codec.h"
#include "report/core/targets.h"

namespace report {

// Of the format, and of texts before anybody cleans them. "" where nothing is wrong.
[[nodiscard]] std::string WrongBeforeDecoding(const probe::Json& json);

// Whether no version at all is within a package's bounds such as ">=2,<1" (PEP 440), perhaps behind its name.
// Of what is no plain number with dots nothing is known.
[[nodiscard]] bool AreContradictory(std::string_view bounds);

[[nodiscard]] std::string WrongWith(const probe::Json& json, const TargetTable& table);

}  // namespace report
