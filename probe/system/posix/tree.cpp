// SPDX-License-Identifier: MIT
#include "probe/system/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "probe/system/clock.h"

namespace probe::system {
namespace {

constexpr mode_t kPrivate = 0700;
constexpr double kEmptyingSeconds = 10;  // a process that goes on writing there must not hold us for ever

struct CloseStream {
  void operator()(DIR* stream) const { closedir(stream); }
};
using Stream = std::unique_ptr<DIR, CloseStream>;

// A stream of its own: a duplicate of the descriptor would share its position with other walks.
Stream OpenStream(int parent, const std::string& name) {
  const int fd = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return nullptr;
  Stream stream(fdopendir(fd));
  if (!stream) close(fd);
  return stream;
}

// The next name but . and ..; nullptr at the end, and errno where that is an error.
const char* NextName(const Stream& stream) {
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr) return nullptr;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
}

struct Level {
  Stream stream;
  std::string path;  // with a slash at its end; "" at the top
};

// Cuts the first name off `path`; empty when there is none left.
std::string TakeName(std::string_view& path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  const std::string name(path.substr(0, path.find('/')));
  path.remove_prefix(name.size());
  return name;
}

// Empties a tree of any depth with two descriptors at a time: down by name, up by "..", which is checked to
// lead where it came from.
class Emptying {
 public:
  explicit Emptying(int top) : at_(OpenDirectoryAt(top, ".")) { Enter(""); }

  void Run() {
    const auto start = Now();
    while (!levels_.empty() && SecondsSince(start) < kEmptyingSeconds) {
      const std::string full = RemoveEntries();
      if (full.empty() ? !Ascend() : !Descend(full)) return;
    }
  }

 private:
  struct Entered {
    std::string name;
    std::uint64_t device;
    std::uint64_t inode;
    std::set<std::string> stuck;  // what can not be removed
  };

  bool Enter(const std::string& name) {
    const auto status = StatusOf(at_);
    if (!status) return false;
    levels_.push_back({name, status->device, status->inode, {}});
    return true;
  }

  // Removes what can be removed at once; the name of a directory that is to be emptied before, "" where there
  // is none.
  std::string RemoveEntries() {
    const Stream stream = OpenStream(at_.get(), ".");
    auto& stuck = levels_.back().stuck;
    for (const char* name = stream ? NextName(stream) : nullptr; name != nullptr; name = NextName(stream)) {
      if (stuck.contains(name) || unlinkat(at_.get(), name, 0) == 0 ||
          unlinkat(at_.get(), name, AT_REMOVEDIR) == 0)
        continue;
      const auto status = StatusAt(at_.get(), name);
      if (!status) continue;
      if (status->is_directory && status->device == levels_.front().device) return name;
      stuck.insert(name);
    }
    return {};
  }

  bool Descend(const std::string& name) {
    Descriptor inner = OpenDirectoryAt(at_.get(), name);
    const auto status = StatusOf(inner);
    const bool closed = !status || (status->mode & kPrivate) != kPrivate;
    if (closed && fchmodat(at_.get(), name.c_str(), kPrivate, AT_SYMLINK_NOFOLLOW) == 0) {
      inner = OpenDirectoryAt(at_.get(), name);
    }
    if (!inner.ok()) {
      levels_.back().stuck.insert(name);
      return true;
    }
    at_ = std::move(inner);
    return Enter(name);
  }

  bool Ascend() {
    const std::string name = levels_.back().name;
    levels_.pop_back();
    if (levels_.empty()) return true;
    at_ = OpenDirectoryAt(at_.get(), "..");
    const auto status = StatusOf(at_);
    if (!status || status->device != levels_.back().device || status->inode != levels_.back().inode)
      return false;  // somebody moved it
    if (unlinkat(at_.get(), name.c_str(), AT_REMOVEDIR) != 0) levels_.back().stuck.insert(name);
    return true;
  }

  Descriptor at_;
  std::vector<Entered> levels_;
};

}  // namespace

Descriptor OpenDirectoryAt(int parent, const std::string& name) {
  return Descriptor(
      openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

bool WalkTree(int directory,
              const std::function<bool(const std::string& path, const FileStatus& status)>& visit) {
  std::vector<Level> levels;
  const auto top = StatusAt(directory, ".");
  levels.push_back({OpenStream(directory, "."), ""});
  if (!levels.back().stream && errno == ENOENT) return true;  // removed, open as it is
  if (!levels.back().stream || !top) return false;
  while (!levels.empty()) {
    const char* name = NextName(levels.back().stream);
    if (name == nullptr) {
      if (errno != 0 && errno != ENOENT) return false;
      levels.pop_back();
      continue;
    }
    const int parent = dirfd(levels.back().stream.get());
    if (parent < 0) return false;
    const std::string path = levels.back().path + name;
    const auto status = StatusAt(parent, name);
    if (!status) {
      if (errno != ENOENT) return false;
      continue;
    }
    if (!visit(path, *status)) return false;
    if (!status->is_directory) continue;
    if (status->device != top->device || levels.size() > static_cast<std::size_t>(kMaxTreeDepth))
      return false;
    Stream inner = OpenStream(parent, name);
    if (inner) {
      levels.push_back({std::move(inner), path + "/"});
    } else if (errno != ENOENT) {
      return false;
    }
  }
  return true;
}

bool TreeExceeds(int directory, std::uint64_t max_bytes, std::uint64_t max_entries) {
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
  bool is_much = false;
  errno = 0;
  const bool complete = WalkTree(directory, [&](const std::string&, const FileStatus& status) {
    bytes += status.disk_bytes;
    is_much = bytes > max_bytes || ++entries > max_entries;
    return !is_much;
  });
  // What this process lacks itself says nothing of who filled the tree.
  const bool is_our_lack = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
  return is_much || (!complete && !is_our_lack);
}

bool EmptyTree(int directory) {
  fchmod(directory, kPrivate);
  Emptying(directory).Run();
  const Stream left = OpenStream(directory, ".");
  return left && NextName(left) == nullptr;
}

bool RemoveBelow(int directory, std::string_view path) {
  Descriptor at;
  int parent = directory;
  for (std::string name = TakeName(path); !name.empty(); name = TakeName(path)) {
    if (path.empty()) return unlinkat(parent, name.c_str(), 0) == 0;
    Descriptor next = OpenDirectoryAt(parent, name);
    if (!next.ok()) return false;
    at = std::move(next);
    parent = at.get();
  }
  return false;
}

Result<Descriptor> MakeBelow(int directory, std::string_view path) {
  Descriptor at = OpenDirectoryAt(directory, ".");
  if (!at.ok()) return ErrnoError("open", errno);
  for (std::string name = TakeName(path); !name.empty(); name = TakeName(path)) {
    if (name == "..") return ErrnoError("mkdir " + name, EINVAL);
    if (mkdirat(at.get(), name.c_str(), kPrivate) != 0 && errno != EEXIST)
      return ErrnoError("mkdir " + name, errno);
    Descriptor next = OpenDirectoryAt(at.get(), name);
    const auto status = StatusOf(next);
    if (!status) return ErrnoError("open " + name, errno);
    if (status->owner_uid != geteuid())
      return ErrnoError("mkdir " + name, EEXIST, name + " is another user's");
    at = std::move(next);
  }
  return at;
}

}  // namespace probe::system
