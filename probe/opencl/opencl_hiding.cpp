// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <string>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor.h"
#include "probe/core/vendor_names.h"
#include "probe/opencl/opencl_drivers.h"
#include "probe/system/wsl.h"

namespace probe::opencl {
namespace {

constexpr std::string_view kPciDevices = "/sys/bus/pci/devices";
constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

bool HasWord(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (TakeUpTo(list, ' ') == word) return true;
  }
  return false;
}

// Where in the driver's count an entry is: its number, 0 of what may name any GPU (a UUID, a number in
// another base), nullopt of what is none.
std::optional<std::size_t> PlaceOf(std::string_view entry) {
  const std::string text = Lower(entry.substr(entry.starts_with('+') ? 1 : 0));
  if (text.starts_with("gpu-") || text.starts_with("mig-")) return 0;
  const auto digits = std::string_view(text).substr(0, text.find_first_not_of("0123456789"));
  if (digits.empty()) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return 0;
  if (text.starts_with("0x")) return 0;
  return ParseNumber<std::size_t>(digits);
}

// The most of so many GPUs that a list leaves, read as the table says it is.
std::size_t LeftBy(std::string_view value, std::string_view how, std::size_t count) {
  if (value.empty() && how == "filled") return count;
  std::vector<std::string_view> entries;
  while (!value.empty()) {
    const auto entry = Trim(TakeUpTo(value, ','), " \t");
    if (std::find(entries.begin(), entries.end(), entry) != entries.end()) {
      if (how == "unique") return 0;
      continue;
    }
    const auto place = PlaceOf(entry);
    if (!place || *place >= count) break;
    entries.push_back(entry);
  }
  return std::min(entries.size(), count);
}

std::size_t CountOf(std::string_view prefix, const std::string& folder, const system::FileSystem& files) {
  const auto names = files.List(folder);
  return static_cast<std::size_t>(std::count_if(
      names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(prefix); }));
}

// As which a driver may count a card; no fewer than it has. Kernel drivers list them beside the card's own
// files or below its node.
std::size_t TilesOf(const std::string& card, const system::FileSystem& files) {
  std::size_t tiles = std::max<std::size_t>(1, CountOf("tile", card, files));
  for (const std::string& node : files.List(card + "/drm"))
    tiles = std::max(tiles, CountOf("gt", std::string(card).append("/drm/").append(node) + "/gt", files));
  return tiles;
}

// Those of the maker that the table names the driver by, under the kernel's driver that it is made for.
struct Cards {
  std::vector<PciAddress> addresses;
  std::size_t most = 0;  // devices that the driver can count; kUnknown where files do not tell
};
Cards CardsOf(const DriverRow& row, const system::FileSystem& files) {
  constexpr std::uint64_t kDisplay = 0x03, kProcessing = 0x12;
  const std::string maker = Lower(row.driver);
  const auto names = files.List(kPciDevices);
  Cards out;
  std::optional<std::uint32_t> number;
  for (const std::string& name : names) {
    const std::string folder = std::string(kPciDevices).append("/").append(name);
    const auto address = ParsePciAddress(name);
    const auto code = files.ReadNumber(folder + "/class").value_or(0) >> 16U;
    const auto vendor = files.ReadNumber(folder + "/vendor");
    if (!address || !vendor || (code != kDisplay && code != kProcessing)) continue;
    const auto* known = FindVendorNames(static_cast<std::uint32_t>(*vendor));
    if (known == nullptr || Lower(known->name) != maker) continue;
    const auto driver = files.ReadLink(folder + "/driver");
    if (!driver || !HasWord(row.kernel, FileName(*driver))) continue;
    out.addresses.push_back(*address);
    number = static_cast<std::uint32_t>(*vendor);
    out.most += TilesOf(folder, files);
  }
  const auto* vendor = FindVendor(number);
  if (vendor != nullptr && !vendor->partition_device.empty())
    out.most += CountOf(vendor->partition_device, "/sys/bus/platform/devices", files);
  if (names.empty() || files.Exists(system::kWslGpuNode)) out.most = kUnknown;
  return out;
}

}  // namespace

std::optional<Hiding> HidingOf(const DriverRow& row, const system::FileSystem& files,
                               const system::Environment& environment) {
  std::optional<Cards> cards;
  for (std::string_view words = row.hiding; !words.empty();) {
    std::string_view how = TakeUpTo(words, ' ');
    const auto variable = TakeUpTo(how, '=');
    auto value = environment.Get(variable);
    if (!value) continue;
    if (how == "names") return Hiding{variable, *std::move(value), {}};
    if (!cards) cards = CardsOf(row, files);
    if (cards->most == 0) return std::nullopt;
    // The next counts among what this one leaves.
    cards->most = LeftBy(*value, how, cards->most);
    if (cards->most == 0) return Hiding{variable, *std::move(value), std::move(cards->addresses)};
  }
  return std::nullopt;
}

}  // namespace probe::opencl
