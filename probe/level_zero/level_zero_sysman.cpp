// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probe/core/enumerate.h"
#include "probe/level_zero/level_zero_api.h"

namespace probe::level_zero {
namespace {

constexpr std::uint32_t kMaxMemories = 64, kMaxDomains = 64;

template <class Handle, class Ask>
std::vector<Handle> Handles(std::uint32_t most, const Ask& ask) {
  std::vector<Handle> all;
  static_cast<void>(EnumerateHandles(most, ask, all));  // none where it fails
  return all;
}

struct ReasonRow {
  std::uint32_t flags;
  std::string_view name;
};
// A range that software or another part of the card sets is no fault: it is how the card is made or meant.
constexpr std::array kReasons = {
    ReasonRow{kZesAveragePowerCap | kZesBurstPowerCap, "power cap"},
    ReasonRow{kZesCurrentLimit, "current limit"},
    ReasonRow{kZesThermalLimit, "thermal"},
    ReasonRow{kZesSupplyAlert, "power supply"},
};
std::string NamesOf(std::uint32_t reasons) {
  std::vector<std::string_view> names;
  for (const ReasonRow& row : kReasons) {
    if ((reasons & row.flags) != 0) names.push_back(row.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Sysman::Sysman(const Api& api) : api_(api) {
  const bool complete = api.zesInit != nullptr && api.zesDriverGet != nullptr &&
                        api.zesDeviceGet != nullptr && api.zesDevicePciGetProperties != nullptr;
  if (!complete || api.zesInit(0) != kZeSuccess) return;
  drivers_ = Handles<ZesDriver>(kMaxDrivers, api.zesDriverGet);
  for (const ZesDriver driver : drivers_) ListCards(driver);
}

void Sysman::ListCards(ZesDriver driver) {
  const auto devices = Handles<ZesDevice>(kMaxDevices, [&](std::uint32_t* count, ZesDevice* handles) {
    return api_.zesDeviceGet(driver, count, handles);
  });
  for (const ZesDevice device : devices) {
    ZesPciProperties properties;
    if (api_.zesDevicePciGetProperties(device, &properties) != kZeSuccess) continue;
    const ZePciAddress& at = properties.address;
    cards_.push_back({device, {at.domain, at.bus, at.device, at.function}});
  }
}

std::optional<std::uint32_t> Sysman::TileOf(const ZeUuid& uuid) const {
  if (api_.zesDriverGetDeviceByUuidExp == nullptr) return std::nullopt;
  for (const ZesDriver driver : drivers_) {
    ZesDevice device = nullptr;
    std::uint8_t is_part = 0;
    std::uint32_t part = 0;
    if (api_.zesDriverGetDeviceByUuidExp(driver, uuid, &device, &is_part, &part) == kZeSuccess)
      return is_part != 0 ? std::optional(part) : std::nullopt;
  }
  return std::nullopt;
}

const Sysman::Card* Sysman::Find(const PciAddress& address) const {
  const auto card =
      std::find_if(cards_.begin(), cards_.end(), [&](const Card& one) { return one.address == address; });
  return card == cards_.end() ? nullptr : &*card;
}

std::optional<std::uint64_t> Sysman::FreeBytes(const PciAddress& address) const {
  if (api_.zesDeviceEnumMemoryModules == nullptr || api_.zesMemoryGetState == nullptr) return std::nullopt;
  const Card* card = Find(address);
  if (card == nullptr) return std::nullopt;
  const auto memories = Handles<ZesMemory>(kMaxMemories, [&](std::uint32_t* count, ZesMemory* handles) {
    return api_.zesDeviceEnumMemoryModules(card->handle, count, handles);
  });
  std::uint64_t free = 0, size = 0;
  for (const ZesMemory memory : memories) {
    ZesMemoryState state;
    if (api_.zesMemoryGetState(memory, &state) != kZeSuccess || state.free > state.size) return std::nullopt;
    free += state.free;
    size += state.size;
  }
  return free < size ? std::optional(free) : std::nullopt;
}

Clock Sysman::ClockOf(const PciAddress& address, std::optional<std::uint32_t> tile) const {
  Clock clock;
  const Card* card = Find(address);
  const bool tells = api_.zesDeviceEnumFrequencyDomains != nullptr &&
                     api_.zesFrequencyGetProperties != nullptr && api_.zesFrequencyGetState != nullptr;
  if (card == nullptr || !tells) return clock;
  const auto domains = Handles<ZesFrequency>(kMaxDomains, [&](std::uint32_t* count, ZesFrequency* handles) {
    return api_.zesDeviceEnumFrequencyDomains(card->handle, count, handles);
  });
  std::uint32_t reasons = 0;
  for (const ZesFrequency domain : domains) {
    ZesFrequencyProperties properties;
    ZesFrequencyState state;
    if (api_.zesFrequencyGetProperties(domain, &properties) != kZeSuccess ||
        properties.domain != kZesFrequencyGpu)
      continue;
    const bool is_of_another = tile && properties.is_part != 0 && properties.part != *tile;
    if (is_of_another || api_.zesFrequencyGetState(domain, &state) != kZeSuccess) continue;
    reasons |= state.throttle_reasons;
    // Negative where it is not known, 0 while the GPU sleeps.
    if (properties.most_mhz > 0 && state.actual_mhz > 0)
      clock.share = std::min(clock.share.value_or(1), state.actual_mhz / properties.most_mhz);
  }
  clock.throttled_by = NamesOf(reasons);
  return clock;
}

}  // namespace probe::level_zero
