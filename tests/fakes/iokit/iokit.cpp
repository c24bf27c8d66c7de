// SPDX-License-Identifier: MIT
// A fake IOKit and Core Foundation: a registry of entries as the JSON file says that WHICHGPU_FAKE_REGISTRY
// names, a list of
//   {"class": "IOPCIDevice", "above": 0, "properties": {"model": "…", "device-id": {"bytes": [1, 2]}, …}}
// where "above" is the place of the entry that it hangs from. An entry is of a class if that is the first
// word of its "class" or any other, its base classes. Whoever gives back what nobody holds ends the process.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "probe/iokit/iokit_api.h"

#define FAKE_IOKIT extern "C" [[gnu::visibility("default")]]

namespace {

using Json = nlohmann::json;
using probe::iokit::Boolean;
using probe::iokit::CfType;
using probe::iokit::Object;

constexpr std::uint64_t kFirstId = 0x1000002a0;  // as Metal's fake has it for its first GPU
constexpr Object kFirstIterator = 100'000;

[[noreturn]] void Die(const char* why) {
  std::fprintf(stderr, "fake IOKit: %s\n", why);
  std::abort();
}

const Json& Registry() {
  static const Json registry = [] {
    const char* path = std::getenv("WHICHGPU_FAKE_REGISTRY");
    std::ifstream file(path != nullptr ? path : "");
    return file ? Json::parse(file) : Json::array();
  }();
  return registry;
}

// Objects of Core Foundation, and how many of the registry's somebody holds.
std::set<CfType>& Alive() {
  static std::set<CfType> alive;
  return alive;
}
std::map<Object, long>& Held() {
  static std::map<Object, long> held;
  return held;
}
std::map<Object, std::vector<Object>>& Iterators() {
  static std::map<Object, std::vector<Object>> iterators;
  return iterators;
}

CfType New(Json value) {
  const CfType made = new Json(std::move(value));
  Alive().insert(made);
  return made;
}
const Json& ValueOf(CfType object) {
  if (!Alive().contains(object)) Die("an object that nobody holds");
  return *static_cast<const Json*>(object);
}
Object Hold(Object object) {
  ++Held()[object];
  return object;
}
const Json& EntryOf(Object entry) {
  if (Held()[entry] <= 0 || entry == 0 || entry > Registry().size()) Die("an entry that nobody holds");
  return Registry()[entry - 1];
}

bool IsOf(const Json& entry, const std::string& class_name) {
  std::istringstream words(entry.at("class").get<std::string>());
  for (std::string word; words >> word;) {
    if (word == class_name) return true;
  }
  return false;
}

}  // namespace

FAKE_IOKIT CfType IOServiceMatching(const char* class_name) { return New(class_name); }

FAKE_IOKIT int IOServiceGetMatchingServices(Object, CfType matching, Object* iterator) {
  const auto name = ValueOf(matching).get<std::string>();
  Alive().erase(matching);
  delete static_cast<const Json*>(matching);
  *iterator = Hold(kFirstIterator + static_cast<Object>(Iterators().size()));
  auto& found = Iterators()[*iterator];
  for (std::size_t i = Registry().size(); i-- > 0;) {
    if (IsOf(Registry()[i], name)) found.push_back(static_cast<Object>(i + 1));
  }
  return 0;
}

FAKE_IOKIT Object IOIteratorNext(Object iterator) {
  if (Held()[iterator] <= 0) Die("an iterator that nobody holds");
  auto& left = Iterators()[iterator];
  if (left.empty()) return 0;
  const Object next = left.back();
  left.pop_back();
  return Hold(next);
}

FAKE_IOKIT int IOObjectRelease(Object object) {
  if (--Held()[object] < 0) Die("an entry is given back once too often");
  return 0;
}

FAKE_IOKIT int IORegistryEntryGetRegistryEntryID(Object entry, std::uint64_t* id) {
  *id = EntryOf(entry).value("id", kFirstId + 0x1000 + entry);
  return 0;
}

FAKE_IOKIT int IORegistryEntryGetParentEntry(Object entry, const char* plane, Object* parent) {
  if (std::strcmp(plane, "IOService") != 0) Die("another plane");
  const auto above = EntryOf(entry).find("above");
  if (above == EntryOf(entry).end()) return -1;
  *parent = Hold(above->get<Object>() + 1);
  return 0;
}

FAKE_IOKIT CfType IORegistryEntryCreateCFProperty(Object entry, CfType key, CfType, std::uint32_t) {
  const Json& properties = EntryOf(entry).at("properties");
  const auto found = properties.find(ValueOf(key).get<std::string>());
  return found == properties.end() ? nullptr : New(*found);
}

FAKE_IOKIT CfType CFStringCreateWithCString(CfType, const char* text, std::uint32_t) { return New(text); }

FAKE_IOKIT unsigned long CFGetTypeID(CfType object) {
  const Json& value = ValueOf(object);
  return static_cast<unsigned long>(value.is_number() ? Json::value_t::number_integer : value.type());
}
FAKE_IOKIT unsigned long CFStringGetTypeID() { return static_cast<unsigned long>(Json::value_t::string); }
FAKE_IOKIT unsigned long CFNumberGetTypeID() {
  return static_cast<unsigned long>(Json::value_t::number_integer);
}
FAKE_IOKIT unsigned long CFBooleanGetTypeID() { return static_cast<unsigned long>(Json::value_t::boolean); }
FAKE_IOKIT unsigned long CFDataGetTypeID() { return static_cast<unsigned long>(Json::value_t::object); }

FAKE_IOKIT Boolean CFStringGetCString(CfType string, char* buffer, long size, std::uint32_t) {
  const auto& text = ValueOf(string).get_ref<const std::string&>();
  if (text.size() >= static_cast<std::size_t>(size)) return 0;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return 1;
}
FAKE_IOKIT Boolean CFNumberGetValue(CfType number, long type, void* value) {
  if (type != probe::iokit::kNumber64) Die("a number of another type");
  const auto wide = ValueOf(number).get<std::int64_t>();
  std::memcpy(value, &wide, sizeof wide);
  return 1;
}
FAKE_IOKIT Boolean CFBooleanGetValue(CfType boolean) { return ValueOf(boolean).get<bool>() ? 1 : 0; }
FAKE_IOKIT long CFDataGetLength(CfType data) { return static_cast<long>(ValueOf(data).at("bytes").size()); }
FAKE_IOKIT const unsigned char* CFDataGetBytePtr(CfType data) {
  static std::map<CfType, std::string> kept;
  auto& bytes = kept[data];
  bytes.clear();
  for (const Json& byte : ValueOf(data).at("bytes")) bytes += static_cast<char>(byte.get<std::uint8_t>());
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
FAKE_IOKIT void CFRelease(CfType object) {
  if (Alive().erase(object) == 0) Die("an object that nobody holds is given back");
  delete static_cast<const Json*>(object);
}

// For tests: what somebody still holds.
FAKE_IOKIT long fake_iokit_held() {
  long held = static_cast<long>(Alive().size());
  for (const auto& [object, count] : Held()) held += count;
  return held;
}
