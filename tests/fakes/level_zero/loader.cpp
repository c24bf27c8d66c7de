// SPDX-License-Identifier: MIT
// A fake libze_loader with drivers of its own: starting them, and what they say of themselves.
#include <cstring>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/level_zero/state.h"

namespace fakes::level_zero {
namespace {

[[gnu::constructor]] void OnLoad() { ReachLoad(); }
[[gnu::destructor]] void OnUnload() { fakes::ReachTeardown(); }

// Drivers without a device, and no driver at all, are one code of the real one.
std::uint32_t StartDrivers() {
  if (const auto error = Reach(Point::kInit)) return static_cast<std::uint32_t>(*error);
  if (const auto code = GetOfDriver("init_code", 0); code != 0) return static_cast<std::uint32_t>(code);
  for (const auto& driver : Drivers()) {
    if (!driver->slots.empty()) {
      IsStarted() = true;
      return rt::kZeSuccess;
    }
  }
  return rt::kZeUninitialized;
}

std::uint32_t ListDrivers(std::uint32_t* count, rt::ZeDriver* drivers) {
  return Reply(count, drivers != nullptr, static_cast<std::uint32_t>(Drivers().size()),
               [&](std::uint32_t i) { drivers[i] = reinterpret_cast<rt::ZeDriver>(Drivers()[i].get()); });
}

}  // namespace

bool& IsStarted() {
  static bool is_started = false;
  return is_started;
}

std::uint32_t& Broken() {
  static std::uint32_t code = rt::kZeSuccess;
  return code;
}

std::uint32_t Usable(Point point, const Slot* slot) {
  if (slot == nullptr) return rt::kZeInvalidNullHandle;
  if (Broken() != rt::kZeSuccess) return Broken();
  return static_cast<std::uint32_t>(Reach(point, slot->index).value_or(0));
}

}  // namespace fakes::level_zero

using namespace fakes::level_zero;  // NOLINT: the entry points below are C

FAKE_ZE zeInit(std::uint32_t) { return StartDrivers(); }
FAKE_ZE zeInitDrivers(std::uint32_t* count, rt::ZeDriver* drivers, rt::ZeDriverTypes* types) {
  if (types->type != rt::ZeDriverTypes{}.type) return rt::kZeInvalidArgument;
  if (GetOfDriver("old_init", 0) != 0) return rt::kZeUninitialized;
  if (const auto code = StartDrivers(); code != rt::kZeSuccess) return code;
  return ListDrivers(count, drivers);
}
FAKE_ZE zeDriverGet(std::uint32_t* count, rt::ZeDriver* drivers) {
  if (!IsStarted()) __builtin_trap();
  return ListDrivers(count, drivers);
}
FAKE_ZE zeDriverGetApiVersion(rt::ZeDriver, std::uint32_t* version) {
  const auto wanted = fakes::Current().api_version.value_or(std::array<std::uint32_t, 2>{1, 6});
  *version = wanted[0] << 16U | wanted[1];
  return rt::kZeSuccess;
}
FAKE_ZE zeDriverGetProperties(rt::ZeDriver driver, rt::ZeDriverProperties* properties) {
  if (driver == nullptr || properties->type != rt::ZeDriverProperties{}.type) return rt::kZeInvalidArgument;
  properties->uuid =
      fakes::Current().devices.empty() ? rt::ZeUuid{} : fakes::Current().devices[0].driver_uuid;
  properties->version = 1U << 24U | 6U << 16U | 33578U;
  for (std::uint32_t i = 0; i < Drivers().size() && GetOfDriver("libraries", 1) > 1; ++i) {
    if (reinterpret_cast<rt::ZeDriver>(Drivers()[i].get()) == driver) properties->version -= i;
  }
  return rt::kZeSuccess;
}
FAKE_ZE zeDriverGetExtensionProperties(rt::ZeDriver, std::uint32_t* count, rt::ZeExtension* extensions) {
  const std::uint32_t there = GetOfDriver("no_ip", 0) != 0 ? 1 : 2;
  return Reply(count, extensions != nullptr, there, [&](std::uint32_t i) {
    extensions[i] = {};
    std::strcpy(extensions[i].name.data(),
                i == 0 ? "ZE_experimental_power_saving_hint" : "ZE_extension_device_ip_version");
    extensions[i].version = 1U << 16U;
  });
}
FAKE_ZE zeDeviceGet(rt::ZeDriver handle, std::uint32_t* count, rt::ZeDevice* devices) {
  if (const auto error = fakes::Reach(fakes::Point::kEnumerate)) return static_cast<std::uint32_t>(*error);
  if (handle == nullptr) return rt::kZeInvalidNullHandle;
  const auto& slots = reinterpret_cast<const Driver*>(handle)->slots;
  return Reply(count, devices != nullptr, static_cast<std::uint32_t>(slots.size()),
               [&](std::uint32_t i) { devices[i] = reinterpret_cast<rt::ZeDevice>(slots[i].get()); });
}
