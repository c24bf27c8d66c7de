// SPDX-License-Identifier: MIT
#include "probe/sysfs/platform.h"

#include <algorithm>
#include <array>
#include <utility>

#include "data/tables.h"

#include "probe/core/names.h"
#include "probe/core/parse.h"
#include "probe/sysfs/nodes.h"

namespace probe {

WHICHGPU_NAMES(sysfs::DriverRole, {kGpu, "gpu"}, {kPart, "part"}, {kWhole, "whole"}, {kDisplay, "display"},
               {kPretender, "pretender"}, {kPci, "pci"})

}  // namespace probe

namespace probe::sysfs {
namespace {

using DriverRow = PlatformDriver;
using Role = DriverRole;
using Kind = DeviceKind;

constexpr std::string_view kPlatformDevices = "/sys/bus/platform/devices";
constexpr std::string_view kDeviceTree = "/proc/device-tree/compatible";

// Parts of the names that device trees give to GPUs: "fb000000.gpu", "1002000000.v3d", "17000000.gv11b",
// "5000000.qcom,kgsl-3d0". Only the `compatible` of what has one is read: a board has hundreds of devices.
constexpr std::array<std::string_view, 9> kNameParts = {"gpu",   "v3d",   "mali",  "gk20a",  "gm20b",
                                                        "gp10b", "gv11b", "ga10b", "kgsl-3d"};

bool IsNamedLikeGpu(std::string_view name) {
  return std::any_of(kNameParts.begin(), kNameParts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

const DriverRow* DriverRowOf(const Card& card) {
  return card.function.driver ? FindPlatformDriver(*card.function.driver) : nullptr;
}

bool HasRole(const Card& card, DriverRole role) {
  const DriverRow* row = DriverRowOf(card);
  return row != nullptr && row->role == role;
}

bool HasRenderNode(const Card& card) {
  return std::any_of(card.node_names.begin(), card.node_names.end(),
                     [](const std::string& name) { return name.starts_with("renderD"); });
}

// Those that no device class lists: their driver has no DRM node, or there is no driver.
void AddFromBus(const system::FileSystem& files, const std::vector<std::string>& board,
                std::vector<Card>& cards) {
  for (const std::string& name : files.List(kPlatformDevices)) {
    if (!IsNamedLikeGpu(name)) continue;
    const std::string directory = std::string(kPlatformDevices) + "/" + name;
    const auto real = files.Resolve(directory);
    const bool is_listed = std::any_of(cards.begin(), cards.end(), [&](const Card& card) {
      return real && files.Resolve(card.function.directory) == real;
    });
    if (is_listed) continue;
    Card card;
    card.function = ReadPciFunction(files, directory);
    card.soc = FindSocFacts(card.function.compatible, board);
    const DriverRow* row = DriverRowOf(card);
    const bool is_gpu = card.soc || (row != nullptr && (row->role == Role::kGpu || row->role == Role::kPart));
    if (is_gpu && !OnlyDraws(card)) cards.push_back(std::move(card));
  }
}

// The DRM nodes of a GPU whose display driver has them, and one card for all parts of one maker.
void JoinParts(std::vector<Card>& cards) {
  for (auto part = cards.begin(); part != cards.end(); ++part) {
    if (!HasRole(*part, Role::kPart)) continue;
    const auto vendor = DriverRowOf(*part)->vendor;
    const auto is_of = [&](const Card& card, DriverRole role) {
      return HasRole(card, role) && DriverRowOf(card)->vendor == vendor;
    };
    const auto whole = std::find_if(cards.begin(), cards.end(), [&](const Card& card) {
      return is_of(card, Role::kWhole) && HasRenderNode(card);
    });
    // The display driver's own nodes are those of the whole, which it draws with as well.
    if (whole != cards.end() && part->node_names.empty()) {
      part->node_names = std::move(whole->node_names);
      whole->node_names.clear();
    }
    const auto place = part - cards.begin();
    cards.erase(
        std::remove_if(part + 1, cards.end(), [&](const Card& card) { return is_of(card, Role::kPart); }),
        cards.end());
    part = cards.begin() + place;
  }
}

void FoldDisplays(std::vector<Card>& cards) {
  const auto gpu = std::find_if(cards.begin(), cards.end(), [](const Card& card) {
    const DriverRow* row = DriverRowOf(card);
    return !OnlyDraws(card) && (card.soc || (row != nullptr && row->kind == Kind::kIntegrated));
  });
  if (gpu == cards.end()) return;
  for (const Card& card : cards) {
    if (OnlyDraws(card)) gpu->display_drivers.push_back(*card.function.driver);
  }
  std::erase_if(cards, OnlyDraws);
}

}  // namespace

bool OnlyDraws(const Card& card) {
  return HasRole(card, Role::kDisplay) || (HasRole(card, Role::kWhole) && !HasRenderNode(card));
}

const PlatformDriver* FindPlatformDriver(std::string_view driver, bool on_pci) {
  static const std::vector<DriverRow> rows = [] {
    std::vector<DriverRow> out;
    for (const auto& [name_of_driver, name, vendor, kind, role, nodes, computes_with, no_runtime] :
         ParseTable<8>(data::kPlatformDrivers)) {
      out.push_back({.driver = name_of_driver,
                     .name = name,
                     .vendor = vendor,
                     .kind = ParseName<Kind>(kind).value_or(Kind::kUnknown),
                     .role = ParseName<Role>(role).value_or(Role::kPretender),
                     .nodes = nodes,
                     .computes_with = computes_with,
                     .no_runtime = no_runtime});
    }
    return out;
  }();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const DriverRow& known) {
    return known.driver == driver && (known.role == Role::kPci) == on_pci;
  });
  return row == rows.end() ? nullptr : &*row;
}

std::vector<std::string> OwnNodes(const system::FileSystem& files, const Card& card) {
  const DriverRow* row = DriverRowOf(card);
  std::vector<std::string> out;
  for (std::string_view nodes = row != nullptr ? row->nodes : std::string_view(); !nodes.empty();) {
    std::string_view alternatives = TakeUpTo(nodes, ' ');
    const bool is_alone = alternatives.find('|') == std::string_view::npos;
    while (!alternatives.empty()) {
      std::string path(TakeUpTo(alternatives, '|'));
      if (!is_alone && !files.Exists(path)) continue;
      out.push_back(std::move(path));
      break;
    }
  }
  return out;
}

void AddFromPlatform(const system::FileSystem& files, std::vector<Card>& cards) {
  const auto board = ReadCompatible(files, kDeviceTree);
  for (Card& card : cards) {
    if (!OnlyDraws(card)) card.soc = FindSocFacts(card.function.compatible, board);
  }
  AddFromBus(files, board, cards);
  JoinParts(cards);
  FoldDisplays(cards);
}

}  // namespace probe::sysfs
