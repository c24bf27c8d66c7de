// SPDX-License-Identifier: MIT
#include "probe/iokit/iokit_api.h"

#include <array>

#include "probe/core/text.h"
#include "probe/system/frameworks.h"

namespace probe::iokit {
namespace {

constexpr Object kMainPort = 0;              // kIOMainPortDefault
constexpr const char* kPlane = "IOService";  // kIOServicePlane
constexpr std::size_t kLongestText = 256;

std::string_view BytesOf(const Api& api, CfType data) {
  const long size = api.CFDataGetLength(data);
  const auto* bytes = api.CFDataGetBytePtr(data);
  if (bytes == nullptr || size <= 0) return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

}  // namespace

Result<Api> OpenApi(const system::FileSystem& files, const system::Environment& environment) {
  auto iokit = system::Library::Open({&system::kIoKitName, 1}, {}, files, environment);
  if (!iokit) return iokit.error();
  auto core_foundation = system::Library::Open({&system::kCoreFoundationName, 1}, {}, files, environment);
  if (!core_foundation) return core_foundation.error();
  Api api;
  std::string_view missing;
#define WHICHGPU_SYMBOL(name, library)                               \
  api.name = (library)->Function<decltype(&functions::name)>(#name); \
  if (api.name == nullptr && missing.empty()) missing = #name;
#define WHICHGPU_IOKIT_SYMBOL(name) WHICHGPU_SYMBOL(name, iokit)
#define WHICHGPU_CF_SYMBOL(name) WHICHGPU_SYMBOL(name, core_foundation)
#include "probe/iokit/iokit_symbols.def"
#undef WHICHGPU_SYMBOL
#undef WHICHGPU_IOKIT_SYMBOL
#undef WHICHGPU_CF_SYMBOL
  if (missing.empty()) return api;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               "IOKit or Core Foundation lacks a function that is needed"};
}

std::optional<std::uint64_t> Entry::Id() const {
  std::uint64_t id = 0;
  if (api_->IORegistryEntryGetRegistryEntryID(object_, &id) != 0) return std::nullopt;
  return id;
}

std::optional<Entry> Entry::Parent() const {
  Object parent = 0;
  if (api_->IORegistryEntryGetParentEntry(object_, kPlane, &parent) != 0 || parent == 0) return std::nullopt;
  return Entry(*api_, parent);
}

// What `read` makes of the property's value and its type; nothing where there is no such property.
template <class Read>
auto Entry::With(const char* key, const Read& read) const {
  using Out = decltype(read(CfType(), 0UL));
  const CfType name = api_->CFStringCreateWithCString(nullptr, key, kUtf8);
  if (name == nullptr) return Out();
  const CfType value = api_->IORegistryEntryCreateCFProperty(object_, name, nullptr, 0);
  api_->CFRelease(name);
  if (value == nullptr) return Out();
  auto out = read(value, api_->CFGetTypeID(value));
  api_->CFRelease(value);
  return out;
}

std::optional<std::string> Entry::Text(const char* key) const {
  return With(key, [&](CfType value, unsigned long type) -> std::optional<std::string> {
    std::array<char, kLongestText> buffer{};
    std::string text;
    if (type == api_->CFStringGetTypeID()) {
      if (api_->CFStringGetCString(value, buffer.data(), buffer.size(), kUtf8) == 0) return std::nullopt;
      text = buffer.data();
    } else if (type == api_->CFDataGetTypeID()) {
      const auto bytes = BytesOf(*api_, value).substr(0, kLongestText);
      text = bytes.substr(0, bytes.find('\0'));
    }
    text = CleanText(text, kLongestText);
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  });
}

std::optional<std::uint64_t> Entry::Number(const char* key) const {
  return With(key, [&](CfType value, unsigned long type) -> std::optional<std::uint64_t> {
    if (type == api_->CFNumberGetTypeID()) {
      std::int64_t number = 0;
      if (api_->CFNumberGetValue(value, kNumber64, &number) == 0 || number < 0) return std::nullopt;
      return static_cast<std::uint64_t>(number);
    }
    const auto bytes = type == api_->CFDataGetTypeID() ? BytesOf(*api_, value) : std::string_view();
    if (bytes.empty() || bytes.size() > sizeof(std::uint64_t)) return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[i]);
    return number;
  });
}

std::optional<bool> Entry::Flag(const char* key) const {
  return With(key, [&](CfType value, unsigned long type) -> std::optional<bool> {
    if (type != api_->CFBooleanGetTypeID()) return std::nullopt;
    return api_->CFBooleanGetValue(value) != 0;
  });
}

std::vector<Entry> EntriesOf(const Api& api, const char* class_name) {
  std::vector<Entry> out;
  const CfType matching = api.IOServiceMatching(class_name);
  Object iterator = 0;
  if (matching == nullptr || api.IOServiceGetMatchingServices(kMainPort, matching, &iterator) != 0)
    return out;
  while (out.size() < kMaxEntries) {
    const Object entry = api.IOIteratorNext(iterator);
    if (entry == 0) break;
    out.emplace_back(api, entry);
  }
  if (iterator != 0) api.IOObjectRelease(iterator);
  return out;
}

}  // namespace probe::iokit
