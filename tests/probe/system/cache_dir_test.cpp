// SPDX-License-Identifier: MIT
#include "probe/system/cache_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/system/unprivileged.h"

namespace probe::system {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CacheDirectoryTest : public ::testing::Test {
 protected:
  Result<std::string> Find() { return CacheDirectory(environment_, *files_); }
  TemporaryTree tree_;
  Environment environment_;
  Result<FileSystem> files_ = FileSystem::Open("/");
};

TEST_F(CacheDirectoryTest, IsMadeForThisUserAlone) {
  environment_.Set("XDG_CACHE_HOME", tree_.At("/a/b"));
  environment_.Set("HOME", tree_.At("/home"));
  const auto found = Find();
  ASSERT_TRUE(found) << Describe(found.error());
  EXPECT_EQ(*found, tree_.At("/a/b/whichgpu"));
  EXPECT_EQ(files_->Stat(*found)->mode, 0700U);
  EXPECT_EQ(*Find(), *found);
}

TEST_F(CacheDirectoryTest, IsBelowHomeWhenNothingElseIsSaid) {
  environment_.Set("HOME", tree_.root());
  for (const char* useless : {"", "relative/cache"}) {
    environment_.Set("XDG_CACHE_HOME", useless);
    EXPECT_EQ(*Find(), tree_.At("/.cache/whichgpu"));
  }
}

TEST_F(CacheDirectoryTest, IsMissingWithoutAHome) {
  EXPECT_EQ(Find().error().name, "none");
  environment_.Set("HOME", "relative");
  EXPECT_EQ(Find().error().name, "none");
  environment_.Set("HOME", tree_.At("/nonexistent"));
  EXPECT_EQ(Find().error().name, "none");
  EXPECT_FALSE(files_->Exists(tree_.At("/nonexistent")));
}

TEST_F(CacheDirectoryTest, IsMissingWhereNothingCanBeMade) {
  environment_.Set("XDG_CACHE_HOME", tree_.Write("/file", "x"));
  EXPECT_EQ(Find().error().name, "ENOTDIR");
}

TEST_F(CacheDirectoryTest, IsMissingUnderASysroot) {
  environment_.Set("HOME", "/root");
  const auto sysroot = FileSystem::Open(tree_.root());
  EXPECT_FALSE(CacheDirectory(environment_, *sysroot));
}

TEST_F(CacheDirectoryTest, IsRefusedWhenOthersMayWriteIt) {
  environment_.Set("XDG_CACHE_HOME", tree_.root());
  tree_.Directory("/whichgpu", 0777);
  EXPECT_THAT(Find().error().text, HasSubstr("can be written by others"));
}

TEST_F(CacheDirectoryTest, IsRefusedWhenItIsALink) {
  environment_.Set("XDG_CACHE_HOME", tree_.At("/cache"));
  tree_.Link("/cache/whichgpu", tree_.Directory("/elsewhere"));
  EXPECT_THAT(Find().error().text, HasSubstr("is not a directory"));
}

TEST_F(CacheDirectoryTest, IsNotMadeByRootInAnothersHome) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a directory away";
  const auto home = tree_.Directory("/home/user");
  ASSERT_EQ(chown(home.c_str(), 12345, 12345), 0);
  environment_.Set("HOME", home);
  EXPECT_THAT(Find().error().text, HasSubstr("belongs to user 12345"));
  EXPECT_TRUE(std::filesystem::is_empty(home));
  ASSERT_EQ(lchown(tree_.Link("/home/user/.cache", tree_.Directory("/roots")).c_str(), 12345, 12345), 0);
  EXPECT_THAT(Find().error().text, HasSubstr("belongs to user 12345"));
  EXPECT_TRUE(std::filesystem::is_empty(tree_.At("/roots")));
}

TEST_F(CacheDirectoryTest, IsNotMadeWhereAnotherUserWouldOwnTheWay) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a directory away";
  const auto shared = tree_.Directory("/home/other", 0777);
  ASSERT_EQ(chown(shared.c_str(), 12346, 12346), 0);
  tree_.Directory("/", 0755);
  const auto own = tree_.Directory("/own", 0755);
  ASSERT_EQ(chown(own.c_str(), kUnprivilegedUser, kUnprivilegedUser), 0);
  ASSERT_EQ(lchown(tree_.Link("/home/link", own).c_str(), 12346, 12346), 0);
  const Unprivileged user;
  environment_.Set("HOME", shared);
  EXPECT_THAT(Find().error().text, HasSubstr("belongs to user 12346"));
  EXPECT_TRUE(std::filesystem::is_empty(shared));
  environment_.Set("HOME", tree_.At("/home/link"));
  EXPECT_THAT(Find().error().text, HasSubstr("is another user's link"));
  EXPECT_TRUE(std::filesystem::is_empty(own));
}

TEST_F(CacheDirectoryTest, IsMadeBehindOwnLinksAndBelowTheSystemsOpenDirectories) {
  const auto open = tree_.Directory("/open", 01777);
  tree_.Directory("/", 0755);
  tree_.Link("/home", tree_.Directory("/var/home", 0777));
  const Unprivileged user;
  environment_.Set("XDG_CACHE_HOME", open + "/fresh");
  EXPECT_TRUE(Find()) << Describe(Find().error());
  environment_.Unset("XDG_CACHE_HOME");
  tree_.Directory("/home/me");
  tree_.Link("/home/me/.cache", tree_.Directory("/home/fast"));
  environment_.Set("HOME", tree_.At("/home/me"));
  EXPECT_TRUE(Find()) << Describe(Find().error());
  EXPECT_TRUE(std::filesystem::is_directory(tree_.At("/var/home/fast/whichgpu")));
}

constexpr std::array kCaches = {
    DriverCache{"MESA_SHADER_CACHE_DIR", "mesa"}, DriverCache{"POCL_CACHE_DIR", "pocl", true, true},
    DriverCache{"CUDA_CACHE_PATH", "ptx"}, DriverCache{"MESA_SHADER_CACHE_DIR", "mesa"},
    DriverCache{"MESA_SHADER_CACHE_MAX_SIZE", "64M", false}};

ChildVariables VariablesOn(const CacheGround& ground) {
  Environment environment;
  environment.Set("CUDA_CACHE_PATH", "/users/choice");
  ChildVariables out;
  AddDriverCaches(kCaches, ground, environment, out);
  return out;
}

TEST(DriverCaches, AreBelowOursUnlessTheUserChose) {
  TemporaryTree tree;
  const auto variables = VariablesOn({tree.root()});
  const std::vector<EnvironmentVariable> expected = {{"MESA_SHADER_CACHE_DIR", tree.At("/drivers/mesa")},
                                                     {"POCL_CACHE_DIR", tree.At("/drivers/pocl")},
                                                     {"MESA_SHADER_CACHE_MAX_SIZE", "64M"}};
  EXPECT_EQ(variables.fixed, expected);
  EXPECT_THAT(variables.scratch, IsEmpty());
  for (const char* folder : {"mesa", "pocl"})
    EXPECT_TRUE(std::filesystem::is_directory(tree.At("/drivers/") + folder));
  EXPECT_FALSE(std::filesystem::exists(tree.At("/drivers/ptx")));
}

TEST(DriverCaches, AreTheChildsOwnWhereWeHaveNone) {
  const auto variables = VariablesOn({});
  EXPECT_THAT(variables.scratch, ElementsAre("MESA_SHADER_CACHE_DIR", "POCL_CACHE_DIR"));
  EXPECT_THAT(variables.fixed, SizeIs(1)) << "the bound, which is no place";
}

TEST(DriverCaches, ThatAreExecutedAreWhereThatIsPossible) {
  TemporaryTree tree;
  const auto apart = VariablesOn({tree.root(), true, false});
  EXPECT_THAT(apart.scratch, ElementsAre("POCL_CACHE_DIR"));
  EXPECT_EQ(apart.fixed.front().value, tree.At("/drivers/mesa")) << "is only read";
  EXPECT_THAT(VariablesOn({tree.root(), true, true}).scratch, IsEmpty()) << "no better there";
  EXPECT_THAT(VariablesOn({tree.root(), false, true}).scratch, IsEmpty());
}

// Where the running machine has mounted something that way; "" where it has not. proc_pid_mounts(5).
std::string NoexecMount() {
  std::ifstream mounts("/proc/self/mounts");
  for (std::string source, place, type, options, rest; mounts >> source >> place >> type >> options;) {
    std::getline(mounts, rest);
    if (("," + options + ",").find(",noexec,") != std::string::npos && access(place.c_str(), X_OK) == 0)
      return place;
  }
  return "";
}

TEST(DriverCaches, LieOnKnownGround) {
  TemporaryTree tree;
  Environment environment;
  environment.Set("TMPDIR", tree.root());
  const auto ground = InspectCacheGround(tree.root(), environment);
  EXPECT_EQ(ground.directory, tree.root());
  EXPECT_EQ(ground.is_noexec, ground.scratch_is_noexec);
  EXPECT_EQ(InspectCacheGround(Error{"", std::nullopt, "none", ""}, environment).directory, "");
  const auto place = NoexecMount();
  if (place.empty()) GTEST_SKIP() << "nothing is mounted noexec here";
  EXPECT_TRUE(InspectCacheGround(place, environment).is_noexec) << place;
}

TEST(DriverCaches, LoseTheirOldestFilesFirst) {
  TemporaryTree tree;
  const auto old = tree.Write("/drivers/mesa/old", std::string(1000, 'x'));
  const auto middle = tree.Write("/drivers/pocl/a/middle", std::string(1000, 'x'));
  const auto fresh = tree.Write("/drivers/mesa/fresh", std::string(1000, 'x'));
  tree.Link("/drivers/mesa/link", tree.Write("/outside", std::string(5000, 'x')));
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(old, now - std::chrono::hours(2));
  std::filesystem::last_write_time(middle, now - std::chrono::hours(1));
  TrimDriverCaches(tree.root(), 3000);
  EXPECT_TRUE(std::filesystem::exists(old));
  TrimDriverCaches(tree.root(), 1500);
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_FALSE(std::filesystem::exists(middle));
  EXPECT_TRUE(std::filesystem::exists(fresh));
  EXPECT_TRUE(std::filesystem::exists(tree.At("/outside")));
  TrimDriverCaches(tree.At("/nothing"), 0);
}

TEST(DriverCaches, LoseTheEmptyFilesThatADriverForgot) {
  TemporaryTree tree;
  const auto before = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  const auto write = [&](const std::string& path, const std::string& content, bool is_old) {
    auto file = tree.Write(path, content);
    if (is_old) std::filesystem::last_write_time(file, before);
    return file;
  };
  const auto forgotten = write("/drivers/pocl/tempfile_1jD9Zy", "", true);
  const auto in_use = write("/drivers/pocl/tempfile_2IZBMa", "", false);
  const auto filled = write("/drivers/pocl/tempfile_2QkrSF", "x", true);
  const auto marker = write("/drivers/mesa/marker", "", true);
  const auto outside = write("/tempfile_3", "", true);
  TrimDriverCaches(tree.root());
  EXPECT_FALSE(std::filesystem::exists(forgotten));
  for (const auto& kept : {in_use, filled, marker, outside})
    EXPECT_TRUE(std::filesystem::exists(kept)) << kept;
}

TEST(DriverCaches, AreNotMadeThroughALink) {
  TemporaryTree tree;
  const auto elsewhere = tree.Directory("/elsewhere");
  tree.Link("/cache/drivers", elsewhere);
  EXPECT_THAT(VariablesOn({tree.At("/cache")}).scratch,
              ElementsAre("MESA_SHADER_CACHE_DIR", "POCL_CACHE_DIR"));
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));
  tree.Write("/elsewhere/file", std::string(1000, 'x'));
  TrimDriverCaches(tree.At("/cache"), 0);
  EXPECT_TRUE(std::filesystem::exists(tree.At("/elsewhere/file")));
}

TEST(DriverCaches, OfWhichAPartIsHiddenGoWhole) {
  TemporaryTree tree;
  tree.Write("/drivers/mesa/file", "x");
  MakeChain(tree.At("/drivers/mesa"), 70, std::string(100, 'd'), 5000);
  TrimDriverCaches(tree.root(), 3000);
  EXPECT_TRUE(std::filesystem::is_empty(tree.At("/drivers")));
}

}  // namespace
}  // namespace probe::system
