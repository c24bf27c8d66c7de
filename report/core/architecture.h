// SPDX-License-Identifier: MIT
// Architectures of devices as people and build systems write them, and which code runs on which.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/tables.h"

namespace report {

enum class Reader { kPeople, kCMake };

// "sm_89" -> "8.9", to CMake "89"; "gfx1100" as it is. "" of an architecture that is none of the runtime's,
// or that no build names so.
[[nodiscard]] std::string ArchitectureText(const TargetFacts& target,
                                           const std::optional<std::string>& architecture, Reader reader);

// Of dotted numbers, number by number: 12.10 is newer than 12.9, and 12 than nothing. What is no number
// counts as 0.
[[nodiscard]] std::strong_ordering CompareVersions(std::string_view a, std::string_view b);

// Whether machine code for one of `built` runs on the device, both as people write them. Of versions code for
// X.y runs on X.z from z = y on, that for X.ya on X.y alone; of releases a range ("12.55-12.57") and the
// first numbers alone ("20") stand for all in them.
[[nodiscard]] bool HasCodeFor(const TargetFacts& target, const std::vector<std::string>& built,
                              std::string_view device);

// Whether it is a version that is newer than all of `built`.
[[nodiscard]] bool IsNewerThanAll(const TargetFacts& target, const std::vector<std::string>& built,
                                  std::string_view device);

// Whether whoever made builds for `built` may not have known it yet: a version newer than all of them, or one
// that the table does not know. Words stand in the table's order: of those that differ in the last two signs
// alone, one behind all of `built`, else one behind all.
[[nodiscard]] bool MayBeTooNew(const TargetFacts& target, const std::vector<std::string>& built,
                               std::string_view device);

// The drivers that know a device of this architecture, as people write it: by the row of its own, else of the
// nearest whose code runs on it. nullptr where the table has none.
[[nodiscard]] const ArchitectureDrivers* DriversOf(const TargetFacts& target, std::string_view device);

}  // namespace report
