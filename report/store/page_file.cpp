// SPDX-License-Identifier: MIT
#include "report/store/page_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "probe/core/text.h"
#include "report/store/input.h"

namespace report {
namespace {

namespace fs = std::filesystem;
using probe::Status;

std::string ErrnoText(int error) {
  return std::strerror(error);  // NOLINT(concurrency-mt-unsafe): one thread
}

struct Scratch {
  std::string path;
  int descriptor = -1;
  int error = 0;
};

// A new file in the directory, with the rights that the umask leaves. In containers all processes may have
// one number, and one that was killed leaves its file: the first name that is free.
Scratch MakeScratchIn(const fs::path& directory) {
  constexpr int kMostTries = 100;
  constexpr mode_t kRights = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  Scratch scratch;
  for (int i = 0; i < kMostTries; ++i) {
    scratch.path = (directory / fmt::format(".whichgpu-page-{}-{}", getpid(), i)).string();
    scratch.descriptor = open(scratch.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kRights);
    if (scratch.descriptor >= 0) return scratch;
    scratch.error = errno;
    if (scratch.error != EEXIST) break;
  }
  return scratch;
}

int WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

fs::path PathOfPage(const std::string& path) {
  std::error_code error;
  return fs::absolute(path, error).lexically_normal();
}

// What the page would replace, where that is no regular file.
std::optional<std::string> Obstacle(const fs::path& path) {
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  switch (status.type()) {
    case fs::file_type::not_found:
    case fs::file_type::regular:
      return std::nullopt;
    case fs::file_type::directory:
      return "is a directory; name a file in it";
    case fs::file_type::symlink:
      return "is a link; name the file that it leads to";
    default:
      return error ? error.message() : "is no regular file";
  }
}

// Owner, group and rights of what is replaced. What can not be kept is no reason to lose the page; where
// another group would get the rights of the old one, it gets those of everybody.
void Inherit(const struct stat& replaced, int descriptor) {
  constexpr mode_t kRights = S_IRWXU | S_IRWXG | S_IRWXO;
  constexpr mode_t kPlaces = 3;  // from the rights of others to those of the group
  mode_t rights = replaced.st_mode & kRights;
  constexpr auto kSameOwner = static_cast<uid_t>(-1);
  if (fchown(descriptor, replaced.st_uid, replaced.st_gid) != 0 &&
      fchown(descriptor, kSameOwner, replaced.st_gid) != 0)
    rights &= ~static_cast<mode_t>(S_IRWXG) | ((rights & S_IRWXO) << kPlaces);
  static_cast<void>(fchmod(descriptor, rights));
}

}  // namespace

Status CheckPageFile(std::string_view option, std::string_view what, const std::string& path) {
  if (path.empty()) return FileError(std::string(option), "needs the name of a file");
  if (path == kStandardInput)
    return FileError(
        std::string(option),
        fmt::format("the {} goes to a file, beside what is printed: name one ('./-' is one called so)",
                    what));
  const fs::path place = PathOfPage(path);
  if (!place.is_absolute())
    return FileError(std::string(option), fmt::format("{} is not absolute, and the current directory is gone",
                                                      probe::CleanText(path, 300)));
  const fs::path directory = place.parent_path();
  std::error_code error;
  if (!fs::is_directory(directory, error)) return FileError(directory.string(), "is not a directory");
  if (!place.has_filename()) return FileError(path, "is a directory; name a file in it");
  if (const auto obstacle = Obstacle(place)) return FileError(path, *obstacle);
  // Tried rather than asked: root may write anywhere, and yet not to /proc or to a full disk.
  const Scratch trial = MakeScratchIn(directory);
  if (trial.descriptor < 0)
    return FileError(directory.string(), "may not be written: " + ErrnoText(trial.error));
  close(trial.descriptor);
  unlink(trial.path.c_str());
  return probe::Ok();
}

Status WritePage(const std::string& path, std::string_view text) {
  const fs::path place = PathOfPage(path);
  if (const auto obstacle = Obstacle(place)) return FileError(path, *obstacle);
  const Scratch scratch = MakeScratchIn(place.parent_path());
  if (scratch.descriptor < 0) return FileError(path, "can not be written: " + ErrnoText(scratch.error));
  struct stat replaced{};
  if (lstat(place.c_str(), &replaced) == 0 && S_ISREG(replaced.st_mode))
    Inherit(replaced, scratch.descriptor);
  int error = WriteAll(scratch.descriptor, text);
  if (close(scratch.descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(scratch.path.c_str(), place.c_str()) != 0) error = errno;
  if (error == 0) return probe::Ok();
  unlink(scratch.path.c_str());
  return FileError(path, "can not be written: " + ErrnoText(error));
}

bool AreOneFile(const std::string& one, const std::string& other) {
  std::error_code error;
  return PathOfPage(one) == PathOfPage(other) || fs::equivalent(one, other, error);
}

bool IsAtOrBelow(const std::string& file, const std::string& other) {
  if (AreOneFile(file, other)) return true;
  std::error_code error;
  const auto place = fs::weakly_canonical(fs::absolute(file, error), error);
  const auto folder = fs::weakly_canonical(fs::absolute(other, error), error);
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), place.begin(), place.end());
  return !folder.empty() && end == folder.end();
}

bool IsOpenAs(const std::string& path, int descriptor) {
  struct stat opened{};
  struct stat named{};
  return fstat(descriptor, &opened) == 0 && S_ISREG(opened.st_mode) && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace report
