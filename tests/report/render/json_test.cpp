// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/core/codec.h"
#include "report/render/faces.h"
#include "tests/report/machines.h"

namespace report::render {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Keys(const probe::Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(Json, EachCommandHasTheKeysOfItsContract) {
  const auto report = testing::Decided(testing::Processor());
  EXPECT_THAT(Keys(JsonObject(report, "report")),
              ElementsAre("schema_version", "tool_version", "command", "created", "interrupted", "host",
                          "probes", "devices", "measurements", "figures", "request", "scores",
                          "recommendations", "findings", "advice", "warnings"));
  EXPECT_THAT(Keys(JsonObject(report, "list")),
              ElementsAre("schema_version", "tool_version", "command", "created", "interrupted", "host",
                          "probes", "devices", "findings", "advice", "warnings"));
  EXPECT_THAT(Keys(JsonObject(report, "recommend")),
              ElementsAre("schema_version", "tool_version", "command", "created", "interrupted", "request",
                          "recommendation", "findings", "advice", "warnings"));
}

TEST(Json, CountsOfTheRequestAreWholeNumbers) {
  Report report;
  report.request.emplace();
  report.request->inference.layers = 32;
  report.request->inference.weight_bytes = 4.92e9;
  report.request->training.adapter_bytes_per_parameter = 0.5;
  const auto request = JsonObject(report, "report")["request"];
  EXPECT_EQ(request["inference"]["layers"].dump(), "32");
  EXPECT_EQ(request["inference"]["weight_bytes"].dump(), "4920000000");
  EXPECT_EQ(request["training"]["adapter_bytes_per_parameter"].dump(), "0.5");
}

TEST(Json, NamesTheCommand) {
  for (const auto command : JsonCommands()) EXPECT_EQ(JsonObject(Report{}, command)["command"], command);
}

TEST(Json, WithoutAnAnswerThereIsNoRecommendation) {
  Report report = testing::Nothing();
  report.interrupted = true;
  const auto json = JsonObject(report, "recommend");
  EXPECT_FALSE(json.contains("recommendation"));
  EXPECT_EQ(json["interrupted"], true);
}

TEST(Json, DevicesStandUnderDevicesAlone) {
  auto report = testing::Processor();
  report.probes[0].devices.push_back(report.devices[0].views[0].device);
  const auto json = JsonObject(report, "list");
  EXPECT_FALSE(json["probes"][0].contains("devices"));
  EXPECT_FALSE(json["probes"][0].contains("hardware"));
  EXPECT_EQ(json["devices"][0]["views"].size(), 3U);
}

TEST(Json, IsOneObjectWithOneFinalNewline) {
  const auto text = Json(testing::Decided(testing::Hostile()), "report");
  EXPECT_EQ(text.substr(text.size() - 2), "}\n");
  EXPECT_TRUE(probe::ParseJson(text).ok());
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\\u00")));
}

}  // namespace
}  // namespace report::render
