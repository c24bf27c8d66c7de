// SPDX-License-Identifier: MIT
// Who may open the nodes that this user may not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/core/devices.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

bool IsToJoin(const Fix& fix) { return fix.remedy && fix.remedy->action == Action::kJoinGroups; }

// The nodes of this device or of all that this runtime reaches, by the one who may open them.
using Owners = std::map<std::string, std::set<std::string>>;

// Of a record it may be anything; the number of all ones is no group's (chown(2)).
bool IsOwner(const std::string& group) {
  const auto number = probe::ParseNumber<std::uint32_t>(group);
  return number ? *number > 0 && *number < UINT32_MAX : probe::IsGroupName(group);
}

// `all_told`: whether each of its closed nodes says whose it is.
Owners OwnersFor(const Tables& tables, const Report& report, const Finding& finding, bool& all_told) {
  const auto* facts = finding.runtime ? Find(tables, *finding.runtime) : nullptr;
  Owners out;
  for (const auto& device : report.devices) {
    if (!device.hardware || (finding.device_id ? device.id != *finding.device_id : !IsGpu(device))) continue;
    const auto vendor = VendorOf(device);
    if (!finding.device_id && facts && facts->vendor && (!vendor || !IsOfVendor(*facts, *vendor))) continue;
    for (const auto& node : device.hardware->nodes) {
      if (!IsDenied(node)) continue;
      const bool is_told = node.open_to && IsOwner(*node.open_to);
      all_told = all_told && is_told;
      if (is_told) out[*node.open_to].insert(node.path);
    }
  }
  return out;
}

// "/dev/kfd and /dev/dri/renderD128"; of many the first, for the devices tell of all.
std::string ListText(std::vector<std::string> list) {
  constexpr std::size_t kMost = 4;
  if (const std::size_t all = list.size(); all > kMost) {
    list.resize(kMost - 1);
    list.push_back(fmt::format("{} more", all - list.size()));
  }
  return fmt::format("{}", fmt::join(list, " and "));
}
std::string PathsText(const std::set<std::string>& paths) { return ListText({paths.begin(), paths.end()}); }

// A group that has no name here is told by its number, and joined by no command.
Fix Joining(const Owners& groups) {
  std::vector<std::string> names;
  std::vector<std::string> told;
  for (const auto& [group, paths] : groups) {
    if (probe::IsGroupName(group)) names.push_back(group);
    told.push_back(fmt::format("{} (of {})", group, PathsText(paths)));
  }
  const bool is_one = groups.size() == 1;
  Fix fix{fmt::format("join the group{} {}, then log in again; in a container pass {} with --group-add",
                      is_one ? "" : "s", ListText(std::move(told)),
                      is_one ? "its numeric id" : "their numeric ids"),
          std::nullopt, true, false};
  if (names.size() == groups.size()) fix.remedy = Remedy{Action::kJoinGroups, std::move(names), true};
  return fix;
}

bool IsPlainNode(std::string_view path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/";
  return path.starts_with("/dev/") && path.find_first_not_of(kPlain) == std::string_view::npos;
}

Fix Opening(const std::set<std::string>& paths) {
  Fix fix{
      fmt::format("only root may open {}, whatever groups a user is in: let a rule of udev give {} a group "
                  "(GROUP=\"render\", MODE=\"0660\"); until the next start everybody may after this",
                  PathsText(paths), paths.size() == 1 ? "it" : "each"),
      std::nullopt, true, false};
  if (std::all_of(paths.begin(), paths.end(), IsPlainNode))
    fix.command = fmt::format("chmod a+rw {}", fmt::join(paths, " "));
  fix.on_host = true;
  return fix;
}

}  // namespace

void NameGroups(const Tables& tables, const Report& report, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const auto place = std::find_if(finding.fix.begin(), finding.fix.end(), IsToJoin);
    if (place == finding.fix.end()) continue;
    bool all_told = true;
    auto owners = OwnersFor(tables, report, finding, all_told);
    if (owners.empty()) continue;
    std::vector<Fix> fixes;
    const auto closed = owners.extract(std::string(probe::kRootAlone));
    if (!owners.empty()) fixes.push_back(Joining(owners));
    if (closed) fixes.push_back(Opening(closed.mapped()));
    // Of a node that does not say whose it is the usual groups may be it.
    const auto next = all_told ? finding.fix.erase(place) : place;
    finding.fix.insert(next, fixes.begin(), fixes.end());
  }
}

}  // namespace report::explain
