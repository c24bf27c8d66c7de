// SPDX-License-Identifier: MIT
#include "report/core/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "data/runtimes/runtimes.h"

namespace report {
namespace {

TEST(Tables, EveryRuntimeOfTheBuildHasItsFacts) {
  const auto& tables = EmbeddedTables();
  ASSERT_TRUE(tables.ok()) << Describe(tables.error());
  ASSERT_EQ(tables->runtimes.size(), data::RuntimeTexts().size());
  for (const auto& facts : tables->runtimes) {
    EXPECT_FALSE(facts.title.empty()) << facts.name;
    EXPECT_FALSE(facts.advice.inference.empty()) << facts.name;
    EXPECT_LE(facts.maturity.inference, 4U) << facts.name;
    EXPECT_EQ(facts.training.supported, !facts.training.reason.has_value()) << facts.name;
    for (const auto* factor : {&facts.factors.decode, &facts.factors.prefill, &facts.factors.training}) {
      if (!*factor) continue;
      EXPECT_FALSE((*factor)->source.empty()) << facts.name;
      EXPECT_EQ((*factor)->date.size(), 10U) << facts.name;
      const bool orders = (*factor)->basis == FactorBasis::kFitted || (*factor)->value == 1;
      EXPECT_TRUE(orders) << facts.name << ": what nobody measured may order nothing";
    }
  }
}

TEST(Tables, TheProcessorTrains) {
  const auto& tables = EmbeddedTables();
  ASSERT_TRUE(tables.ok());
  const auto* cpu = Find(*tables, "cpu");
  ASSERT_NE(cpu, nullptr);
  EXPECT_TRUE(cpu->training.supported);
}

TEST(Tables, AnUnknownRuntimeKeepsItsName) {
  EXPECT_EQ(Find(Tables{}, "abacus"), nullptr);
  EXPECT_EQ(Title(Tables{}, "abacus"), "abacus");
}

// The text of the processor's facts with one part replaced.
std::string Altered(const std::string& from, const std::string& to) {
  const auto texts = data::RuntimeTexts();
  const auto of_it =
      std::find_if(texts.begin(), texts.end(), [](const auto& row) { return row.first == "cpu"; });
  std::string text(of_it->second);
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(Tables, RefusesFiguresThatWouldRankByNonsense) {
  const auto bad = Altered("\"low\": ", "\"low\": -");
  ASSERT_FALSE(DecodeRuntimeFacts("cpu", bad).ok());
  EXPECT_NE(Describe(DecodeRuntimeFacts("cpu", bad).error()).find("decode"), std::string::npos);
  EXPECT_FALSE(DecodeRuntimeFacts("cpu", Altered("\"low\": ", "\"low\": 9")).ok());
  EXPECT_FALSE(DecodeRuntimeFacts("cpu", Altered("\"basis\": \"fitted\"", "\"basis\": \"guessed\"")).ok());
  EXPECT_FALSE(DecodeRuntimeFacts("cpu", Altered("\"basis\": \"fitted\"", "\"basis\": \"assumed\"")).ok())
      << "assumed, and not 1";
  EXPECT_FALSE(DecodeRuntimeFacts("cpu", "{}").ok());
  EXPECT_FALSE(DecodeRuntimeFacts("cpu", "").ok());
  std::string request(data::ReferenceRequestText());
  request.replace(request.find("4920000000"), 10, "0");
  EXPECT_FALSE(DecodeReferenceRequest(request).ok());
}

}  // namespace
}  // namespace report
