// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/store/record.h"

namespace report {
namespace {

namespace fs = std::filesystem;
using ::testing::UnorderedElementsAre;

// On a file system that exchanges nothing.
class RecordPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "whichgpu-place-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    Make("scratch", "mine");
    Make("place", "earlier");
  }
  void TearDown() override { fs::remove_all(root_); }

  void Make(const std::string& name, const std::string& content, const char* file = kRecordFile) const {
    fs::create_directory(root_ / name);
    std::ofstream(root_ / name / file) << content;
  }
  // Puts it in place; `meanwhile` is asked before each change of a name, and gives an error instead of it.
  int Put(const std::function<int(const std::string& from, const std::string& to)>& meanwhile) const {
    Renaming names = SystemsRenaming();
    const auto rename = names.rename;
    names.rename = [&](const fs::path& from, const fs::path& to) {
      const int error = meanwhile(from.filename(), to.filename());
      return error != 0 ? error : rename(from, to);
    };
    names.exchange = [](const fs::path&, const fs::path&) { return EINVAL; };
    return PutInPlace(root_ / "scratch", root_ / "place", names);
  }
  std::string Placed() const {
    std::string text;
    std::ifstream(root_ / "place" / kRecordFile) >> text;
    return text;
  }
  std::vector<std::string> All() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root_)) names.push_back(entry.path().filename());
    return names;
  }

  fs::path root_;
};

TEST_F(RecordPlace, IsTakenFromAnEarlierOne) {
  EXPECT_EQ(Put([](const auto&, const auto&) { return 0; }), 0);
  EXPECT_EQ(Placed(), "mine");
  EXPECT_THAT(All(), UnorderedElementsAre("place"));
}

TEST_F(RecordPlace, IsTakenAgainFromARunThatTookItBetweenTheSteps) {
  bool was_there = false;
  const auto another = [&](const std::string&, const std::string& to) {
    if (to == "place" && !fs::exists(root_ / "place") && !std::exchange(was_there, true))
      Make("place", "another's");
    return 0;
  };
  EXPECT_EQ(Put(another), 0);
  EXPECT_TRUE(was_there);
  EXPECT_EQ(Placed(), "mine");
  EXPECT_THAT(All(), UnorderedElementsAre("place"));
}

TEST_F(RecordPlace, IsTakenWhenAnotherRunLeftItEmpty) {
  int tries = 0;
  const auto another = [&](const std::string& from, const std::string&) {
    if (from != "scratch" || ++tries != 1) return 0;
    fs::remove_all(root_ / "place");
    return ENOTEMPTY;
  };
  EXPECT_EQ(Put(another), 0);
  EXPECT_EQ(Placed(), "mine");
}

TEST_F(RecordPlace, IsLeftToARunThatIsAlwaysFaster) {
  const auto another = [&](const std::string&, const std::string& to) {
    if (to == "place") Make("place", "another's");
    return 0;
  };
  EXPECT_EQ(Put(another), ENOTEMPTY);
  EXPECT_EQ(Placed(), "another's");
  EXPECT_THAT(All(), UnorderedElementsAre("place", "scratch"));
}

TEST_F(RecordPlace, StaysAsItWasWhereAStepFails) {
  const auto fail = [&](const std::string& from, const std::string&) {
    return from == "scratch" && !fs::exists(root_ / "place") ? EIO : 0;
  };
  EXPECT_EQ(Put(fail), EIO);
  EXPECT_EQ(Placed(), "earlier");
  EXPECT_THAT(All(), UnorderedElementsAre("place", "scratch"));
}

TEST_F(RecordPlace, IsNotTakenFromSomebodyElse) {
  const auto another = [&](const std::string& from, const std::string&) {
    if (from == "place") Make("place", "x", "precious");
    return 0;
  };
  EXPECT_EQ(Put(another), ENOTEMPTY);
  EXPECT_TRUE(fs::exists(root_ / "place" / "precious"));
  EXPECT_THAT(All(), UnorderedElementsAre("place", "scratch"));
}

}  // namespace
}  // namespace report
