// SPDX-License-Identifier: MIT
// What a driver leaves in the working directory or does to it. At most a few megabytes really are written.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/fakes/common/hostile.h"
#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

void Create(const std::string& path) {
  const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

void LeaveFile(const Misbehaviour&) {
  const std::string text(1 << 20, 'x');
  const int fd = open("fake_file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0 && write(fd, text.data(), text.size()) > 0) close(fd);
}
void LeaveManyFiles(const Misbehaviour& what) {
  for (int i = 0; i < 10'500; ++i) Create("fake_" + std::to_string(i));
  HangOn(what);
}
// Deeper than any one path can name.
void LeaveDeepFolders(const Misbehaviour&) {
  const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::string name(200, 'd');
  for (int i = 0; i < 60 && mkdir(name.c_str(), 0700) == 0 && chdir(name.c_str()) == 0; ++i)
    Create("fake_file");
  if (here < 0 || fchdir(here) != 0) _exit(99);
  close(here);
}
void LeaveLongNames(const Misbehaviour&) {
  for (char letter = 'a'; letter <= 'z'; ++letter) Create(std::string(255, letter));
  Create("\x1b[2J\xff\n");
}
void LeaveLockedFolders(const Misbehaviour&) {
  for (const char* name : {"fake_1", "fake_2"}) {
    if (mkdir(name, 0700) != 0) return;
    Create(std::string(name) + "/inside");
    chmod(name, 0);
  }
}
void LeaveLinks(const Misbehaviour&) {
  const int links[] = {symlink("/", "fake_root"), symlink("..", "fake_parent"), symlink(".", "fake_here"),
                       symlink("/nonexistent", "fake_nowhere"), symlink("fake_loop", "fake_loop")};
  for (const int link : links) {
    if (link != 0) return;
  }
}
void LeaveSpecialFiles(const Misbehaviour&) {
  (void)mkfifo("fake_fifo", 0600);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{AF_UNIX, "fake_socket"};
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close(fd);
}
void LeaveSparseFile(const Misbehaviour&) {
  const int fd = open("fake_sparse", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0 && ftruncate(fd, off_t{1} << 40) == 0) close(fd);
}
void LeaveTemporaryFiles(const Misbehaviour&) {
  for (const char* variable : {"TMPDIR", "XDG_CACHE_HOME"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr) Create(std::string(folder) + "/fake_temporary");
  }
}

void RemoveFolder(const Misbehaviour&) {
  const char* own = std::getenv("TMPDIR");
  if (own != nullptr) (void)rmdir(own);
}
// The folder of its own becomes a file, or a way to somewhere else.
void ReplaceFolder(const char* with) {
  const char* own = std::getenv("TMPDIR");
  if (own == nullptr || rmdir(own) != 0) return;
  if (with == nullptr) return Create(own);
  if (symlink(with, own) != 0) _exit(99);
}
void ReplaceFolderByFile(const Misbehaviour&) { ReplaceFolder(nullptr); }
// `mark` lies in a folder of the test's, which has to stay as it is.
void ReplaceFolderByLink(const Misbehaviour& what) {
  ReplaceFolder(what.mark.substr(0, what.mark.rfind('/')).c_str());
}
void LockFolder(const Misbehaviour&) {
  (void)chmod(".", 0);
  const int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) flock(fd, LOCK_SH | LOCK_NB);
}

void ChangeFolder(const Misbehaviour&) {
  if (chdir("/proc/self") != 0) _exit(99);
}
void ChangeRoot(const Misbehaviour&) {
  if (chroot(".") == 0 && chdir("/") != 0) _exit(99);  // where it may
}
// As NVIDIA's libraries do for root where there is no card.
void MakeNode(const Misbehaviour& what) {
  (void)mknod((what.mark + ".node").c_str(), S_IFCHR | 0666, makedev(1, 3));
}
void ChangeMask(const Misbehaviour&) { umask(0777); }

}  // namespace

std::span<const NamedAct> ActsOnFiles() {
  static constexpr NamedAct kActs[] = {{"leave_file", LeaveFile},
                                       {"leave_many_files", LeaveManyFiles},
                                       {"leave_deep_folders", LeaveDeepFolders},
                                       {"leave_long_names", LeaveLongNames},
                                       {"leave_locked_folders", LeaveLockedFolders},
                                       {"leave_links", LeaveLinks},
                                       {"leave_special_files", LeaveSpecialFiles},
                                       {"leave_sparse_file", LeaveSparseFile},
                                       {"leave_temporary_files", LeaveTemporaryFiles},
                                       {"remove_folder", RemoveFolder},
                                       {"replace_folder_by_file", ReplaceFolderByFile},
                                       {"replace_folder_by_link", ReplaceFolderByLink},
                                       {"lock_folder", LockFolder},
                                       {"change_folder", ChangeFolder},
                                       {"change_root", ChangeRoot},
                                       {"change_mask", ChangeMask},
                                       {"make_node", MakeNode}};
  return kActs;
}

}  // namespace fakes
