// SPDX-License-Identifier: MIT
#include "report/html/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/score/score.h"
#include "tests/report/machines.h"

namespace report::html {
namespace {

using report::testing::Decided;
using report::testing::TestTables;

const probe::PhysicalDevice& DeviceAt(const Report& report, std::size_t at) { return report.devices.at(at); }

TEST(Roofline, HasTheFastestVerifiedProductAndReadOfEachWay) {
  const auto report = Decided(report::testing::DiscreteAndIntegrated());
  const auto line = RooflineOf(TestTables(), report, DeviceAt(report, 0));
  ASSERT_TRUE(line);
  ASSERT_EQ(line->roofs.size(), DeviceAt(report, 0).views.size());
  for (const Roof& roof : line->roofs) {
    for (const auto& m : report.measurements) {
      const bool is_product = m.kernel == kernels::Kernel::kGemm && m.in_dtype != kernels::Dtype::kInt8;
      if (m.device_id != line->device_id || m.runtime != roof.way || !m.verified || !m.rate) continue;
      EXPECT_GE(roof.product.rate, is_product ? *m.rate : 0) << roof.way;
      EXPECT_GE(roof.read.rate, m.kernel == kernels::Kernel::kRead ? *m.rate : 0) << roof.way;
    }
  }
}

TEST(Roofline, ItsPointsAreThePrediction) {
  const auto report = Decided(report::testing::DiscreteAndIntegrated());
  const auto tables = TestTables();
  const auto line = RooflineOf(tables, report, DeviceAt(report, 0));
  ASSERT_TRUE(line);
  const auto& request = tables.reference.inference;
  const auto score = std::find_if(report.scores.begin(), report.scores.end(), [&](const Score& of) {
    return of.use == Use::kInference && of.device_id == line->device_id && of.runtime == line->roofs[0].way;
  });
  ASSERT_NE(score, report.scores.end());
  ASSERT_TRUE(line->roofs[0].prompt);
  ASSERT_TRUE(line->roofs[0].token);
  const auto prompt = score::PromptWork(request);
  const auto token = score::TokenWork(request);
  EXPECT_NEAR(prompt.flop / line->roofs[0].prompt->flop_per_s, score->first_token_s->value, 1e-9);
  EXPECT_NEAR(line->roofs[0].token->flop_per_s / token.flop, score->writing_tokens_per_s->value, 1e-6);
  EXPECT_DOUBLE_EQ(line->roofs[0].prompt->flop_per_byte, prompt.flop / prompt.bytes);
  EXPECT_LT(line->token_flop_per_byte, line->prompt_flop_per_byte);
}

TEST(Roofline, APeakIsWhatTheFigureIsAShareOf) {
  auto report = Decided(report::testing::DiscreteAndIntegrated());
  const auto& id = DeviceAt(report, 0).id;
  for (auto& m : report.measurements) {
    if (m.device_id == id && m.rate) m.share_of_peak = 0.5;
  }
  const auto line = RooflineOf(TestTables(), report, DeviceAt(report, 0));
  ASSERT_TRUE(line && line->peak_flop_per_s && line->peak_bytes_per_s);
  EXPECT_DOUBLE_EQ(*line->peak_flop_per_s, 2 * line->roofs[0].product.rate);
}

TEST(Roofline, WithoutAVerifiedReadThereIsNone) {
  auto report = Decided(report::testing::DiscreteAndIntegrated());
  for (auto& m : report.measurements) {
    if (m.kernel == kernels::Kernel::kRead) m.verified = false;
  }
  EXPECT_FALSE(RooflineOf(TestTables(), report, DeviceAt(report, 0)));
  EXPECT_TRUE(Rooflines(TestTables(), report).empty());
}

TEST(Roofline, OfEqualCardsOneIsShown) {
  const auto report = Decided(report::testing::TwoCards());
  const auto lines = Rooflines(TestTables(), report);
  const auto cards = std::count_if(lines.begin(), lines.end(),
                                   [](const Roofline& line) { return line.device_id.starts_with("pci:"); });
  EXPECT_EQ(cards, 1);
}

}  // namespace
}  // namespace report::html
