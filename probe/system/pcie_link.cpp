// SPDX-License-Identifier: MIT
#include "probe/system/pcie_link.h"

#include <array>
#include <utility>

#include "probe/core/ids.h"

namespace probe::system {
namespace {

// PCI Express Base Specification 6.0: GT/s of each generation.
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 9> kRates = {{{"2.5", 1},
                                                                               {"5.0", 2},
                                                                               {"5", 2},
                                                                               {"8.0", 3},
                                                                               {"8", 3},
                                                                               {"16.0", 4},
                                                                               {"16", 4},
                                                                               {"32.0", 5},
                                                                               {"64.0", 6}}};
constexpr std::uint64_t kMaxLanes = 32;

std::optional<std::uint32_t> ReadGeneration(const FileSystem& files, const std::string& path) {
  const auto text = files.ReadLine(path);
  return text ? Generation(*text) : std::nullopt;
}

std::optional<std::uint32_t> ReadLanes(const FileSystem& files, const std::string& path) {
  const auto lanes = files.ReadNumber(path);
  if (!lanes || *lanes == 0 || *lanes > kMaxLanes) return std::nullopt;
  return static_cast<std::uint32_t>(*lanes);
}

std::optional<PcieLink> ReadLink(const FileSystem& files, const std::string& directory) {
  const PcieLink link{ReadGeneration(files, directory + "/current_link_speed"),
                      ReadLanes(files, directory + "/current_link_width"),
                      ReadGeneration(files, directory + "/max_link_speed"),
                      ReadLanes(files, directory + "/max_link_width")};
  if (link == PcieLink{}) return std::nullopt;
  return link;
}

// The directory above, when it is a PCI function too.
std::optional<std::string> Parent(const std::string& directory) {
  const auto slash = directory.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  std::string parent = directory.substr(0, slash);
  if (!ParsePciAddress(std::string_view(parent).substr(parent.rfind('/') + 1))) return std::nullopt;
  return parent;
}

std::optional<std::string> UpstreamPort(const FileSystem& files, const std::string& directory) {
  const auto real = files.Resolve(directory);
  const auto downstream = real ? Parent(*real) : std::nullopt;
  const auto upstream = downstream ? Parent(*downstream) : std::nullopt;
  if (!upstream || !Parent(*upstream)) return std::nullopt;  // the port of a slot itself
  const auto vendor = files.ReadNumber(*real + "/vendor");
  const bool own = vendor && vendor == files.ReadNumber(*downstream + "/vendor") &&
                   vendor == files.ReadNumber(*upstream + "/vendor");
  return own ? upstream : std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> Generation(std::string_view rate) {
  const auto unit = rate.find(" GT/s");
  if (unit == std::string_view::npos) return std::nullopt;
  for (const auto& [number, generation] : kRates) {
    if (rate.substr(0, unit) == number) return generation;
  }
  return std::nullopt;
}

CardLink ReadCardLink(const FileSystem& files, const std::string& directory, bool may_be_inner) {
  if (const auto port = UpstreamPort(files, directory)) {
    if (const auto link = ReadLink(files, *port)) return {link, false};
  }
  CardLink out{ReadLink(files, directory), false};
  out.internal = out.link && out.link->max_generation.value_or(out.link->generation.value_or(0)) == 1 &&
                 out.link->max_lanes.value_or(out.link->lanes.value_or(0)) == 1 && may_be_inner;
  return out;
}

}  // namespace probe::system
