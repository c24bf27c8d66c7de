// SPDX-License-Identifier: MIT
#include "tests/fakes/level_zero/machine.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

namespace fakes::level_zero {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

using Entry = std::pair<std::uint32_t, std::optional<std::uint32_t>>;

std::set<Entry> Mask() {
  std::set<Entry> entries;
  std::istringstream list(Variable("ZE_AFFINITY_MASK"));
  for (std::string text; std::getline(list, text, ',');) {
    if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) continue;
    const auto dot = text.find('.');
    const auto number = static_cast<std::uint32_t>(std::stoul(text));
    if (dot == std::string::npos) {
      entries.insert({number, std::nullopt});
    } else {
      entries.insert({number, static_cast<std::uint32_t>(std::stoul(text.substr(dot + 1)))});
    }
  }
  return entries;
}

bool IsOf(const Device& gpu, std::int64_t driver) { return Get(gpu, "driver", 0) == driver; }

// Those that the mask of this driver's library counts, in its order.
std::vector<Slot> GpusBeside(std::int64_t driver, std::int64_t drivers) {
  const bool is_shared = drivers > 1 && GetOfDriver("libraries", 1) == 1;
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < Current().devices.size(); ++i) {
    const Device& gpu = Current().devices[i];
    if (!is_shared && !IsOf(gpu, driver)) continue;
    slots.push_back(
        {&gpu, i, {}, static_cast<std::uint32_t>(std::max<std::size_t>(1, gpu.partitions.size()))});
  }
  const bool by_address_alone = Variable("ZE_ENABLE_PCI_ID_DEVICE_ORDER") == "1";
  const auto rank = [&](const Slot& slot) {
    const PciBus at = slot.gpu->pci.value_or(PciBus{});
    const bool is_late = !by_address_alone && slot.gpu->type == DeviceType::kIntegrated;
    return std::tuple(is_late, at.domain, at.bus, at.device, at.function);
  };
  if (is_shared) {
    std::stable_sort(slots.begin(), slots.end(),
                     [&](const Slot& a, const Slot& b) { return rank(a) < rank(b); });
  }
  return slots;
}

// Every tile by itself.
std::vector<Slot> Flat(const std::vector<Slot>& gpus) {
  std::vector<Slot> slots;
  for (const Slot& gpu : gpus) {
    if (gpu.gpu->partitions.empty()) slots.push_back(gpu);
    for (std::uint32_t tile = 0; tile < gpu.gpu->partitions.size(); ++tile)
      slots.push_back({gpu.gpu, gpu.index, tile, 1});
  }
  return slots;
}

std::vector<Slot> Left(const std::vector<Slot>& all, const std::set<Entry>& mask, bool is_composite) {
  if (Variable("ZE_AFFINITY_MASK").empty()) return all;
  std::vector<Slot> left;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (mask.count({i, std::nullopt}) != 0) {
      left.push_back(all[i]);
      continue;
    }
    std::vector<std::uint32_t> tiles;
    for (const auto& [number, tile] : mask) {
      if (is_composite && number == i && tile && *tile < all[i].tiles) tiles.push_back(*tile);
    }
    if (tiles.size() == 1) left.push_back({all[i].gpu, all[i].index, tiles.front(), 1});
    if (tiles.size() > 1)
      left.push_back({all[i].gpu, all[i].index, {}, static_cast<std::uint32_t>(tiles.size())});
  }
  return left;
}

}  // namespace

const std::vector<std::unique_ptr<Driver>>& Drivers() {
  static const auto drivers = [] {
    std::vector<std::unique_ptr<Driver>> all;
    const bool is_composite = Variable("ZE_FLAT_DEVICE_HIERARCHY") == "COMPOSITE";
    const auto count = GetOfDriver("zero_drivers", 0) != 0 ? 0 : GetOfDriver("drivers", 1);
    for (std::int64_t i = 0; i < count; ++i) {
      auto& driver = all.emplace_back(std::make_unique<Driver>());
      const auto gpus = GpusBeside(i, count);
      for (const Slot& slot : Left(is_composite ? gpus : Flat(gpus), Mask(), is_composite)) {
        if (IsOf(*slot.gpu, i)) driver->slots.push_back(std::make_unique<Slot>(slot));
      }
    }
    return all;
  }();
  return drivers;
}

const Slot* SlotOf(const void* handle) {
  for (const auto& driver : Drivers()) {
    for (const auto& slot : driver->slots) {
      if (slot.get() == handle) return slot.get();
    }
  }
  return nullptr;
}

std::int64_t Get(const Device& device, const std::string& attribute, std::int64_t otherwise) {
  const auto found = device.attributes.find(attribute);
  return found == device.attributes.end() ? otherwise : found->second;
}

std::int64_t GetOfDriver(const std::string& attribute, std::int64_t otherwise) {
  const auto found = Current().attributes.find(attribute);
  return found == Current().attributes.end() ? otherwise : found->second;
}

Uuid UuidOf(const Slot& slot) {
  Uuid uuid = slot.gpu->uuid;
  uuid.back() = static_cast<std::uint8_t>(slot.tile ? *slot.tile + 1 : 0);
  return uuid;
}

}  // namespace fakes::level_zero
