// SPDX-License-Identifier: MIT
#include "probe/core/codec.h"

#include <gtest/gtest.h>

#include <string>

namespace probe {
namespace {

std::string ErrorOf(std::string_view text, std::size_t max_bytes = 1U << 20U) {
  const auto json = ParseJson(text, max_bytes);
  return json ? "" : json.error().name;
}

std::string Nested(int depth, const std::string& inside) {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + inside + std::string(count, ']');
}

TEST(ParseJson, BoundsTheDepthOfWhatItAccepts) {
  EXPECT_EQ(ErrorOf(Nested(64, "1")), "");
  EXPECT_EQ(ErrorOf(Nested(65, "1")), "too deep");
  EXPECT_EQ(ErrorOf(std::string(500'000, '[')), "too deep");
  EXPECT_EQ(ErrorOf(Nested(60, R"({"a": {"b": [1, {"c": [2]}]}})")), "too deep");
}

std::string Wide(int keys) {
  std::string text = "{";
  for (int i = 0; i < keys; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":{\"a\":1}";
  return text + "}";
}

TEST(ParseJson, BoundsTheKeysOfAnObject) {
  EXPECT_EQ(ErrorOf(Wide(1024)), "");
  EXPECT_EQ(ErrorOf(Wide(1025)), "too wide");
  constexpr std::size_t kMany = std::size_t{1} << 24U;
  const auto many = [](std::size_t count) {
    std::string text = "[1";
    for (std::size_t i = 1; i < count; ++i) text += ",1";
    return text + "]";
  };
  EXPECT_EQ(ErrorOf(many((std::size_t{1} << 21U) - 1), kMany), "") << "the array is a value, too";
  std::string empty = "[";
  for (std::size_t i = 0; i < 1'500'000; ++i) empty += "[],";
  EXPECT_EQ(ErrorOf(empty + "1]", kMany), "") << "one value each";
  EXPECT_EQ(ErrorOf(many((std::size_t{1} << 21U) + 1), kMany), "too many values");
  std::string nested = "[";
  for (std::size_t i = 0; i < std::size_t{1} << 16U; ++i)
    nested += std::string(33, '[') + std::string(33, ']') + ",";
  EXPECT_EQ(ErrorOf(nested + "1]", kMany), "too many values");
  EXPECT_EQ(ErrorOf("[" + Wide(1000) + "," + Wide(1000) + "]"), "");
}

TEST(ParseJson, CountsNoBracketsOfStrings) {
  EXPECT_EQ(ErrorOf('"' + std::string(100, '[') + '"'), "");
  EXPECT_EQ(ErrorOf(R"(["\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\\"])"),
            "");
  EXPECT_EQ(ErrorOf(R"(["\\", )" + Nested(64, "") + "]"), "too deep");
}

TEST(ParseJson, AcceptsOneWholeDocumentOnly) {
  for (const char* text : {"", "{", "]]", "[1] [2]", "\"open", "[1,]", "\"\\", "nul"}) {
    EXPECT_EQ(ErrorOf(text), "malformed") << text;
  }
  for (const std::string_view cut : {std::string_view("[1]\0", 4), std::string_view("[1]\0x", 5)})
    EXPECT_EQ(ErrorOf(std::string(cut)), "malformed");
  EXPECT_EQ(ErrorOf("[1, 2]", 5), "too large");
  EXPECT_EQ(ErrorOf("[1, 2]", 6), "");
}

}  // namespace
}  // namespace probe
