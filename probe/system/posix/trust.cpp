// SPDX-License-Identifier: MIT
#include "probe/system/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "probe/core/parse.h"
#include "probe/system/descriptor.h"

namespace probe::system {
namespace {

constexpr std::uint32_t kStickyBit = 01000;
constexpr std::uint32_t kGroupMayWrite = 0020;
constexpr std::uint32_t kOthersMayWrite = 0002;
// login.defs(5), GID_MIN where nobody changed it: from there on groups are given to people.
constexpr std::uint32_t kFirstOrdinaryGroup = 1000;
constexpr std::size_t kMaxListBytes = 1U << 20U;
constexpr std::uint64_t kAllIds = 4294967295;  // of 32 bits, without -1

// The next number of a text of blanks and digits; nullopt at its end.
std::optional<std::uint64_t> TakeNumber(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The owner that a user namespace shows for all who are not in it; nullopt in the machine's own namespace.
std::optional<std::uint64_t> OverflowOwner() {
  constexpr std::uint64_t kUsual = 65534;
  const auto files = FileSystem::Open("/");
  const auto map = files ? files->Read("/proc/self/uid_map") : Result<std::string>(files.error());
  if (!map || !IsPartialIdMap(*map)) return std::nullopt;
  return files->ReadNumber("/proc/sys/kernel/overflowuid").value_or(kUsual);
}

// The mode does not tell it: this user may be the owner after all, where the namespace has a user with the
// number of the overflow id. A read-only mount says no to everybody.
bool MayWrite(const FileSystem& files, const std::string& path) {
  return files.live() && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

// Whether every line of a list such as /etc/group is as `holds` wants its fields, of which no more than four
// matter. False where it can not be read whole.
template <class Holds>
bool AllLines(const FileSystem& files, std::string_view path, const Holds& holds) {
  const auto text = files.Read(path, kMaxListBytes);
  if (!text || text->size() >= kMaxListBytes) return false;
  for (std::string_view rest = *text; !rest.empty();) {
    std::string_view line = TakeUpTo(rest, '\n');
    std::array<std::string_view, 4> fields;
    for (std::string_view& field : fields) field = TakeUpTo(line, ':');
    if (!holds(fields)) return false;
  }
  return true;
}

// group(5): name, password, number, members; passwd(5): name, password, user, group.
bool IsOfRootAlone(const FileSystem& files, std::uint32_t gid) {
  if (gid == 0 || gid >= kFirstOrdinaryGroup || !AreGroupsInFiles()) return false;
  // Nobody's to record: whom this machine has is no answer of it.
  const auto lists = FileSystem::Open(files.root());
  if (!lists) return false;
  const std::string number = std::to_string(gid);
  bool is_known = false;
  const bool has_root_alone = AllLines(*lists, "/etc/group", [&](const auto& fields) {
    if (fields[2] != number) return true;
    is_known = true;
    return fields[3].empty() || fields[3] == "root";
  });
  return has_root_alone && is_known && AllLines(*lists, "/etc/passwd", [&](const auto& fields) {
           return fields[3] != number || fields[0] == "root";
         });
}

// What is wrong with one step of the way for root; empty when nothing is. The links' own mode means nothing.
std::string Flaw(const FileSystem& files, const std::string& path, const FileStatus& status) {
  const bool is_outside = status.owner_uid != 0 && IsOutsideNamespace(status.owner_uid);
  const std::string owner = std::to_string(status.owner_uid);
  if (status.owner_uid != 0 && !is_outside) return "belongs to user " + owner + ", not to root";
  if (status.is_link) return {};
  if (status.is_directory && (status.mode & kStickyBit) != 0) return {};
  const bool by_group = (status.mode & kGroupMayWrite) != 0 &&
                        !(status.is_directory && IsOfRootAlone(files, status.owner_gid) &&
                          HasNoAccessList(files.root() + path));
  if (by_group || (status.mode & kOthersMayWrite) != 0 || IsWritableByList(files.root() + path))
    return "can be written by others than root";
  if (is_outside && MayWrite(files, path)) return "belongs to user " + owner + " and can be written";
  return {};
}

}  // namespace

bool IsPartialIdMap(std::string_view uid_map) {
  const auto inside = TakeNumber(uid_map);
  const auto outside = TakeNumber(uid_map);
  const auto count = TakeNumber(uid_map);
  if (!inside || !outside || !count) return false;
  return *inside != 0 || *outside != 0 || *count < kAllIds;
}

bool IsOutsideNamespace(std::uint32_t owner_uid) {
  static const std::optional<std::uint64_t> overflow = OverflowOwner();
  return overflow && owner_uid == *overflow;
}

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
    const auto flaw = Flaw(files, step, status);
    if (!flaw.empty()) offence = step + " " + flaw;
    return flaw.empty();
  });
  if (complete) return Ok();
  if (offence.empty()) offence = "can not be resolved";
  return Own(OwnError::kNotTrusted, "check " + std::string(path), offence);
}

}  // namespace probe::system
