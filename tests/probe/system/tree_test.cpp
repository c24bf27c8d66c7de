// SPDX-License-Identifier: MIT
#include "probe/system/tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/system/unprivileged.h"

namespace probe::system {
namespace {

namespace fs = std::filesystem;
using ::testing::UnorderedElementsAre;

class TreeTest : public ::testing::Test {
 protected:
  Descriptor Open() { return OpenDirectoryAt(AT_FDCWD, tree_.root()); }
  std::vector<std::string> Paths(bool& complete) {
    std::vector<std::string> paths;
    complete = WalkTree(Open().get(), [&](const std::string& path, const FileStatus&) {
      paths.push_back(path);
      return true;
    });
    return paths;
  }
  bool IsEmpty() const { return fs::is_empty(tree_.root()); }
  TemporaryTree tree_;
};

TEST_F(TreeTest, IsWalkedWithoutFollowingLinks) {
  TemporaryTree elsewhere;
  elsewhere.Write("/secret", "x");
  tree_.Write("/a/file", "x");
  tree_.Link("/link", elsewhere.root());
  bool complete = false;
  EXPECT_THAT(Paths(complete), UnorderedElementsAre("a", "a/file", "link"));
  EXPECT_TRUE(complete);
}

TEST_F(TreeTest, IsNotCompleteWhereItCanNotBeRead) {
  const Unprivileged user;
  TemporaryTree own;
  own.Write("/closed/file", "x");
  own.Directory("/closed", 0000);
  const auto top = OpenDirectoryAt(AT_FDCWD, own.root());
  EXPECT_FALSE(WalkTree(top.get(), [](const std::string&, const FileStatus&) { return true; }));
  own.Directory("/closed", 0700);
  EXPECT_TRUE(WalkTree(top.get(), [](const std::string&, const FileStatus&) { return true; }));
}

TEST_F(TreeTest, IsEmptiedHoweverDeepAndWhateverTheDriverCalledThings) {
  MakeChain(tree_.root(), 80, std::string(200, 'd'));
  tree_.Write("/moved-1/inner/file", "x");
  tree_.Write("/moved-2", "x");
  EXPECT_TRUE(EmptyTree(Open().get()));
  EXPECT_TRUE(IsEmpty());
}

TEST_F(TreeTest, IsEmptiedOfDirectoriesThatForbidIt) {
  const Unprivileged user;
  TemporaryTree own;
  own.Write("/a/b/c/file", "x");
  for (const char* path : {"/a/b/c", "/a/b", "/a"}) own.Directory(path, 0000);
  EXPECT_TRUE(EmptyTree(OpenDirectoryAt(AT_FDCWD, own.root()).get()));
  EXPECT_TRUE(fs::is_empty(own.root()));
}

TEST_F(TreeTest, IsEmptiedWithoutTouchingWhereItsLinksLead) {
  TemporaryTree elsewhere;
  const auto kept = elsewhere.Write("/kept/file", "x");
  tree_.Link("/a/b/link", elsewhere.At("/kept"));
  tree_.Link("/file", kept);
  EXPECT_TRUE(EmptyTree(Open().get()));
  EXPECT_TRUE(IsEmpty());
  EXPECT_TRUE(fs::exists(kept));
}

TEST_F(TreeTest, LosesAFileByItsPathButNotThroughALink) {
  TemporaryTree elsewhere;
  const auto kept = elsewhere.Write("/file", "x");
  tree_.Link("/link", elsewhere.root());
  const auto gone = tree_.Write("/a/b/file", "x");
  EXPECT_TRUE(RemoveBelow(Open().get(), "a/b/file"));
  EXPECT_FALSE(fs::exists(gone));
  EXPECT_FALSE(RemoveBelow(Open().get(), "link/file"));
  EXPECT_TRUE(fs::exists(kept));
}

TEST_F(TreeTest, GrowsBelowItselfOnly) {
  TemporaryTree elsewhere;
  tree_.Link("/link", elsewhere.root());
  ASSERT_TRUE(MakeBelow(Open().get(), "a/b//c").ok());
  EXPECT_EQ(fs::status(tree_.At("/a/b/c")).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(MakeBelow(Open().get(), "a/b").ok());
  EXPECT_FALSE(MakeBelow(Open().get(), "link/x").ok());
  EXPECT_FALSE(MakeBelow(Open().get(), "a/../../x").ok());
  EXPECT_TRUE(fs::is_empty(elsewhere.root()));
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(tree_.Directory("/foreign").c_str(), kUnprivilegedUser, kUnprivilegedUser), 0);
  EXPECT_FALSE(MakeBelow(Open().get(), "foreign/x").ok());
  EXPECT_TRUE(fs::is_empty(tree_.At("/foreign")));
}

}  // namespace
}  // namespace probe::system
