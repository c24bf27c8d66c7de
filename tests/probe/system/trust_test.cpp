// SPDX-License-Identifier: MIT
#include "probe/system/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>

#include "probe/system/filesystem.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::system {
namespace {

using ::testing::HasSubstr;

// The rules for root; only root can give files away to others.
class TrustOfRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root to own and give away files";
  }
  std::string Offence(const std::string& path) {
    const auto trusted = CheckTrusted(*files_, path);
    return trusted ? "" : trusted.error().text;
  }
  static void Give(const std::string& path) { ASSERT_EQ(lchown(path.c_str(), 12345, 12345), 0); }

  TemporaryTree tree_;
  Result<FileSystem> files_ = FileSystem::Open("/");
};

TEST_F(TrustOfRoot, AcceptsRootsOwnFileBelowAStickyDirectory) {
  EXPECT_EQ(Offence(tree_.Write("/lib/a.so", "x")), "");
  EXPECT_EQ(Offence("/bin/sh"), "");
}

TEST_F(TrustOfRoot, RefusesAFileOfAnotherUser) {
  const auto file = tree_.Write("/a.so", "x");
  Give(file);
  EXPECT_THAT(Offence(file), HasSubstr(file + " belongs to user 12345"));
}

TEST_F(TrustOfRoot, RefusesAFileThatOthersMayWrite) {
  EXPECT_THAT(Offence(tree_.Write("/a.so", "x", 0666)), HasSubstr("a.so can be written by others"));
  EXPECT_THAT(Offence(tree_.Write("/b.so", "x", 0664)), HasSubstr("b.so can be written by others"));
}

TEST_F(TrustOfRoot, RefusesADirectoryOnTheWayThatOthersMayWriteOrOwn) {
  const auto open = tree_.Write("/open/sub/a.so", "x");
  tree_.Directory("/open", 0777);
  EXPECT_THAT(Offence(open), HasSubstr(tree_.At("/open") + " can be written by others"));
  const auto foreign = tree_.Write("/foreign/a.so", "x");
  Give(tree_.At("/foreign"));
  EXPECT_THAT(Offence(foreign), HasSubstr(tree_.At("/foreign") + " belongs to user"));
}

TEST_F(TrustOfRoot, AcceptsAStickyDirectoryOfRootOnly) {
  const auto file = tree_.Write("/sticky/a.so", "x");
  tree_.Directory("/sticky", 01777);
  EXPECT_EQ(Offence(file), "");
  Give(tree_.At("/sticky"));
  EXPECT_THAT(Offence(file), HasSubstr("belongs to user"));
}

TEST_F(TrustOfRoot, LooksAtLinksAndAtWhereTheyLeadThrough) {
  const auto file = tree_.Write("/good/a.so", "x");
  tree_.Directory("/sticky", 01777);
  const auto link = tree_.Link("/sticky/a.so", file);
  EXPECT_EQ(Offence(link), "");
  Give(link);
  EXPECT_THAT(Offence(link), HasSubstr("sticky/a.so belongs to user"));
  tree_.Link("/open/hop", tree_.At("/good"));
  const auto outer = tree_.Link("/outer", tree_.At("/open/hop/a.so"));
  EXPECT_EQ(Offence(outer), "");
  tree_.Directory("/open", 0777);
  EXPECT_THAT(Offence(outer), HasSubstr("/open can be written"));
}

// A library below a directory that the group may write, on a machine with these lists of groups and users.
std::string OffenceOfGroup(gid_t gid, std::string_view group, std::string_view users, mode_t mode = 02775,
                           std::string_view list = {}) {
  const TemporaryTree tree;
  tree.Directory("/", 0755);
  tree.Write("/etc/group", group);
  tree.Write("/etc/passwd", users);
  tree.Write("/usr/local/lib/python3.11/a.so", "x");
  const auto folder = tree.At("/usr/local/lib");
  EXPECT_EQ(lchown(folder.c_str(), 0, gid), 0);
  EXPECT_EQ(chmod(folder.c_str(), mode), 0);
  if (!list.empty() && setxattr(folder.c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0)
    return std::strerror(errno);
  const auto trusted = CheckTrusted(*FileSystem::Open(tree.root()), "/usr/local/lib/python3.11/a.so");
  return trusted ? "" : trusted.error().text;
}

TEST_F(TrustOfRoot, AcceptsADirectoryOfASystemGroupThatNobodyIsIn) {
  constexpr std::string_view kGroups = "root:x:0:\nsrc:x:40:eve\nstaff:x:50:\nusers:x:1000:\n";
  constexpr std::string_view kUsers = "root:x:0:0:root:/root:/bin/sh\neve:x:1001:40::/home/eve:/bin/sh\n";
  EXPECT_EQ(OffenceOfGroup(50, kGroups, kUsers), "");
  EXPECT_EQ(OffenceOfGroup(50, "staff:x:50:root\n", kUsers), "");
  const auto refused = HasSubstr("/usr/local/lib can be written by others");
  EXPECT_THAT(OffenceOfGroup(50, kGroups, kUsers, 02777), refused);
  EXPECT_THAT(OffenceOfGroup(40, kGroups, kUsers), refused) << "eve is in it";
  EXPECT_THAT(OffenceOfGroup(50, "staff:x:50:root,eve\n", kUsers), refused);
  EXPECT_THAT(OffenceOfGroup(50, kGroups, "eve:x:1001:50::/:/bin/sh\n"), refused) << "it is eve's own";
  EXPECT_THAT(OffenceOfGroup(51, kGroups, kUsers), refused) << "nobody knows it";
  EXPECT_THAT(OffenceOfGroup(1000, kGroups, kUsers), refused) << "others may name its members";
  EXPECT_THAT(OffenceOfGroup(0, kGroups, kUsers), refused) << "containers give it away";
}

// Of an access control list (linux/posix_acl_xattr.h) that gives user 12345 everything the mode still shows
// the group's bits.
TEST_F(TrustOfRoot, RefusesADirectoryWhoseAccessControlListLetsOthersWrite) {
  std::string list("\x02\0\0\0", 4);
  const auto add = [&](char tag, char rights, std::string_view who) {
    list.append({tag, '\0', rights, '\0'}).append(who);
  };
  constexpr std::string_view kNobody("\xff\xff\xff\xff", 4);
  add(0x01, 7, kNobody);
  add(0x02, 7, std::string_view("\x39\x30\0\0", 4));
  add(0x04, 5, kNobody);
  add(0x10, 7, kNobody);
  add(0x20, 5, kNobody);
  const auto offence = OffenceOfGroup(50, "staff:x:50:\n", "", 02775, list);
  if (offence == std::strerror(EOPNOTSUPP)) GTEST_SKIP() << "this file system has no access control lists";
  EXPECT_THAT(offence, HasSubstr("/usr/local/lib can be written by others"));
}

TEST_F(TrustOfRoot, NamesAMissingFile) {
  EXPECT_THAT(Offence(tree_.At("/missing")), HasSubstr("missing: No such file"));
}

TEST(UserNamespace, IsKnownByTheMapOfItsUsers) {
  EXPECT_FALSE(IsPartialIdMap("         0          0 4294967295\n"));
  EXPECT_FALSE(IsPartialIdMap(""));
  for (const char* partial :
       {"0 1000 1\n", "         0       1000          1\n         1     100000      65536\n", "0 0 65536\n",
        "1000 0 4294967295\n"}) {
    EXPECT_TRUE(IsPartialIdMap(partial)) << partial;
  }
}

TEST(TrustOfOthers, IsWhatTheyCanRead) {
  TemporaryTree tree;
  tree.Directory("/", 0755);
  const auto open = tree.Write("/open", "x", 0666);
  const auto closed = tree.Write("/closed", "x", 0000);
  const auto files = FileSystem::Open("/");
  const auto user = geteuid();
  if (user == 0) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const auto readable = CheckTrusted(*files, open);
  const auto unreadable = CheckTrusted(*files, closed);
  ASSERT_EQ(seteuid(user), 0);
  EXPECT_TRUE(readable);
  EXPECT_EQ(unreadable.error().name, "EACCES");
}

}  // namespace
}  // namespace probe::system
