// SPDX-License-Identifier: MIT
// What a system and a processor have no driver of (data/impossible.csv), and what a runtime serves no more.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/core/targets.h"

namespace report {

// Where something is to run; a machine of which nobody says its system has Linux.
struct Setting {
  std::string_view os = "linux";
  std::string_view machine;  // the processor's architecture; empty: nobody says it
  bool wsl = false;
  std::string_view program;  // of data/targets, that is asked about; empty: none is
};
[[nodiscard]] Setting SettingOf(const Host& host);

struct Hindrance {
  std::string_view key;  // of a description: what would have to be said otherwise
  std::string_view why;
};

// Of a runtime, or of a maker's GPUs or one of them ("10de:2342"), of that architecture; nullopt of what can
// be there.
[[nodiscard]] std::optional<Hindrance> WhyImpossible(std::string_view subject,
                                                     const std::string& architecture, const Setting& setting);

// nullptr of a GPU whose architecture the runtime serves on that system, and where nobody knows.
[[nodiscard]] const RuntimeInstead* UnservedOf(const RuntimeFacts& facts,
                                               const std::optional<std::string>& architecture,
                                               const Setting& setting);

// What the runtime's driver brings beside it for such a GPU, by which programs have code that by the runtime
// have none; nullptr of any other, and in WSL, whose drivers bring nothing of the kind.
[[nodiscard]] const RuntimeInstead* BroughtBeside(const RuntimeFacts& facts,
                                                  const std::optional<std::string>& architecture,
                                                  const Setting& setting);

// The titles of the programs that have builds for such a machine by the runtime that is brought beside this
// one, and by this one no code for the architecture: "Ollama". `asked`: the table that is asked about alone;
// nullptr: of all that are built in.
[[nodiscard]] std::vector<std::string> WithoutCode(const RuntimeFacts& facts,
                                                   const std::optional<std::string>& architecture,
                                                   std::string_view beside, const Setting& setting,
                                                   const TargetTable* asked);

}  // namespace report
