// SPDX-License-Identifier: MIT
// data/glossary.json: what the words of the report mean, and what figures are called there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"
#include "probe/core/json.h"
#include "probe/core/result.h"

namespace report {

// What a word is of: something measured, something computed of it, a column of the report, the answer.
enum class WordKind { kFigure, kPrediction, kColumn, kAnswer };

struct GlossaryEntry {
  std::string name;  // what `describe` takes; of a figure its kernel's in JSON
  WordKind kind = WordKind::kFigure;
  std::string title;                     // what the report says
  std::optional<std::string> shortened;  // the same in a narrow terminal; of figures
  std::vector<std::string> also;         // other words for it, in lower case
  std::optional<std::string> unit;
  std::string text;               // one line
  std::vector<std::string> more;  // paragraphs
};

struct Glossary {
  std::string source;
  std::vector<GlossaryEntry> entries;
};

[[nodiscard]] probe::Result<Glossary> DecodeGlossary(std::string_view json);

// In the order in which `describe` lists them.
[[nodiscard]] std::span<const GlossaryEntry> GlossaryEntries();

// By its name; nullptr where there is none.
[[nodiscard]] const GlossaryEntry* EntryNamed(std::string_view name);

// By any word for it, whatever its case, also behind the name of a type: "fp32 matrix product", "gemm".
[[nodiscard]] const GlossaryEntry* FindEntry(std::string_view word);

// As data/glossary.json has it.
[[nodiscard]] probe::Json EncodeEntry(const GlossaryEntry& entry);

// What a figure of this kernel is called: "matrix product". The kernel's name where the glossary lacks it.
[[nodiscard]] std::string_view TitleOf(kernels::Kernel kernel);

}  // namespace report
