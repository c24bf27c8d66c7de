// SPDX-License-Identifier: MIT
#include "tests/fakes/common/scenario.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fakes {
namespace {

using testing::HasSubstr;

class ScenarioFile : public testing::Test {
 protected:
  ~ScenarioFile() override { std::filesystem::remove(path_); }

  std::string Read(const std::string& text) {
    std::ofstream(path_) << text;
    return ReadScenario(path_, scenario_).value_or("");
  }

  std::string path_ = testing::TempDir() + "scenario_" + std::to_string(getpid()) + ".json";
  Scenario scenario_;
};

TEST_F(ScenarioFile, ReadsEveryKindOfValue) {
  const std::string error = Read(R"({"driver_name": "D", "api_version": [1, 1],
    "devices": [{"name": [255, 7, 65], "name_bytes": 5, "pci": "0001:c1:02.3",
                 "uuid": "00112233-4455-6677-8899-aabbccddeeff", "type": "integrated", "event_time_scale": 0}],
    "misbehave": [{"at": "compile", "do": "error", "code": -7, "device": 1, "after": 2}]})");
  ASSERT_EQ(error, "");
  const Device& device = scenario_.devices.at(0);
  EXPECT_EQ(device.name,
            "\xff\x07"
            "A\xff\x07");
  EXPECT_EQ(device.pci->domain, 1U);
  EXPECT_EQ(device.pci->bus, 0xc1U);
  EXPECT_EQ(device.pci->device, 2U);
  EXPECT_EQ(device.pci->function, 3U);
  EXPECT_EQ(device.uuid[15], 0xff);
  EXPECT_EQ(device.type, DeviceType::kIntegrated);
  EXPECT_EQ(device.event_time_scale, 0);
  const Misbehaviour& act = scenario_.misbehave.at(0);
  EXPECT_EQ(act.at, Point::kCompile);
  EXPECT_EQ(act.act, Act::kError);
  EXPECT_EQ(act.code, -7);
  EXPECT_EQ(act.device, 1U);
  EXPECT_EQ(act.after, 2U);
}

TEST_F(ScenarioFile, WithoutKeysIsOneDiscreteDevice) {
  ASSERT_EQ(Read("{}"), "");
  ASSERT_EQ(scenario_.devices.size(), 1U);
  EXPECT_EQ(scenario_.devices[0].type, DeviceType::kDiscrete);
  EXPECT_TRUE(scenario_.misbehave.empty());
}

TEST_F(ScenarioFile, NamesTheKeyAtFault) {
  EXPECT_THAT(Read(R"({"devises": []})"), HasSubstr("devises"));
  EXPECT_THAT(Read(R"({"devices": [{"pci": "1:2"}]})"), HasSubstr("pci"));
  EXPECT_THAT(Read(R"({"devices": [{"uuid": "12"}]})"), HasSubstr("uuid"));
  EXPECT_THAT(Read(R"({"misbehave": [{"at": "load", "do": "hangs"}]})"), HasSubstr("hangs"));
  EXPECT_THAT(Read(R"({"misbehave": [{"at": "load"}]})"), HasSubstr("do"));
  EXPECT_NE(Read("{"), "");
}

TEST(Scenario, AMissingFileIsAnError) {
  Scenario scenario;
  EXPECT_TRUE(ReadScenario("/nonexistent", scenario).has_value());
}

}  // namespace
}  // namespace fakes
