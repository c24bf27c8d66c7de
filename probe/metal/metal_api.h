// SPDX-License-Identifier: MIT
// The door to Metal for this folder and for backends/metal, through the Objective-C runtime's functions in C:
// so it compiles everywhere, and asks for nothing of Apple's to be there. Who owns what is Objective-C's
// rule: objects of methods and functions that begin with "new" or have "Copy" are the caller's to release,
// all others belong to the autorelease pool that is open. Computes nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/metal/metal_declarations.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/library.h"

namespace probe::metal {

struct Selectors {
#define WHICHGPU_METAL_SELECTOR(name, text) Sel name = nullptr;  // NOLINT: declares it
#include "probe/metal/metal_selectors.def"
#undef WHICHGPU_METAL_SELECTOR
};

struct Api {
#define WHICHGPU_SYMBOL(name) decltype(&functions::name) name = nullptr;  // NOLINT: declares it
#define WHICHGPU_OBJC_SYMBOL WHICHGPU_SYMBOL
#define WHICHGPU_OBJC_STRET_SYMBOL WHICHGPU_SYMBOL
#define WHICHGPU_METAL_SYMBOL WHICHGPU_SYMBOL
#define WHICHGPU_IOKIT_SYMBOL WHICHGPU_SYMBOL
#define WHICHGPU_CF_SYMBOL WHICHGPU_SYMBOL
#include "probe/metal/metal_symbols.def"
#undef WHICHGPU_SYMBOL
#undef WHICHGPU_OBJC_SYMBOL
#undef WHICHGPU_OBJC_STRET_SYMBOL
#undef WHICHGPU_METAL_SYMBOL
#undef WHICHGPU_IOKIT_SYMBOL
#undef WHICHGPU_CF_SYMBOL
  bool has_registry = false;  // whether the functions of IOKit and Core Foundation are there
  Selectors selectors;

  // What the method returns; of nil 0, as in the language.
  template <class R = Id, class... A>
  R Send(Id to, Sel Selectors::* selector, A... arguments) const {
    return reinterpret_cast<R (*)(Id, Sel, A...)>(objc_msgSend)(to, selectors.*selector, arguments...);
  }
  // Older systems lack some methods, and an object dies of one that it lacks.
  [[nodiscard]] bool Responds(Id object, Sel Selectors::* selector) const {
    return object != nullptr && class_respondsToSelector(object_getClass(object), selectors.*selector) != 0;
  }
  template <class R, class... A>
  std::optional<R> Ask(Id object, Sel Selectors::* selector, A... arguments) const {
    if (!Responds(object, selector)) return std::nullopt;
    return Send<R>(object, selector, arguments...);
  }
  // What the method returns in memory; zeros of an object that lacks it.
  [[nodiscard]] MtlSize AskSize(Id object, Sel Selectors::* selector) const;
  // Of an NSString, as it is and cleaned; empty where there is none.
  [[nodiscard]] std::string Raw(Id string) const;
  [[nodiscard]] std::string Text(Id string) const;
  // An NSString, the pool's; nil where the text is no UTF-8.
  [[nodiscard]] Id String(const char* text) const;
};

// As long as one is open, what methods give belongs to it, and goes with it.
class Pool {
 public:
  explicit Pool(const Api& api) : api_(api), pool_(api.objc_autoreleasePoolPush()) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { api_.objc_autoreleasePoolPop(pool_); }

 private:
  const Api& api_;
  void* pool_;
};

// One that is ours to release.
class Owned {
 public:
  Owned() = default;
  Owned(const Api& api, Id object) : api_(&api), object_(object) {}
  Owned(Owned&& other) noexcept : api_(other.api_), object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) api_->objc_release(object_);
  }
  [[nodiscard]] Id get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const Api* api_ = nullptr;
  Id object_ = nullptr;
};

// Where Metal is, of macOS 11 or newer: its language 2.3 and all that is sent to a command buffer came with
// that or before. Elsewhere what WHICHGPU_LIBRARY_PATH alone leads to by the last part of the name.
inline constexpr std::string_view kObjcName = "/usr/lib/libobjc.A.dylib";
inline constexpr std::string_view kMetalName = "/System/Library/Frameworks/Metal.framework/Metal";

struct Libraries {
  system::Library objc, metal;
  std::optional<system::Library> iokit, core_foundation;
};
// Errors as system::Library::Open; OwnError::kAbsent on every system but Apple's.
[[nodiscard]] Result<Libraries> OpenLibraries(const system::FileSystem& files,
                                              const system::Environment& environment);
// The error names the first function that is missing.
[[nodiscard]] Result<Api> ResolveApi(const Libraries& libraries);

// Of an NSError, with Apple's name of its code and the end of what it says; nil is a failure without a word.
[[nodiscard]] Error ErrorOf(const Api& api, std::string_view call, Id error);
// Whether after a command buffer that ended so the queue is to be trusted with no other.
[[nodiscard]] bool EndsQueue(const Error& error);

// All devices; an empty list where there is none.
inline constexpr std::uint32_t kMaxDevices = 64;
[[nodiscard]] std::vector<Owned> Devices(const Api& api);
// Whether the device is one of that family.
[[nodiscard]] bool IsOf(const Api& api, Id device, Integer family);
// The last of Apple's families that it is of: 7 with the M1. 0 for others' GPUs.
[[nodiscard]] int AppleFamily(const Api& api, Id device);
// How many cores the system's registry says that a GPU of Apple's has: Metal itself does not tell.
[[nodiscard]] std::optional<std::uint32_t> CoresOf(const Api& api, Id device);
// Everything that a device says of itself.
[[nodiscard]] RuntimeDevice ReadDevice(const Api& api, Id device, std::uint32_t ordinal);

}  // namespace probe::metal
