// SPDX-License-Identifier: MIT
#include "probe/isolate/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace probe::isolate {
namespace {

using ::testing::HasSubstr;

std::string Raw(std::uint32_t length, std::string_view text) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>(length >> (8 * i) & 0xff);
  return out.append(text);
}

TEST(Channel, PutsTheLengthInFrontLittleEndian) {
  EXPECT_EQ(Frame(Json{{"a", 1}}), Raw(7, R"({"a":1})"));
  EXPECT_EQ(Frame(Json{{"a", std::string(300, 'x')}}).substr(0, 4), Raw(308, ""));
}

TEST(Channel, ReassemblesRecordsFromEverySplit) {
  const std::string stream = Frame({{"n", 1}}) + Frame({{"n", 2}}) + Frame(Json::object());
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    Deframer deframer;
    auto records = deframer.Push(stream.substr(0, split));
    for (auto& record : deframer.Push(stream.substr(split))) records.push_back(record);
    EXPECT_EQ(records, (std::vector<Json>{{{"n", 1}}, {{"n", 2}}, Json::object()})) << split;
    EXPECT_EQ(deframer.broken(), "");
  }
}

TEST(Channel, KeepsWhatCameBeforeNonsense) {
  Deframer deframer;
  const auto records = deframer.Push(Frame({{"n", 1}}) + Raw(3, "{x}") + Frame({{"n", 2}}));
  EXPECT_EQ(records, (std::vector<Json>{{{"n", 1}}}));
  EXPECT_THAT(deframer.broken(), HasSubstr("not a JSON object"));
  EXPECT_TRUE(deframer.Push(Frame({{"n", 3}})).empty());
}

TEST(Channel, AcceptsObjectsOnly) {
  for (const std::string_view text : {"1", "[]", "\"x\"", "null", "", "{\"a\":\"\xff\"}"}) {
    Deframer deframer;
    EXPECT_TRUE(deframer.Push(Raw(static_cast<std::uint32_t>(text.size()), text)).empty()) << text;
    EXPECT_NE(deframer.broken(), "") << text;
  }
}

TEST(Channel, RefusesAnOversizedRecordBeforeItArrives) {
  Deframer deframer;
  EXPECT_TRUE(deframer.Push(Raw(kMaxRecordBytes + 1, "")).empty());
  EXPECT_THAT(deframer.broken(), HasSubstr("1048577 bytes"));
}

TEST(Channel, BoundsTheSum) {
  Deframer deframer;
  const auto frame = Frame({{"text", std::string(1000000, 'x')}});
  std::size_t records = 0;
  while (deframer.broken().empty()) records += deframer.Push(frame).size();
  EXPECT_EQ(records, kMaxResultBytes / frame.size() + 1);
}

}  // namespace
}  // namespace probe::isolate
