// SPDX-License-Identifier: MIT
// Adapters, platforms and devices of the fake, and what the selector leaves of them.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/sycl/state.h"

namespace fakes::sycl {
namespace {

[[gnu::constructor]] void OnLoad() { ReachLoad(); }
[[gnu::destructor]] void OnUnload() { ReachTeardown(); }

bool is_started = false;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// One term of ONEAPI_DEVICE_SELECTOR.
struct Term {
  bool accepts = true;
  std::string backend;
  std::vector<std::string> devices;
};
std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}
// nullopt of a malformed one, as urDeviceGetSelected refuses it.
std::optional<std::vector<Term>> Terms() {
  std::vector<Term> terms;
  for (std::string text : Split(Variable("ONEAPI_DEVICE_SELECTOR"), ';')) {
    Term& term = terms.emplace_back();
    term.accepts = !text.starts_with('!');
    if (!term.accepts) text.erase(0, 1);
    const auto colon = text.find(':');
    if (colon == std::string::npos) return std::nullopt;
    term.backend = text.substr(0, colon);
    term.devices = Split(text.substr(colon + 1), ',');
    constexpr std::array kBackends = {"*", "level_zero", "opencl", "cuda", "hip", "native_cpu"};
    const bool is_known = std::find(kBackends.begin(), kBackends.end(), term.backend) != kBackends.end();
    if (!is_known || term.devices.empty()) return std::nullopt;
  }
  return terms;
}

const char* NameOf(std::uint32_t backend) { return backend == ur::kUrLevelZero ? "level_zero" : "opencl"; }

// A whole device of this number, or, with `tile`, that part of it.
bool Fits(const Term& term, const Platform& platform, std::uint32_t number, const Slot& slot,
          std::optional<std::uint32_t> tile) {
  if (term.backend != "*" && term.backend != NameOf(platform.backend)) return false;
  return std::any_of(term.devices.begin(), term.devices.end(), [&](const std::string& device) {
    const auto parts = Split(device, '.');
    if ((parts.size() > 1) != tile.has_value()) return false;
    const bool is_it = parts[0] == "*" || parts[0] == std::to_string(number) ||
                       parts[0] == (IsProcessor(slot) ? "cpu" : "gpu");
    return is_it && (!tile || parts[1] == "*" || parts[1] == std::to_string(*tile));
  });
}

}  // namespace

bool IsProcessor(const Slot& slot) { return slot.gpu->type == DeviceType::kCpu; }

const std::vector<const Adapter*>& Adapters() {
  static const auto adapters = [] {
    static Platform gpus{ur::kUrLevelZero, "Intel(R) oneAPI Unified Runtime over Level-Zero", {}};
    static Platform processors{ur::kUrOpenCl, "Intel(R) OpenCL", {}};
    for (const auto& driver : level_zero::Drivers()) {
      for (const auto& slot : driver->slots)
        (IsProcessor(*slot) ? processors : gpus).slots.push_back(slot.get());
    }
    static std::array<Adapter, 2> all;
    std::vector<const Adapter*> out;
    const bool is_forced_away = !Variable("UR_ADAPTERS_FORCE_LOAD").empty();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Platform& platform = i == 0 ? gpus : processors;
      if (platform.slots.empty() || is_forced_away || GetOfDriver("no_adapters", 0) != 0) continue;
      all.at(i).platforms = {&platform};
      out.push_back(&all.at(i));
    }
    return out;
  }();
  return adapters;
}

const std::vector<const Slot*>& TilesOf(const Slot& card) {
  static std::map<const Slot*, std::vector<const Slot*>> known;
  auto& tiles = known[&card];
  for (std::uint32_t i = 0; tiles.size() < card.tiles && card.tiles > 1; ++i)
    tiles.push_back(new Slot{card.gpu, card.index, i, 1});
  return tiles;
}

const Slot* CardOf(const Slot& slot) {
  for (const Adapter* adapter : Adapters()) {
    for (const Slot* card : adapter->platforms.front()->slots) {
      const auto& tiles = TilesOf(*card);
      if (std::find(tiles.begin(), tiles.end(), &slot) != tiles.end()) return card;
    }
  }
  return nullptr;
}

const Slot* SlotOf(const void* handle) {
  for (const Adapter* adapter : Adapters()) {
    for (const Slot* slot : adapter->platforms.front()->slots) {
      if (slot == handle) return slot;
      for (const Slot* tile : TilesOf(*slot)) {
        if (tile == handle) return tile;
      }
    }
  }
  return nullptr;
}

std::uint32_t& Broken() {
  static std::uint32_t code = ur::kUrSuccess;
  return code;
}

std::uint32_t CodeAt(Point point, const Slot* slot) {
  if (slot == nullptr) return ur::kUrInvalidNullHandle;
  if (Broken() != ur::kUrSuccess) return Broken();
  return static_cast<std::uint32_t>(Reach(point, slot->index).value_or(0));
}

}  // namespace fakes::sycl

using namespace fakes::sycl;  // NOLINT: the entry points below are C

FAKE_UR urLoaderConfigSetMockingEnabled() { __builtin_trap(); }
FAKE_UR urLoaderInit(std::uint32_t, ur::UrConfig) {
  if (const auto error = fakes::Reach(fakes::Point::kInit)) return static_cast<std::uint32_t>(*error);
  is_started = true;
  return ur::kUrSuccess;
}
FAKE_UR urAdapterGet(std::uint32_t room, ur::UrAdapter* adapters, std::uint32_t* count) {
  if (!is_started) return ur::kUrUninitialized;
  // The loader leaves out adapters that the selector has no word for: the tool must ask without it.
  if (std::getenv("ONEAPI_DEVICE_SELECTOR") != nullptr && adapters == nullptr) __builtin_trap();
  return Reply(Adapters(), room, adapters, count);
}
FAKE_UR urPlatformGetInfo(ur::UrPlatform handle, ur::UrPlatformInfo what, std::size_t size, void* value,
                          std::size_t*) {
  const auto& platform = *reinterpret_cast<const Platform*>(handle);
  if (what == ur::kUrPlatformBackend && size == sizeof platform.backend) {
    std::memcpy(value, &platform.backend, size);
    return ur::kUrSuccess;
  }
  const std::string text = what == ur::kUrPlatformName ? platform.name : "1.6";
  if (text.size() >= size) return ur::kUrInvalidValue;
  std::memcpy(value, text.c_str(), text.size() + 1);
  return ur::kUrSuccess;
}
FAKE_UR urDeviceGet(ur::UrPlatform handle, ur::UrDeviceType, std::uint32_t room, ur::UrDevice* devices,
                    std::uint32_t* count) {
  if (const auto error = fakes::Reach(fakes::Point::kEnumerate)) return static_cast<std::uint32_t>(*error);
  return Reply(reinterpret_cast<const Platform*>(handle)->slots, room, devices, count);
}
FAKE_UR urDeviceGetSelected(ur::UrPlatform handle, ur::UrDeviceType, std::uint32_t room,
                            ur::UrDevice* devices, std::uint32_t* count) {
  const auto& platform = *reinterpret_cast<const Platform*>(handle);
  const auto terms = Terms();
  if (!terms) return ur::kUrInvalidValue;
  const bool has_accepting =
      std::any_of(terms->begin(), terms->end(), [](const Term& term) { return term.accepts; });
  std::vector<const Slot*> left;
  const auto consider = [&](std::uint32_t number, const Slot& slot, std::optional<std::uint32_t> tile,
                            const Slot& self) {
    bool is_in = !has_accepting && !tile;
    for (const Term& term : *terms)
      is_in = is_in || (term.accepts && Fits(term, platform, number, slot, tile));
    for (const Term& term : *terms)
      is_in = is_in && !(!term.accepts && Fits(term, platform, number, slot, tile));
    if (is_in) left.push_back(&self);
  };
  for (std::uint32_t i = 0; i < platform.slots.size(); ++i) {
    const Slot& slot = *platform.slots[i];
    consider(i, slot, std::nullopt, slot);
    const auto& tiles = TilesOf(slot);
    for (std::uint32_t tile = 0; tile < tiles.size(); ++tile) consider(i, slot, tile, *tiles[tile]);
  }
  return Reply(left, room, devices, count);
}
