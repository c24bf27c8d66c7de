// SPDX-License-Identifier: MIT
#include "probe/level_zero/level_zero_visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "probe/core/hidden.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/level_zero/level_zero_declarations.h"
#include "probe/system/wsl.h"

namespace probe::level_zero {
namespace {

constexpr std::string_view kPciDevices = "/sys/bus/pci/devices";
constexpr std::uint64_t kMaker = 0x8086;
constexpr std::array<std::string_view, 2> kKernelDrivers = {"i915", "xe"};

Diagnosis Cause(Outcome outcome, Error error, std::string_view name, std::string text) {
  error.name = name;
  error.text = std::move(text);
  return {outcome, std::move(error)};
}

std::vector<DeviceNode> RenderNodes(const system::FileSystem& files, const std::string& folder) {
  std::vector<DeviceNode> nodes;
  for (const std::string& name : files.List(folder + "/drm")) {
    if (name.starts_with("renderD")) nodes.push_back(system::CheckNode(files, "/dev/dri/" + name));
  }
  return nodes;
}

const DeviceNode* FirstClosed(const std::vector<KernelCard>& cards) {
  for (const KernelCard& card : cards) {
    for (const DeviceNode& node : card.render) {
      if (!node.openable) return &node;
    }
  }
  return nullptr;
}

bool IsOpen(const KernelCard& card) {
  return std::any_of(card.render.begin(), card.render.end(),
                     [](const DeviceNode& node) { return node.openable; });
}

Diagnosis OfClosedNode(Error error, const DeviceNode& node) {
  if (IsDenied(node)) {
    return Cause(Outcome::kDenied, std::move(error), "render_node_denied",
                 node.path + " exists and may not be opened by this user or container");
  }
  if (node.exists) {
    return Cause(Outcome::kFailed, std::move(error), "device_node_dead",
                 DeadText(node) + ": the kernel's driver is resetting the GPU or has given it up");
  }
  return Cause(Outcome::kNoDevice, std::move(error), "render_node_not_passed",
               "the kernel's driver has a GPU here and there is no " + node.path +
                   ": this container was not given it");
}

}  // namespace

std::vector<KernelCard> ReadCards(const system::FileSystem& files) {
  constexpr std::uint64_t kDisplay = 0x03, kProcessing = 0x12;
  std::vector<KernelCard> cards;
  for (const std::string& name : files.List(kPciDevices)) {
    const std::string folder = std::string(kPciDevices).append("/").append(name);
    const auto address = ParsePciAddress(name);
    const auto base = files.ReadNumber(folder + "/class").value_or(0) >> 16U;
    const bool computes = base == kDisplay || base == kProcessing;
    if (!address || !computes || files.ReadNumber(folder + "/vendor") != kMaker) continue;
    const auto driver = files.ReadLink(folder + "/driver");
    const bool known = driver && std::find(kKernelDrivers.begin(), kKernelDrivers.end(), FileName(*driver)) !=
                                     kKernelDrivers.end();
    // A neural processor is of the same class, and its kernel driver (intel_vpu) is none of these.
    if (base == kProcessing && !known) continue;
    cards.push_back({*address, known, known ? RenderNodes(files, folder) : std::vector<DeviceNode>()});
  }
  return cards;
}

std::optional<std::string> MaskIn(const system::Environment& environment) {
  auto mask = environment.Get(kMask);
  return mask && !mask->empty() && *mask != "default" ? std::move(mask) : std::nullopt;
}

std::vector<MaskEntry> ParseMask(std::string_view mask) {
  std::vector<MaskEntry> entries;
  while (!mask.empty()) {
    std::string_view entry = Trim(TakeUpTo(mask, ','));
    const bool has_tile = entry.find('.') != std::string_view::npos;
    const auto device = ParseNumber<std::uint32_t>(TakeUpTo(entry, '.'));
    const auto tile = has_tile ? ParseNumber<std::uint32_t>(entry) : std::nullopt;
    if (device && (tile || !has_tile)) entries.push_back({*device, tile});
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

std::optional<std::string> MaskOf(std::string_view mask, std::size_t place, std::size_t shown) {
  std::map<std::uint32_t, std::string> devices;
  for (const MaskEntry& entry : ParseMask(mask)) {
    std::string& text = devices[entry.device];
    text.append(text.empty() ? "" : ",").append(fmt::to_string(entry.device));
    if (entry.tile) text.append(fmt::format(".{}", *entry.tile));
  }
  if (devices.size() != shown || place >= shown) return std::nullopt;
  return std::next(devices.begin(), static_cast<std::ptrdiff_t>(place))->second;
}

std::optional<std::vector<std::uint32_t>> PlacesOf(const std::vector<RuntimeDevice>& devices,
                                                   const system::Environment& environment) {
  std::vector<std::uint32_t> places;
  const bool is_of_one = std::all_of(devices.begin(), devices.end(), [&](const RuntimeDevice& device) {
    return device.driver == devices.front().driver;
  });
  if (is_of_one) {
    for (const RuntimeDevice& device : devices) places.push_back(device.ordinal);
    return places;
  }
  // Drivers of one library are of one version.
  const auto is_placed = [&](const RuntimeDevice& device) {
    return device.identity.pci && device.driver_version &&
           device.driver_version == devices.front().driver_version;
  };
  if (!std::all_of(devices.begin(), devices.end(), is_placed)) return std::nullopt;
  const bool by_address_alone =
      ParseNumber<std::uint32_t>(environment.Get(kPciOrder).value_or("0")).value_or(0) != 0;
  const auto rank = [&](std::size_t i) {
    const bool is_late = !by_address_alone && devices[i].kind == DeviceKind::kIntegrated;
    return std::tuple(is_late, *devices[i].identity.pci, devices[i].ordinal);  // tiles in their order
  };
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  places.resize(devices.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::uint32_t>(i);
  return places;
}

namespace {

// Whether it can hide a card: it lists fewer than there are.
bool MaskHides(const std::vector<KernelCard>& cards, const std::vector<RuntimeDevice>& shown,
               const system::Environment& environment) {
  const auto mask = MaskIn(environment);
  if (!mask) return false;
  // Its numbers are of tiles then, and how many the others have is not known.
  const bool has_tiles = std::any_of(shown.begin(), shown.end(), [](const RuntimeDevice& device) {
    return device.identity.partition.has_value();
  });
  if (has_tiles) return true;
  const auto open = static_cast<std::size_t>(std::count_if(cards.begin(), cards.end(), IsOpen));
  std::set<std::uint32_t> listed;
  for (const MaskEntry& entry : ParseMask(*mask)) {
    if (entry.device < open) listed.insert(entry.device);
  }
  // Where no node is known, as under WSL, any mask may.
  return listed.size() < std::max<std::size_t>(open, 1);
}

// Of a driver that shows other GPUs.
Error SkippedError(const PciAddress& address) {
  return {
      "zeDeviceGet", std::nullopt, "driver_skips_gpu",
      fmt::format("the kernel's driver has {}, and no Level Zero driver shows it: they may not know the chip",
                  ToString(address))};
}

// A driver says so of a node that the kernel refuses to open.
Diagnosis OfDenial(Error error, const std::vector<KernelCard>& cards) {
  const DeviceNode* closed = FirstClosed(cards);
  if (closed != nullptr && IsDenied(*closed)) return OfClosedNode(std::move(error), *closed);
  return Cause(Outcome::kDenied, std::move(error), "render_node_denied",
               "the driver says that this user or container may not open the GPU's render node");
}

}  // namespace

Diagnosis Diagnose(Error error, const std::vector<KernelCard>& all, bool has_driver,
                   const system::FileSystem& files, const system::Environment& environment) {
  if (error.code == kZeInsufficientPermissions) return OfDenial(std::move(error), all);
  if (!has_driver) {
    return Cause(Outcome::kAbsent, std::move(error), "no_driver",
                 "the Level Zero loader is installed and finds no driver of a GPU (libze_intel_gpu.so.1)");
  }
  std::vector<KernelCard> cards;
  std::copy_if(all.begin(), all.end(), std::back_inserter(cards),
               [](const KernelCard& card) { return card.has_driver; });
  if (cards.empty() && !files.Exists(system::kWslGpuNode)) {
    if (all.empty()) {
      return Cause(Outcome::kNoDevice, std::move(error), "no device",
                   "there is no GPU that its driver computes on");
    }
    return Cause(
        Outcome::kNoDevice, std::move(error), "no_kernel_driver",
        fmt::format("the kernel's driver i915 or xe does not have {}", ToString(all.front().address)));
  }
  const DeviceNode* closed = FirstClosed(cards);
  if (closed != nullptr && std::none_of(cards.begin(), cards.end(), IsOpen))
    return OfClosedNode(std::move(error), *closed);
  if (const auto mask = MaskIn(environment); mask && MaskHides(cards, {}, environment)) {
    return Cause(Outcome::kHidden, std::move(error), "hidden",
                 fmt::format("{}={} leaves no device", kMask, CleanText(*mask)));
  }
  if (closed != nullptr) return OfClosedNode(std::move(error), *closed);
  if (cards.empty()) {
    return Cause(Outcome::kNoDevice, std::move(error), "no device",
                 "the Windows host's driver offers Level Zero no device");
  }
  return Cause(Outcome::kNoDevice, std::move(error), "driver_skips_gpu",
               fmt::format("the kernel's driver has {}, and this Level Zero driver shows none: it may not "
                           "know the chip",
                           ToString(cards.front().address)));
}

std::vector<HardwareDevice> NotShown(const std::vector<KernelCard>& cards,
                                     const std::vector<RuntimeDevice>& shown, bool has_failed,
                                     const system::Environment& environment) {
  const bool by_mask = MaskHides(cards, shown, environment);
  const auto has_no_address = [](const RuntimeDevice& device) { return !device.identity.pci; };
  if ((has_failed && !by_mask) || std::any_of(shown.begin(), shown.end(), has_no_address)) return {};
  std::vector<HardwareDevice> missing;
  for (const KernelCard& card : cards) {
    const bool is_shown = std::any_of(shown.begin(), shown.end(), [&](const RuntimeDevice& device) {
      return device.identity.pci == card.address;
    });
    if (!IsOpen(card) || is_shown) continue;
    missing.push_back(by_mask ? HiddenHardware("level_zero", card.address, kMask)
                              : UnreachedHardware("level_zero", card.address, SkippedError(card.address)));
  }
  return missing;
}

}  // namespace probe::level_zero
