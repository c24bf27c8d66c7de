// SPDX-License-Identifier: MIT
#include "report/core/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace report {
namespace {

const std::vector<std::string> kWords = {"--json", "--only", "--skip", "--record", "--replay"};

TEST(Nearest, FindsInsertionsDeletionsSubstitutionsAndSwaps) {
  EXPECT_EQ(Nearest("--jsonn", kWords), "--json");
  EXPECT_EQ(Nearest("--jon", kWords), "--json");
  EXPECT_EQ(Nearest("--jsin", kWords), "--json");
  EXPECT_EQ(Nearest("--sjon", kWords), "--json");
  EXPECT_EQ(Nearest("--JSON", kWords), "--json");
}

TEST(Nearest, DoesNotGuessFromFar) {
  EXPECT_EQ(Nearest("--frobnicate", kWords), std::nullopt);
  EXPECT_EQ(Nearest("", kWords), std::nullopt);
  EXPECT_EQ(Nearest(std::string(10000, 'a'), kWords), std::nullopt);
}

TEST(Hint, ListsTheKnownWhenNothingIsNear) {
  EXPECT_EQ(Hint("zzz", std::vector<std::string>{"a", "bc"}), "; known are a, bc");
  EXPECT_EQ(Hint("zzz", {}), "");
}

TEST(Nearest, CompletesTheBeginningOfOneWordAlone) {
  const std::vector<std::string> makers = {"moore threads", "matrox", "matrix vision"};
  EXPECT_EQ(Nearest("Moore", makers), "moore threads");
  EXPECT_EQ(Nearest("matr", makers), std::nullopt) << "it may be either";
  EXPECT_EQ(Nearest("mo", makers), std::nullopt) << "it may be anything";
}

TEST(Nearest, AGpuIsNoProcessor) {
  const std::vector<std::string> known = {"cpu", "cuda"};
  EXPECT_EQ(Nearest("gpu", known), std::nullopt);
  EXPECT_EQ(Nearest("GPU", known), std::nullopt);
  EXPECT_EQ(Nearest("cpy", known), "cpu");
}

}  // namespace
}  // namespace report
