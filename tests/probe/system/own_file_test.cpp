// SPDX-License-Identifier: MIT
#include "probe/system/own_file.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/probe/tree.h"

namespace probe::system {
namespace {

TEST(OwnFile, IsReplacedWholeAndReadBack) {
  const tests::Tree tree;
  const std::string path = tree.Path("/kept");
  EXPECT_FALSE(ReadOwnFile(path, 10).value()) << "there is none";
  ASSERT_TRUE(ReplaceOwnFile(path, "first"));
  ASSERT_TRUE(ReplaceOwnFile(path, "2"));
  const auto content = ReadOwnFile(path, 10);
  ASSERT_TRUE(content.ok());
  EXPECT_EQ((*content)->text, "2");
  EXPECT_LT((*content)->age_s, 60);
  EXPECT_EQ(ReadOwnFile(path, 0).error().text, "is too large");
  EXPECT_FALSE(ReplaceOwnFile(tree.Path("/no/such/folder"), "x"));
}

TEST(OwnFile, IsRefusedWhereOthersMayHaveMadeIt) {
  tests::Tree tree;
  const std::string path = tree.Path("/lock");
  EXPECT_EQ(OpenOwnFile(path, Access::kChange).error().code, ENOENT);
  ASSERT_TRUE(OpenOwnFile(path, Access::kMake).ok());
  EXPECT_TRUE(OpenOwnFile(path, Access::kChange).ok());
  tree.Link("/link", path);
  EXPECT_FALSE(OpenOwnFile(tree.Path("/link"), Access::kMake).ok()) << "a link may lead anywhere";
  chmod(path.c_str(), 0620);
  EXPECT_EQ(OpenOwnFile(path, Access::kRead).error().text, "can be touched by others");
  EXPECT_EQ(OpenOwnFile(tree.Path(""), Access::kRead).error().text, "is no file");
  EXPECT_EQ(TakeLock(path, 0, [] { return true; }).held, nullptr);
}

TEST(OwnFile, IsExchangedWithAnother) {
  tests::Tree tree;
  const std::string one = tree.Path("/one"), other = tree.Path("/other");
  ASSERT_TRUE(ReplaceOwnFile(one, "1") && ReplaceOwnFile(other, "2"));
  const auto exchanged = Exchange(one, other);
  if (!exchanged && exchanged.error().code == EINVAL) GTEST_SKIP() << "this file system exchanges nothing";
  ASSERT_TRUE(exchanged.ok());
  EXPECT_EQ((*ReadOwnFile(one, 10).value()).text, "2");
  EXPECT_EQ((*ReadOwnFile(other, 10).value()).text, "1");
  EXPECT_EQ(Exchange(one, tree.Path("/none")).error().code, ENOENT);
}

}  // namespace
}  // namespace probe::system
