// SPDX-License-Identifier: MIT
#include "probe/system/path_walk.h"

#include <algorithm>

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

}  // namespace

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

}  // namespace probe::system
