// SPDX-License-Identifier: MIT
// Of a model that a card holds a part of, and the processor the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "report/score/score.h"
#include "tests/report/machines.h"

namespace report::score {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Score ScoreOf(const Report& report, std::string_view runtime, Use use,
              const Tables& tables = testing::TestTables()) {
  const auto scores = ScoreAll(tables, report.devices, report.measurements);
  const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& score) {
    return score.runtime == runtime && score.use == use;
  });
  return found == scores.end() ? Score{} : *found;
}

constexpr double kShare = 22.0 / 32;  // of the layers, that the card of testing::Server holds

Report WithWholeCard() {
  auto report = testing::Server();
  report.devices[1].memory.free_bytes = 64ULL << 30U;
  return report;
}

double PromptSeconds(const Score& score) { return score.parts.at(0).seconds; }

TEST(Split, WritingTakesTheTimeOfBothParts) {
  const auto report = testing::Server();
  const auto split = ScoreOf(report, "vulkan", Use::kDecode);
  ASSERT_TRUE(split.eligible);
  EXPECT_THAT(split.reasons, Contains(HasSubstr("22 of 32 layers")));
  const auto whole = ScoreOf(WithWholeCard(), "vulkan", Use::kDecode).ranking_tokens_per_s->value;
  const auto native = ScoreOf(report, "cpu", Use::kDecode).ranking_tokens_per_s->value;
  EXPECT_NEAR(1 / split.ranking_tokens_per_s->value, kShare / whole + (1 - kShare) / native, 1e-9);
}

// As llama.cpp does with 32 tokens and more.
TEST(Split, ThePromptIsReadByTheCardAloneWhichHasTheOtherLayersBrought) {
  auto report = testing::Server();
  const auto& card = report.devices[1];
  const auto& of = card.views.at(0).device;
  testing::Measure(report, card.id, of.runtime, of.driver, kernels::Kernel::kHostToDevice, 10e9,
                   kernels::Dtype::kU32);
  const auto split = ScoreOf(report, "vulkan", Use::kPrefill);
  const double own = PromptSeconds(ScoreOf(WithWholeCard(), "vulkan", Use::kPrefill));
  EXPECT_NEAR(PromptSeconds(split), own + (1 - kShare) * 4.92e9 / 10e9, 1e-9);
  EXPECT_FALSE(split.rest) << "the processor reads nothing of it";
  EXPECT_TRUE(ScoreOf(report, "vulkan", Use::kInference).rest) << "it writes";
  for (auto& m : report.measurements)
    if (m.kernel == kernels::Kernel::kHostToDevice) m.rate = 1e8;
  EXPECT_THAT(ScoreOf(report, "vulkan", Use::kPrefill).parts.at(0).limited_by, HasSubstr("100 MB/s"));
}

TEST(Split, ThePromptIsReadByBothWhereNoEngineBringsLayersOrItIsShort) {
  const auto report = testing::Server();
  const auto both = [&](const Tables& tables) {
    const double own = PromptSeconds(ScoreOf(WithWholeCard(), "vulkan", Use::kPrefill, tables));
    const double native = PromptSeconds(ScoreOf(report, "cpu", Use::kPrefill, tables));
    const auto free = static_cast<double>(*report.devices[1].memory.free_bytes);
    const double share = ResidentShare(tables.reference.inference, free);
    return share * own + (1 - share) * native;
  };
  auto silent = testing::TestTables();
  for (auto& facts : silent.runtimes) facts.factors.brought.reset();
  EXPECT_NEAR(PromptSeconds(ScoreOf(report, "vulkan", Use::kPrefill, silent)), both(silent), 1e-9);
  auto brief = testing::TestTables();
  brief.reference.inference.prompt_tokens = 31;
  EXPECT_NEAR(PromptSeconds(ScoreOf(report, "vulkan", Use::kPrefill, brief)), both(brief), 1e-9);
  brief.reference.inference.prompt_tokens = 32;
  EXPECT_GT(std::abs(PromptSeconds(ScoreOf(report, "vulkan", Use::kPrefill, brief)) - both(brief)), 1e-3);
}

// Nobody measured it.
TEST(Split, TheRateOfBringingIsAssumedOfTheCardsOwnMemory) {
  auto report = testing::Server();
  for (auto& m : report.measurements)
    if (m.device_id == report.devices[1].id && m.kernel == kernels::Kernel::kRead) m.rate = 640e9;
  auto whole = report;
  whole.devices[1].memory.free_bytes = 64ULL << 30U;
  const double brought = PromptSeconds(ScoreOf(report, "vulkan", Use::kPrefill)) -
                         PromptSeconds(ScoreOf(whole, "vulkan", Use::kPrefill));
  EXPECT_NEAR(brought, (1 - kShare) * 4.92e9 / 10e9, 1e-3);
  EXPECT_TRUE(ScoreOf(report, "vulkan", Use::kPrefill).assumes_upload);
  EXPECT_TRUE(ScoreOf(report, "vulkan", Use::kInference).assumes_upload);
  EXPECT_FALSE(ScoreOf(report, "vulkan", Use::kDecode).assumes_upload) << "nothing is brought for a token";
  EXPECT_FALSE(ScoreOf(whole, "vulkan", Use::kPrefill).assumes_upload);
  const auto& card = report.devices[1];
  testing::Measure(report, card.id, card.views.at(0).device.runtime, card.views.at(0).device.driver,
                   kernels::Kernel::kHostToDevice, 10e9, kernels::Dtype::kU32);
  EXPECT_FALSE(ScoreOf(report, "vulkan", Use::kPrefill).assumes_upload);
}

}  // namespace
}  // namespace report::score
