// SPDX-License-Identifier: MIT
// The door to macOS's registry of devices: entries, their parents and their properties. Declarations are
// Apple's, from its documentation ("IOKit", "Core Foundation") and the headers that it describes: IOKitLib.h,
// CFString.h, CFNumber.h, CFData.h. Knows no device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/library.h"

namespace probe::iokit {

using Object = unsigned int;  // io_object_t, a port of Mach
using CfType = const void*;   // CFTypeRef
using Boolean = unsigned char;

namespace functions {
CfType IOServiceMatching(const char* class_name);
int IOServiceGetMatchingServices(Object main_port, CfType matching, Object* iterator);  // releases `matching`
Object IOIteratorNext(Object iterator);
int IOObjectRelease(Object object);
int IORegistryEntryGetRegistryEntryID(Object entry, std::uint64_t* id);
int IORegistryEntryGetParentEntry(Object entry, const char* plane, Object* parent);
CfType IORegistryEntryCreateCFProperty(Object entry, CfType key, CfType allocator, std::uint32_t options);
CfType CFStringCreateWithCString(CfType allocator, const char* text, std::uint32_t encoding);
unsigned long CFGetTypeID(CfType object);
unsigned long CFStringGetTypeID();
Boolean CFStringGetCString(CfType string, char* buffer, long size, std::uint32_t encoding);
unsigned long CFNumberGetTypeID();
Boolean CFNumberGetValue(CfType number, long type, void* value);
unsigned long CFBooleanGetTypeID();
Boolean CFBooleanGetValue(CfType boolean);
unsigned long CFDataGetTypeID();
long CFDataGetLength(CfType data);
const unsigned char* CFDataGetBytePtr(CfType data);
void CFRelease(CfType object);
}  // namespace functions

inline constexpr std::uint32_t kUtf8 = 0x08000100;  // kCFStringEncodingUTF8
inline constexpr long kNumber64 = 4;                // kCFNumberSInt64Type

struct Api {
#define WHICHGPU_SYMBOL(name) decltype(&functions::name) name = nullptr;  // NOLINT: declares it
#define WHICHGPU_IOKIT_SYMBOL WHICHGPU_SYMBOL
#define WHICHGPU_CF_SYMBOL WHICHGPU_SYMBOL
#include "probe/iokit/iokit_symbols.def"
#undef WHICHGPU_SYMBOL
#undef WHICHGPU_IOKIT_SYMBOL
#undef WHICHGPU_CF_SYMBOL
};

// Errors as system::Library::Open; OwnError::kAbsent on every system but macOS.
[[nodiscard]] Result<Api> OpenApi(const system::FileSystem& files, const system::Environment& environment);

// One entry of the registry, held while this lives.
class Entry {
 public:
  Entry(const Api& api, Object object) : api_(&api), object_(object) {}
  Entry(Entry&& other) noexcept : api_(other.api_), object_(std::exchange(other.object_, 0)) {}
  Entry& operator=(Entry&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Entry() {
    if (object_ != 0) api_->IOObjectRelease(object_);
  }

  [[nodiscard]] std::optional<std::uint64_t> Id() const;
  // The entry that it hangs from in the tree of services.
  [[nodiscard]] std::optional<Entry> Parent() const;

  // Properties by their names; nullopt where there is none of it or it is of another type. A text is cleaned.
  // Numbers of the firmware are bytes, the least first, which count as numbers if they are eight at most; its
  // texts are bytes, too, that end with a zero.
  [[nodiscard]] std::optional<std::string> Text(const char* key) const;
  [[nodiscard]] std::optional<std::uint64_t> Number(const char* key) const;
  [[nodiscard]] std::optional<bool> Flag(const char* key) const;

 private:
  template <class Read>
  [[nodiscard]] auto With(const char* key, const Read& read) const;
  const Api* api_;
  Object object_;
};

// All entries of a class and of those derived from it; at most kMaxEntries.
inline constexpr std::size_t kMaxEntries = 256;
[[nodiscard]] std::vector<Entry> EntriesOf(const Api& api, const char* class_name);

}  // namespace probe::iokit
