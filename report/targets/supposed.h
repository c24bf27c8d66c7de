// SPDX-License-Identifier: MIT
// Ways to a device that no probe saw and that the caller's program may open all the same. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::targets {

// Adds such ways: to devices that the kernel gives to this process by a runtime that the program brings and
// nothing has installed (kBrought); to those that a runtime shows and that could not be measured for a reason
// which the program never meets (kOwnRuntime, kOwnCode); and, where `all_asked`, by one that this build has
// no module for (kUnseen), to devices whose architecture is known and that the program has no other way to:
// report.terms.unfit tells, which has these ways then, too.
void AddSupposedViews(const Tables& tables, bool all_asked, Report& report);

// Such a way that a program for the use runs by, which the text says.
struct WayBeyond {
  std::string device_id;
  probe::View view;
  std::string text;
};
// What an answer by such a way owes: of one that nobody looked for a warning; of one of the program's own the
// first of its reasons, no word that the runtime is not installed, or not whole, and a warning of the
// variables that will say which GPUs it shows.
void TellBeyond(const Report& report, const probe::View& view, std::string text, Recommendation& answer);
// Those to GPUs of a known architecture that have no other for the use. The programs are those that the
// runtime's table names for it, the first with a build for the device.
[[nodiscard]] std::vector<WayBeyond> WaysBeyond(const Tables& tables, bool all_asked, const Report& report,
                                                Use use);

// "PyTorch has a build for Level Zero (xpu): this version can not look for it on Arc A770, ..."
[[nodiscard]] std::string NotLookedForText(const TargetTable& target, const Build& build,
                                           const RuntimeFacts& facts, const std::string& device);

// Why such a way is one all the same: "ROCm is not installed, and PyTorch's rocm7.14 brings what it needs
// ...".
[[nodiscard]] std::string OwnText(const Report& report, const TargetTable& target, const Build& build,
                                  const RuntimeFacts& facts, const probe::View& view);

// Whether this build has no module to look for the runtime, nor had the one that wrote the report.
[[nodiscard]] bool IsUnknownHere(const Tables& tables, const Report& report, std::string_view runtime);

// As builds are told it, by the kernel or by the maker's name of the chip; "" where it is not known.
[[nodiscard]] std::string ArchitectureOf(const RuntimeFacts& facts, const probe::PhysicalDevice& device);
// The same of a chip by its maker's name.
[[nodiscard]] std::string ArchitectureOfChip(const RuntimeFacts& facts, std::string_view chip);

}  // namespace report::targets
