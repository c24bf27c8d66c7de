// SPDX-License-Identifier: MIT
// A fake IOKit and Core Foundation: an entry for each device, which knows its cores, an object of Core
// Foundation being one of Objective-C.
#include <cstring>

#include "tests/fakes/metal/device.h"

namespace fakes::metal {
namespace {

constexpr std::uint64_t kFirstEntry = 0x1000002a0;  // as MTLDevice's registryID
// Of a number, and of any other object.
constexpr unsigned long kNumberType = 22, kOtherType = 7;

struct Number : Object {
  explicit Number(std::int64_t given_value);
  std::int64_t value;
};
ClassObject& NumberClass() {
  static auto* const type = new ClassObject("NSNumber", {});
  return *type;
}
Number::Number(std::int64_t given_value) : Object(&NumberClass()), value(given_value) {}

Object& ObjectOf(rt::CfType reference) {
  return As<Object>(reinterpret_cast<rt::Id>(const_cast<void*>(reference)));
}

long entries_held = 0;

}  // namespace
}  // namespace fakes::metal

using namespace fakes::metal;  // NOLINT: the entry points below are C

FAKE_METAL rt::CfType IORegistryEntryIDMatching(std::uint64_t entry_id) {
  return IdOf(new Number(static_cast<std::int64_t>(entry_id)));
}
FAKE_METAL rt::IoObject IOServiceGetMatchingService(rt::IoObject, rt::CfType matching) {
  const auto id = static_cast<std::uint64_t>(static_cast<Number&>(ObjectOf(matching)).value);
  Release(&ObjectOf(matching));
  if (id < kFirstEntry || id - kFirstEntry >= fakes::Current().devices.size()) return 0;
  ++entries_held;
  return static_cast<rt::IoObject>(id - kFirstEntry + 1);
}
FAKE_METAL rt::CfType IORegistryEntryCreateCFProperty(rt::IoObject entry, rt::CfType key, rt::CfType,
                                                      std::uint32_t) {
  const auto cores = Get(fakes::Current().devices[entry - 1], "gpu_cores", 0);
  if (TextOf(IdOf(&ObjectOf(key))) != "gpu-core-count" || cores == 0) return nullptr;
  if (cores == -1) return IdOf(NewString("many"));
  return IdOf(new Number(cores));
}
FAKE_METAL int IOObjectRelease(rt::IoObject) {
  --entries_held;
  return 0;
}
FAKE_METAL rt::CfType CFStringCreateWithCString(rt::CfType, const char* text, std::uint32_t) {
  return IdOf(NewString(text));
}
FAKE_METAL unsigned long CFGetTypeID(rt::CfType object) {
  return ObjectOf(object).isa == &NumberClass() ? kNumberType : kOtherType;
}
FAKE_METAL unsigned long CFNumberGetTypeID() { return kNumberType; }
FAKE_METAL Boolean CFNumberGetValue(rt::CfType number, long type, void* value) {
  if (type != rt::kCfNumberSInt64Type) Die("a number of another type");
  std::memcpy(value, &static_cast<Number&>(ObjectOf(number)).value, sizeof(std::int64_t));
  return 1;
}
FAKE_METAL void CFRelease(rt::CfType object) { Release(&ObjectOf(object)); }

// For tests: entries of the registry that somebody holds.
FAKE_METAL long fake_metal_entries_held() { return entries_held; }
