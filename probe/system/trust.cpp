// SPDX-License-Identifier: MIT
#include <errno.h>
#include <unistd.h>

#include "probe/system/descriptor.h"
#include "probe/system/filesystem.h"
#include "probe/system/path_walk.h"

namespace probe::system {
namespace {

constexpr std::uint32_t kStickyBit = 01000;
constexpr std::uint32_t kOthersMayWrite = 0022;

// What is wrong with one step of the way for root; empty when nothing is. The links' own mode means nothing.
std::string Flaw(const FileStatus& status) {
  if (status.owner_uid != 0) return "belongs to user " + std::to_string(status.owner_uid) + ", not to root";
  if (status.is_link || (status.mode & kOthersMayWrite) == 0) return {};
  if (status.is_directory && (status.mode & kStickyBit) != 0) return {};
  return "can be written by others than root";
}

}  // namespace

Status CheckTrusted(const FileSystem& files, std::string_view path) {
  const auto target = files.Stat(path);
  if (!target) {
    const int number = errno;
    return ErrnoError("open", number, std::string(path) + ": " + ErrnoError("", number).text);
  }
  if (geteuid() != 0) {
    if (target->is_regular) {
      if (auto content = files.Read(path, 1); !content) return content.error();
    }
    return Ok();
  }
  std::string offence;
  const bool complete = WalkPath(files, path, [&](const std::string& step, const FileStatus& status) {
    const auto flaw = Flaw(status);
    if (!flaw.empty()) offence = step + " " + flaw;
    return flaw.empty();
  });
  if (complete) return Ok();
  if (offence.empty()) offence = "can not be resolved";
  return Error{"check " + std::string(path), std::nullopt, "not trusted", offence};
}

}  // namespace probe::system
