// SPDX-License-Identifier: MIT
#include "tests/fuzz/scratch_tree.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tests/fuzz/fuzz.h"

namespace fuzz {
namespace {

constexpr std::size_t kMaxEntries = 256;
constexpr std::size_t kMaxPath = 400;

// "/a//b/../c" -> "a/b/c": nothing leads out of the tree, and equal paths are written alike.
std::string Below(std::string_view path) {
  std::string out;
  while (!path.empty() && out.size() < kMaxPath) {
    const auto part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part.empty() || part == "." || part == ".." || part.size() > NAME_MAX) continue;
    if (!out.empty()) out += '/';
    out += part;
  }
  // What no argument of a system call can hold.
  return out.substr(0, out.find('\0'));
}

std::string Until0(std::string_view text) { return std::string(text.substr(0, text.find('\0'))); }

}  // namespace

ScratchTree::ScratchTree() {
  std::error_code ignored;
  const std::string folder =
      std::filesystem::is_directory("/dev/shm", ignored) && access("/dev/shm", W_OK) == 0
          ? "/dev/shm"
          : std::filesystem::temp_directory_path().string();
  std::string pattern = folder + "/whichgpu-fuzz-XXXXXX";
  Require(mkdtemp(pattern.data()) != nullptr, "there is a scratch folder", pattern);
  root_ = pattern;
  root_fd_ = open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  files_ = Must(probe::system::FileSystem::Open(root_));
}

ScratchTree::~ScratchTree() {
  std::error_code ignored;
  close(root_fd_);
  std::filesystem::remove_all(root_, ignored);
}

ScratchTree::Entries ScratchTree::Read(std::string_view input) {
  Entries entries;
  environment_ = {};
  Input lines(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  std::string* content = nullptr;
  while (!lines.empty()) {
    const auto line = lines.Piece();
    const auto text = line.substr(std::min<std::size_t>(2, line.size()));
    if (line.starts_with("$ ")) {
      content = nullptr;
      const auto name = text.substr(0, text.find('='));
      if (name.size() < text.size()) environment_.Set(Until0(name), Until0(text.substr(name.size() + 1)));
    } else if (line.starts_with("= ") || line.starts_with("> ")) {
      content = nullptr;
      const bool link = line.starts_with('>');
      const auto name = link ? text.substr(0, text.find(' ')) : text;
      auto path = Below(name);
      if (path.empty() || entries.size() >= kMaxEntries) continue;
      Entry& entry = entries[std::move(path)];
      entry = {link, link ? Until0(text.substr(std::min(name.size() + 1, text.size()))) : ""};
      if (!link) content = &entry.content;
    } else if (content != nullptr) {
      content->append(line).append("\n");
    }
  }
  return entries;
}

bool ScratchTree::Make(const std::string& path, const Entry& entry) const {
  for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    struct stat status{};
    if (fstatat(root_fd_, folder.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      if (!S_ISDIR(status.st_mode)) return false;
    } else if (mkdirat(root_fd_, folder.c_str(), 0755) != 0) {
      return false;
    }
  }
  if (entry.link) return symlinkat(entry.content.c_str(), root_fd_, path.c_str()) == 0;
  const int fd = openat(root_fd_, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const ssize_t written = write(fd, entry.content.data(), entry.content.size());
  close(fd);
  return written == static_cast<ssize_t>(entry.content.size());
}

void ScratchTree::Remove(const std::string& path) const {
  unlinkat(root_fd_, path.c_str(), 0);
  for (auto folder = path; folder.find('/') != std::string::npos;) {
    folder.resize(folder.rfind('/'));
    if (unlinkat(root_fd_, folder.c_str(), AT_REMOVEDIR) != 0) return;
  }
}

void ScratchTree::Become(std::string_view input) {
  Entries wanted = Read(input);
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto kept = wanted.find(at->first);
    if (kept != wanted.end() && kept->second == at->second) {
      ++at;
      continue;
    }
    Remove(at->first);
    at = entries_.erase(at);
  }
  for (auto& [path, entry] : wanted) {
    if (!entries_.contains(path) && Make(path, entry)) entries_.emplace(path, std::move(entry));
  }
}

}  // namespace fuzz
