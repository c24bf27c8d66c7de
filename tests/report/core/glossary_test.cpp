// SPDX-License-Identifier: MIT
#include "report/core/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "data/glossary.h"

#include "probe/core/parse.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"

namespace report {
namespace {

using backends::Measurement;
using kernels::Dtype;
using kernels::Kernel;

TEST(Glossary, IsReadable) {
  const auto glossary = DecodeGlossary(data::kGlossary);
  ASSERT_TRUE(glossary) << glossary.error().text;
  EXPECT_EQ(glossary->entries.size(), GlossaryEntries().size());
  EXPECT_GT(glossary->entries.size(), 20U);
}

TEST(Glossary, HasEveryFigureThatIsReported) {
  for (const kernels::KernelRow& row : kernels::Kernels()) {
    if (row.kernel == Kernel::kFill) continue;  // is never reported
    const auto* entry = EntryNamed(row.name);
    ASSERT_NE(entry, nullptr) << row.name;
    EXPECT_EQ(entry->kind, WordKind::kFigure) << row.name;
    EXPECT_TRUE(entry->shortened && entry->unit) << row.name;
    EXPECT_EQ(TitleOf(row.kernel), entry->title);
  }
}

TEST(Glossary, NoWordIsOfTwoEntries) {
  std::map<std::string, std::set<std::string>> owners;
  for (const GlossaryEntry& entry : GlossaryEntries()) {
    owners[probe::Lower(entry.name)].insert(entry.name);
    for (const std::string& word : entry.also) {
      EXPECT_EQ(word, probe::Lower(word));
      owners[word].insert(entry.name);
    }
    if (entry.kind != WordKind::kColumn) owners[probe::Lower(entry.title)].insert(entry.name);
  }
  for (const auto& [word, names] : owners) EXPECT_EQ(names.size(), 1U) << word;
}

TEST(Glossary, LinesAreShort) {
  for (const GlossaryEntry& entry : GlossaryEntries()) {
    EXPECT_LE(entry.text.size(), 120U) << entry.name;
    EXPECT_FALSE(entry.text.ends_with('.')) << entry.name;
    EXPECT_LE(entry.shortened.value_or("").size() + 5, 16U) << entry.name;
  }
}

TEST(Glossary, AFigureIsFoundByAnyOfItsWords) {
  for (const char* word :
       {"gemm", "GEMM", "matrix product", "fp16 matrix product", "tf32 product", " matmul "})
    EXPECT_EQ(FindEntry(word), EntryNamed("gemm")) << word;
  EXPECT_EQ(FindEntry("copy"), EntryNamed("copy"));
  EXPECT_EQ(FindEntry("noisy"), EntryNamed("quality"));
  EXPECT_EQ(FindEntry("\u00b1"), EntryNamed("interval"));
  for (const char* word : {"", "fp16", "fp16 ", "nothing", "fp99 gemm"})
    EXPECT_EQ(FindEntry(word), nullptr) << word;
}

// Whatever the report prints of a figure, describe knows.
TEST(Glossary, KnowsWhatTheReportSays) {
  for (const kernels::KernelRow& row : kernels::Kernels()) {
    if (row.kernel == Kernel::kFill) continue;
    for (const kernels::DtypeRow& type : kernels::Dtypes()) {
      const auto name = FigureName(backends::FigureKind{row.kernel, type.dtype, Dtype::kFp32});
      EXPECT_EQ(FindEntry(name), EntryNamed(row.name)) << name;
    }
  }
}

TEST(Glossary, KnowsThePromptsProduct) {
  Measurement square;
  square.status = backends::MeasurementStatus::kOk;
  square.verified = true;
  square.rate = 2e12;
  square.shape = {.m = 4096, .n = 4096, .k = 4096};
  Measurement prompt = square;
  prompt.rate = 1e12;
  prompt.shape.m = kPromptRows;
  const std::vector<const Measurement*> both = {&square, &prompt};
  EXPECT_EQ(FigureLabel(prompt, both), "fp32 prompt product");
  EXPECT_EQ(FindEntry(FigureLabel(prompt, both)), EntryNamed("prompt"));
  EXPECT_EQ(FigureLabel(square, both), "fp32 matrix product");
}

}  // namespace
}  // namespace report
