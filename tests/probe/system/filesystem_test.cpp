// SPDX-License-Identifier: MIT
#include "probe/system/filesystem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "probe/system/node_access.h"
#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/system/unprivileged.h"

namespace probe::system {
namespace {

using ::testing::ElementsAre;

class Sysroot : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = FileSystem::Open(tree_.root());
    ASSERT_TRUE(opened) << Describe(opened.error());
    files_.emplace(*std::move(opened));
  }
  TemporaryTree tree_;
  std::optional<FileSystem> files_;
};

TEST(FileSystem, IsLiveOnlyAtTheRoot) {
  EXPECT_TRUE(FileSystem::Open("/")->live());
  EXPECT_FALSE(FileSystem::Open("/usr")->live());
}

TEST(FileSystem, NamesADirectoryThatCanNotBeOpened) {
  const auto missing = FileSystem::Open("/nonexistent/sysroot");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().name, "ENOENT");
  EXPECT_THAT(missing.error().text, ::testing::HasSubstr("/nonexistent/sysroot"));
}

TEST_F(Sysroot, ReadsWhatIsInside) {
  tree_.Write("/sys/class/x/vendor", "0x10de\n");
  tree_.Write("/sys/class/x/count", " 42 \nrest\n");
  tree_.Write("/sys/class/x/empty", "\n");
  tree_.Write("/sys/class/x/word", "12ab\n");
  EXPECT_EQ(files_->ReadNumber("/sys/class/x/vendor"), 0x10deU);
  EXPECT_EQ(files_->ReadNumber("/sys/class/x/count"), 42U);
  EXPECT_EQ(files_->ReadLine("/sys/class/x/count"), "42");
  EXPECT_EQ(files_->ReadLine("/sys/class/x/empty"), std::nullopt);
  EXPECT_EQ(files_->ReadNumber("/sys/class/x/word"), std::nullopt);
  EXPECT_EQ(files_->ReadNumber("/sys/class/x/missing"), std::nullopt);
  EXPECT_THAT(files_->List("/sys/class/x"), ElementsAre("count", "empty", "vendor", "word"));
  EXPECT_TRUE(files_->List("/sys/class/y").empty());
}

TEST_F(Sysroot, RejectsNumbersThatDoNotFit) {
  tree_.Write("/n", "18446744073709551616\n");
  tree_.Write("/m", "-1\n");
  EXPECT_EQ(files_->ReadNumber("/n"), std::nullopt);
  EXPECT_EQ(files_->ReadNumber("/m"), std::nullopt);
}

TEST_F(Sysroot, KeepsEveryLinkInside) {
  tree_.Write("/etc/passwd", "inside\n");
  tree_.Link("/absolute", "/etc/passwd");
  tree_.Link("/climbing", "../../../../../../etc/passwd");
  tree_.Link("/parent", "/..");
  EXPECT_EQ(files_->ReadLine("/absolute"), "inside");
  EXPECT_EQ(files_->ReadLine("/climbing"), "inside");
  EXPECT_EQ(files_->ReadLine("/parent/etc/passwd"), "inside");
  EXPECT_EQ(files_->ReadLine("/../../../../etc/passwd"), "inside");
  EXPECT_EQ(files_->Resolve("/climbing"), "/etc/passwd");
  EXPECT_EQ(files_->Resolve("/parent"), "/");
  EXPECT_EQ(files_->ReadLink("/absolute"), "/etc/passwd");
}

TEST_F(Sysroot, DoesNotShowTheMachineAroundIt) {
  tree_.Link("/out", "/proc/self/root/etc/hostname");
  EXPECT_FALSE(files_->Exists("/proc/self/status"));
  EXPECT_FALSE(files_->Exists("/out"));
  EXPECT_FALSE(files_->Read("/out"));
}

TEST_F(Sysroot, AnswersNothingForPathsThatAreNotAbsolute) {
  tree_.Write("/file", "x\n");
  for (const std::string path : {"file", "./file", "../file", ""}) {
    EXPECT_FALSE(files_->Exists(path)) << path;
    EXPECT_FALSE(files_->Read(path)) << path;
    EXPECT_EQ(files_->Resolve(path), std::nullopt) << path;
  }
  EXPECT_FALSE(files_->Exists(std::string_view("/file\0x", 7)));
  EXPECT_FALSE(files_->Exists("/" + std::string(10000, 'a')));
}

TEST_F(Sysroot, GivesUpOnACircleOfLinks) {
  tree_.Link("/a", "b");
  tree_.Link("/b", "a");
  EXPECT_FALSE(files_->Read("/a"));
  EXPECT_EQ(files_->Resolve("/a"), std::nullopt);
}

TEST_F(Sysroot, ResolvesLinksAlongTheWay) {
  tree_.Write("/sys/devices/pci0000:00/0000:00:02.0/vendor", "0x8086\n");
  tree_.Link("/sys/class/drm/card0", "../../devices/pci0000:00/0000:00:02.0");
  EXPECT_EQ(files_->Resolve("/sys/class/drm/card0/vendor"), "/sys/devices/pci0000:00/0000:00:02.0/vendor");
  EXPECT_EQ(files_->Resolve("/sys/class/drm/card0/../"), "/sys/devices/pci0000:00");
  EXPECT_EQ(files_->Resolve("/sys//class/./drm"), "/sys/class/drm");
}

TEST_F(Sysroot, BoundsWhatItReads) {
  tree_.Write("/huge", std::string(3U << 20U, 'x'));
  EXPECT_EQ(files_->Read("/huge")->size(), 1U << 20U);
  EXPECT_EQ(files_->Read("/huge", 10)->size(), 10U);
  EXPECT_EQ(files_->Read("/huge", 5U << 20U)->size(), 3U << 20U);
}

TEST_F(Sysroot, ReadsBytesAsTheyAre) {
  const std::string content("a\0b\xff", 4);
  tree_.Write("/binary", content);
  EXPECT_EQ(*files_->Read("/binary"), content);
}

TEST_F(Sysroot, NeverWaitsForAPipeOrTouchesADevice) {
  ASSERT_EQ(mkfifo(tree_.At("/pipe").c_str(), 0644), 0);
  EXPECT_FALSE(files_->Read("/pipe"));
  EXPECT_FALSE(files_->Read("/"));
  ASSERT_TRUE(files_->Stat("/pipe"));
  EXPECT_FALSE(files_->Stat("/pipe")->is_regular);
  EXPECT_EQ(files_->TryOpen("/pipe").error().name, "not live");
}

TEST_F(Sysroot, ShowsEveryContentThatWasReadToTheObserver) {
  tree_.Write("/a", "one\n");
  tree_.Write("/b", "two\n");
  std::vector<std::pair<std::string, std::string>> seen;
  files_->OnRead([&](std::string_view path, std::string_view content) { seen.emplace_back(path, content); });
  EXPECT_EQ(files_->ReadLine("/a"), "one");
  EXPECT_TRUE(files_->Read("/b"));
  EXPECT_FALSE(files_->Read("/c"));
  EXPECT_THAT(seen, ElementsAre(std::pair("/a", "one\n"), std::pair("/b", "two\n")));
}

TEST_F(Sysroot, TellsAFileFromADirectoryAndALink) {
  tree_.Write("/file", "12345", 0640);
  tree_.Link("/link", "file");
  const auto file = files_->Stat("/file");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->is_regular);
  EXPECT_EQ(file->size_bytes, 5U);
  EXPECT_EQ(file->mode, 0640U);
  EXPECT_EQ(files_->Stat("/link")->inode, file->inode);
  EXPECT_TRUE(files_->StatLink("/link")->is_link);
  EXPECT_TRUE(files_->Stat("/")->is_directory);
}

TEST(FileSystem, SaysWhyADeviceCanNotBeOpened) {
  const auto files = FileSystem::Open("/");
  EXPECT_TRUE(files->TryOpen("/dev/null"));
  EXPECT_EQ(files->TryOpen("/dev/nonexistent").error().name, "ENOENT");
}

// Some drivers reset their device when its node is closed.
TEST(FileSystem, TellsWhetherANodeMayBeOpenedWithoutOpeningIt) {
  TemporaryTree tree;
  tree.Write("/accel0", "");
  const std::string path = tree.At("/accel0");
  const auto files = FileSystem::Open("/");
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(watch, 0);
  ASSERT_GE(inotify_add_watch(watch, path.c_str(), IN_OPEN), 0);
  std::array<char, 4096> events{};
  EXPECT_EQ(CheckNodeUnopened(*files, path), (DeviceNode{path, true, true}));
  EXPECT_EQ(read(watch, events.data(), events.size()), -1) << "it was opened";
  EXPECT_EQ(CheckNode(*files, path), (DeviceNode{path, true, true}));
  EXPECT_GT(read(watch, events.data(), events.size()), 0) << "nobody would see it";
  close(watch);
  EXPECT_EQ(MayOpen(*files, path + "1").error().name, "ENOENT");
  EXPECT_FALSE(CheckNodeUnopened(*files, path + "1").exists);
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ASSERT_EQ(chmod(tree.root().c_str(), 0755), 0);
  if (geteuid() != 0) return;  // it is this user's
  const Unprivileged user;
  EXPECT_EQ(CheckNodeUnopened(*files, path), (DeviceNode{path, true, false, "EACCES", "root"}));
}

// Docker's filter of system calls before 20.10.6 refuses faccessat2 so.
void RefuseFaccessat2() {
  std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_faccessat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    _exit(2);
}

TEST(FileSystem, TellsWhetherANodeMayBeOpenedWhereTheNewCallIsRefused) {
  TemporaryTree tree;
  tree.Write("/accel0", "");
  const std::string path = tree.At("/accel0");
  const auto files = FileSystem::Open("/");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RefuseFaccessat2();
    _exit(MayOpen(*files, path).ok() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: told to be closed, 2: nothing was refused";
}

// By the group that the node has, not by the one that such nodes usually have.
TEST_F(Sysroot, TellsWhoMayOpenANodeThatThisUserMayNot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files to others";
  struct Row {
    gid_t group;
    mode_t mode;
    const char* open_to;  // "": not told
  };
  ASSERT_EQ(chmod(tree_.root().c_str(), 0755), 0);
  tree_.Write("/etc/group", "root:x:0:\nvideo:x:44:\n$(x):x:45:\ncompute:x:777:a,b\nalice:x:1000:\n");
  for (const auto& [group, mode, open_to] :
       {Row{44, 0660, "video"}, Row{777, 0660, "compute"}, Row{44, 0640, "root"}, Row{44, 0600, "root"},
        Row{0, 0660, "root"}, Row{778, 0660, "778"}, Row{45, 0660, "45"}, Row{1000, 0660, "1000"},
        Row{65534, 0660, ""}, Row{44, 0666, ""}}) {
    tree_.Write("/node", "");
    ASSERT_EQ(chown(tree_.At("/node").c_str(), 0, group), 0);
    ASSERT_EQ(chmod(tree_.At("/node").c_str(), mode), 0);
    EXPECT_EQ(OpenTo(*files_, "/node").value_or(""), open_to) << group << " " << std::oct << mode;
    EXPECT_EQ(CheckNode(*files_, "/node").open_to, std::nullopt) << "root opens it";
    if (mode == 0666 || group == 0) continue;  // of which root keeps being here
    const Unprivileged user;
    EXPECT_EQ(CheckNode(*files_, "/node").open_to.value_or(""), open_to);
  }
}

TEST(FileSystem, CanBeMoved) {
  auto first = FileSystem::Open("/");
  FileSystem second = *std::move(first);
  auto other = FileSystem::Open("/usr");
  second = *std::move(other);
  EXPECT_EQ(second.root(), "/usr");
  EXPECT_TRUE(second.Exists("/bin"));
}

}  // namespace
}  // namespace probe::system
