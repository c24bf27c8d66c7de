// SPDX-License-Identifier: MIT
#include "report/core/architecture.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace report {
namespace {

const TargetFacts kVersions = {"sm_", TargetForm::kVersion, "cc", std::vector<std::string>{"7.2", "8.7"}, {}};
const TargetFacts kWords = {"gfx", TargetForm::kWord, "gfx", {}, {}};
const TargetFacts kReleases = {"ip-", TargetForm::kRelease, "ip", {}, {}};

TEST(Architecture, IsWrittenAsPeopleAndBuildSystemsDo) {
  const std::vector<std::tuple<TargetFacts, std::string, std::string, std::string>> rows = {
      {kVersions, "sm_89", "8.9", "89"},
      {kVersions, "sm_120", "12.0", "120"},
      {kWords, "gfx90a", "gfx90a", "gfx90a"},
      {kWords, "gfx9-4-generic", "gfx9-4-generic", "gfx9-4-generic"},
      {kReleases, "ip-12.55", "12.55", "12.55"}};
  for (const auto& [target, said, people, cmake] : rows) {
    EXPECT_EQ(ArchitectureText(target, said, Reader::kPeople), people);
    EXPECT_EQ(ArchitectureText(target, said, Reader::kCMake), cmake);
  }
}

TEST(Architecture, ThatIsNoneIsNoText) {
  for (const std::string said :
       {"", "89", "sm_", "sm_9", "sm_8.9", "sm_89a", "compute_89", "SM_89", " sm_89", "sm_89\n", "sm_-9"})
    EXPECT_EQ(ArchitectureText(kVersions, said, Reader::kPeople), "") << said;
  for (const std::string& said : {std::string("gfx"), std::string("90a"), std::string("gfx90a:sramecc+"),
                                  std::string("gfx90A"), std::string("gfx$(x)"), std::string("gfx1 100"),
                                  "gfx" + std::string(64, '1'), std::string("gfx\0a", 5)})
    EXPECT_EQ(ArchitectureText(kWords, said, Reader::kCMake), "") << said;
  for (const std::string said : {"ip-", "ip-12x", "12.55", "ip-12;55"})
    EXPECT_EQ(ArchitectureText(kReleases, said, Reader::kPeople), "") << said;
  EXPECT_EQ(ArchitectureText(kVersions, std::nullopt, Reader::kPeople), "");
}

TEST(Versions, AreComparedNumberByNumber) {
  const std::vector<std::string> rising = {"",   "1",      "1.2",       "1.10",      "9.9.9",
                                           "12", "12.0.1", "525.60.12", "525.60.13", "580"};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j)
      EXPECT_EQ(CompareVersions(rising[i], rising[j]), i <=> j) << rising[i] << " " << rising[j];
  }
  EXPECT_EQ(CompareVersions("12", "12.0.0"), std::strong_ordering::equal);
  EXPECT_EQ(CompareVersions("450.80.02", "450.80.2"), std::strong_ordering::equal);
  EXPECT_EQ(CompareVersions("words", "0"), std::strong_ordering::equal);
  EXPECT_EQ(CompareVersions("99999999999999999999", "1"), std::strong_ordering::less) << "no number";
}

TEST(Code, RunsOnWhatItsMakerDocuments) {
  struct Row {
    const TargetFacts& target;
    std::vector<std::string> built;
    std::string device;
    bool runs;
  };
  const std::vector<Row> rows = {{kVersions, {"8.0"}, "8.9", true},
                                 {kVersions, {"8.9"}, "8.6", false},
                                 {kVersions, {"8.0"}, "9.0", false},
                                 {kVersions, {"1.0"}, "10.0", false},
                                 {kVersions, {"7.5", "8.6"}, "8.6", true},
                                 {kVersions, {}, "8.6", false},
                                 {kVersions, {"9.0a"}, "9.0", true},
                                 {kVersions, {"9.0a"}, "9.1", false},
                                 {kVersions, {"12.0"}, "12.1", true},
                                 {kVersions, {"8.0", "8.6"}, "8.7", false},  // desktop code on Tegra
                                 {kVersions, {"8.7"}, "8.7", true},
                                 {kVersions, {"8.7"}, "8.9", false},  // and Tegra's on a desktop card
                                 {kVersions, {"7.2"}, "7.5", false},
                                 {kWords, {"gfx1030"}, "gfx1030", true},
                                 {kWords, {"gfx1030"}, "gfx1031", false},
                                 {kWords, {"gfx1030"}, "gfx103", false},
                                 {kReleases, {"12.55-12.57"}, "12.55", true},
                                 {kReleases, {"12.55-12.57"}, "12.56.4", true},
                                 {kReleases, {"12.55-12.57"}, "12.57.3", true},
                                 {kReleases, {"12.55-12.57"}, "12.58", false},
                                 {kReleases, {"12.55-12.57"}, "12.54.9", false},
                                 {kReleases, {"20"}, "20.4.4", true},
                                 {kReleases, {"20"}, "200.1", false},
                                 {kReleases, {"20"}, "2", false}};
  for (const Row& row : rows)
    EXPECT_EQ(HasCodeFor(row.target, row.built, row.device), row.runs)
        << row.device << " " << row.built.size();
}

TEST(Code, IsOlderThanADeviceThatIsNewerThanAll) {
  EXPECT_TRUE(IsNewerThanAll(kVersions, {"7.5", "9.0"}, "12.0"));
  EXPECT_FALSE(IsNewerThanAll(kVersions, {"7.5", "12.0"}, "10.0"));
  EXPECT_TRUE(IsNewerThanAll(kReleases, {"12.55-12.57", "20"}, "30.0"));
  EXPECT_FALSE(IsNewerThanAll(kReleases, {"12.55-12.57"}, "12.56"));
  EXPECT_FALSE(IsNewerThanAll(kWords, {"gfx1030"}, "gfx1201")) << "words have no order";
}

TEST(Code, MayNotBeKnownOfANewerDevice) {
  auto words = kWords;
  words.known = {"gfx803",  "gfx90a",  "gfx950",  "gfx1033", "gfx1036",
                 "gfx1151", "gfx1170", "gfx1201", "gfx1250"};
  const std::vector<std::string> built = {"gfx90a", "gfx950", "gfx1036", "gfx1151", "gfx1201"};
  for (const char* device : {"gfx1250", "gfx1170", "gfx1301"}) EXPECT_TRUE(MayBeTooNew(words, built, device));
  for (const char* device : {"gfx803", "gfx1033"}) EXPECT_FALSE(MayBeTooNew(words, built, device)) << device;
  auto releases = kReleases;
  releases.known = {"9.0", "12.55", "20.1", "35.10"};
  EXPECT_TRUE(MayBeTooNew(releases, {"12.0-12.74", "20"}, "35.10"));
  EXPECT_TRUE(MayBeTooNew(releases, {"20", "40"}, "30.0")) << "a release that the table lacks";
  EXPECT_FALSE(MayBeTooNew(releases, {"12.0-12.74", "20"}, "9.0.9"));
  EXPECT_TRUE(MayBeTooNew(kVersions, {"7.5", "12.0"}, "13.0"));
  EXPECT_FALSE(MayBeTooNew(kVersions, {"7.5", "12.0"}, "3.0"));
}

}  // namespace
}  // namespace report
