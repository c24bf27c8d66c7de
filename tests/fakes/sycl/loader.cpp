// SPDX-License-Identifier: MIT
// Adapters, platforms and devices of the fake.
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

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

}  // namespace

bool IsProcessor(const Slot& slot) { return slot.gpu->type == DeviceType::kCpu; }

const std::vector<const Adapter*>& Adapters() {
  static const auto adapters = [] {
    static std::array<Adapter, 2> all;
    std::vector<const Adapter*> out;
    if (!Variable("UR_ADAPTERS_FORCE_LOAD").empty() || GetOfDriver("no_adapters", 0) != 0) return out;
    static Platform processors{ur::kUrOpenCl, "Intel(R) OpenCL", {}};
    for (const auto& driver : level_zero::Drivers()) {
      auto* gpus = new Platform{ur::kUrLevelZero, "Intel(R) oneAPI Unified Runtime over Level-Zero", {}};
      for (const auto& slot : driver->slots)
        (IsProcessor(*slot) ? processors : *gpus).slots.push_back(slot.get());
      if (!gpus->slots.empty()) all[0].platforms.push_back(gpus);
    }
    if (!processors.slots.empty()) all[1].platforms.push_back(&processors);
    for (const Adapter& adapter : all) {
      if (!adapter.platforms.empty()) out.push_back(&adapter);
    }
    return out;
  }();
  return adapters;
}

const Slot* SlotOf(const void* handle) {
  for (const Adapter* adapter : Adapters()) {
    for (const Platform* platform : adapter->platforms) {
      for (const Slot* slot : platform->slots) {
        if (slot == handle) return slot;
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
  const auto& slots = reinterpret_cast<const Platform*>(handle)->slots;
  if (const auto error = fakes::Reach(fakes::Point::kEnumerate, slots.front()->index))
    return static_cast<std::uint32_t>(*error);
  return Reply(slots, room, devices, count);
}
