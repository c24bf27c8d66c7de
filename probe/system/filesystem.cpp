// SPDX-License-Identifier: MIT
#include "probe/system/filesystem.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "probe/core/parse.h"
#include "probe/core/text.h"

namespace probe::system {
namespace {

constexpr int kMaxLinks = 40;

// Cuts the first component off `rest`; empty when there is none left.
std::string TakeComponent(std::string& rest) {
  const auto start = std::min(rest.find_first_not_of('/'), rest.size());
  const auto end = std::min(rest.find('/', start), rest.size());
  std::string name = rest.substr(start, end - start);
  rest.erase(0, end);
  return name;
}

std::string_view FirstLine(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  text = text.substr(0, text.find_first_of(std::string_view("\n\0", 2)));
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// By the list of groups, group(5); the number where that has none, and of groups that are given to people.
std::string GroupName(const FileSystem& files, std::uint32_t gid) {
  constexpr std::uint32_t kFirstOrdinary = 1000;  // login.defs(5), GID_MIN where nobody changed it
  auto number = std::to_string(gid);
  if (gid >= kFirstOrdinary) return number;
  // Nobody's to record: whom this machine has is no answer of it.
  const auto lists = FileSystem::Open(files.root());
  const auto text = lists ? lists->Read("/etc/group") : Result<std::string>(lists.error());
  for (std::string_view rest = text ? std::string_view(*text) : ""; !rest.empty();) {
    std::string_view line = TakeUpTo(rest, '\n');
    const auto name = TakeUpTo(line, ':');
    (void)TakeUpTo(line, ':');  // the password
    if (TakeUpTo(line, ':') == number && IsGroupName(name)) return std::string(name);
  }
  return number;
}

}  // namespace

std::optional<std::string> FileSystem::ReadLine(std::string_view path) const {
  const auto content = Read(path);
  if (!content) return std::nullopt;
  const auto line = FirstLine(*content);
  if (line.empty()) return std::nullopt;
  return std::string(line);
}

std::optional<std::uint64_t> FileSystem::ReadNumber(std::string_view path) const {
  const auto line = ReadLine(path);
  if (!line) return std::nullopt;
  const bool hexadecimal = line->starts_with("0x") || line->starts_with("0X");
  const std::string_view digits = std::string_view(*line).substr(hexadecimal ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<std::string> FileSystem::Resolve(std::string_view path) const {
  std::string resolved;
  const bool complete = WalkPath(*this, path, [&](const std::string& step, const FileStatus& status) {
    if (!status.is_link) resolved = step;
    return true;
  });
  if (!complete) return std::nullopt;
  return resolved;
}

void FileSystem::OnRead(std::function<void(std::string_view, std::string_view)> observer) {
  observer_ = std::move(observer);
}

// By hand, because the kernel's own answer (/proc/self/fd) is not there without /proc and says nothing of the
// links on the way.
bool WalkPath(const FileSystem& files, std::string_view path,
              const std::function<bool(const std::string& step, const FileStatus& status)>& visit) {
  if (!files.Exists(path)) return false;
  std::string rest(path);
  std::string at;  // "" is the root
  int links = 0;
  const auto arrive = [&] {
    const auto status = files.Stat(at.empty() ? "/" : at);
    return status && visit(at.empty() ? "/" : at, *status);
  };
  if (!arrive()) return false;
  for (auto name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (name == ".") continue;
    if (name == "..") {
      at.erase(std::min(at.rfind('/'), at.size()));
      if (!arrive()) return false;
      continue;
    }
    std::string step = at;
    step.append("/").append(name);
    const auto status = files.StatLink(step);
    if (!status || !visit(step, *status)) return false;
    if (!status->is_link) {
      at = step;
      continue;
    }
    const auto target = files.ReadLink(step);
    if (!target || ++links > kMaxLinks) return false;
    rest.insert(0, "/" + *target);
    if (!target->starts_with('/')) continue;
    at.clear();
    if (!arrive()) return false;
  }
  return true;
}

DeviceNode CheckNode(const FileSystem& files, std::string path) {
  DeviceNode node;
  node.path = std::move(path);
  node.exists = files.Exists(node.path);
  if (!node.exists) return node;
  const auto opened = files.TryOpen(node.path);
  node.openable = opened.ok();
  if (!opened) node.open_error = opened.error().name;
  // EPERM is a rule of the container's, which no group is asked about.
  if (node.open_error == "EACCES") node.open_to = OpenTo(files, node.path);
  return node;
}

std::optional<std::string> OpenTo(const FileSystem& files, std::string_view path) {
  constexpr std::uint32_t kGroupBits = 0060, kOthersBits = 0006;
  constexpr std::uint32_t kOverflow = 65534;  // of who is not of this user namespace, user_namespaces(7)
  const auto status = files.Stat(path);
  const bool is_told = status && status->owner_uid == 0 && status->owner_gid != kOverflow &&
                       (status->mode & kOthersBits) != kOthersBits;
  if (!is_told) return std::nullopt;
  if (status->owner_gid == 0 || (status->mode & kGroupBits) != kGroupBits) return std::string(kRootAlone);
  return GroupName(files, status->owner_gid);
}

}  // namespace probe::system
