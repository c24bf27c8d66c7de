// SPDX-License-Identifier: MIT
#include "probe/metal/metal_api.h"

#include <algorithm>

#include "probe/core/text.h"
#include "probe/system/frameworks.h"

namespace probe::metal {
namespace {

// No name or description is this long.
constexpr std::size_t kMaxForeignText = 64U << 10U;

Result<system::Library> OpenOne(std::string_view name, const system::FileSystem& files,
                                const system::Environment& environment) {
  auto library = system::Library::Open({&name, 1}, {}, files, environment);
  if (library.ok() || !library.error().Is(OwnError::kAbsent)) return library;
  Error error = library.error();
  error.text = "it is a part of Apple's systems, and no other has it";
  return error;
}

}  // namespace

Result<Libraries> OpenLibraries(const system::FileSystem& files, const system::Environment& environment) {
  auto objc = OpenOne(kObjcName, files, environment);
  if (!objc) return objc.error();
  auto metal = OpenOne(kMetalName, files, environment);
  if (!metal) return metal.error();
  Libraries libraries{*std::move(objc), *std::move(metal), std::nullopt, std::nullopt};
  auto iokit = OpenOne(system::kIoKitName, files, environment);
  auto core_foundation = OpenOne(system::kCoreFoundationName, files, environment);
  if (iokit && core_foundation) {
    libraries.iokit = *std::move(iokit);
    libraries.core_foundation = *std::move(core_foundation);
  }
  return libraries;
}

Result<Api> ResolveApi(const Libraries& libraries) {
  Api api;
  std::string_view missing;
  const system::Library* lacks = nullptr;
  const auto miss = [&](std::string_view name, const system::Library& library) {
    if (lacks == nullptr) missing = name, lacks = &library;
  };
  api.has_registry = libraries.iokit && libraries.core_foundation;
#define WHICHGPU_SYMBOL(name, library)                              \
  api.name = (library).Function<decltype(&functions::name)>(#name); \
  if (api.name == nullptr) miss(#name, library);
#define WHICHGPU_OBJC_SYMBOL(name) WHICHGPU_SYMBOL(name, libraries.objc)
#define WHICHGPU_METAL_SYMBOL(name) WHICHGPU_SYMBOL(name, libraries.metal)
#define WHICHGPU_OBJC_STRET_SYMBOL(name) \
  api.name = libraries.objc.Function<decltype(&functions::name)>(#name);
#define WHICHGPU_OPTIONAL(name, library)                                                   \
  if (api.has_registry) api.name = (library)->Function<decltype(&functions::name)>(#name); \
  api.has_registry = api.has_registry && api.name != nullptr;
#define WHICHGPU_IOKIT_SYMBOL(name) WHICHGPU_OPTIONAL(name, libraries.iokit)
#define WHICHGPU_CF_SYMBOL(name) WHICHGPU_OPTIONAL(name, libraries.core_foundation)
#include "probe/metal/metal_symbols.def"
#undef WHICHGPU_SYMBOL
#undef WHICHGPU_OPTIONAL
#undef WHICHGPU_OBJC_STRET_SYMBOL
#undef WHICHGPU_OBJC_SYMBOL
#undef WHICHGPU_METAL_SYMBOL
#undef WHICHGPU_IOKIT_SYMBOL
#undef WHICHGPU_CF_SYMBOL
  if (lacks != nullptr) {
    return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
                 lacks->info().path.value_or(lacks->info().soname) + " lacks a function that Metal needs"};
  }
#define WHICHGPU_METAL_SELECTOR(name, text) api.selectors.name = api.sel_registerName(text);
#include "probe/metal/metal_selectors.def"
#undef WHICHGPU_METAL_SELECTOR
  return api;
}

MtlSize Api::AskSize(Id object, Sel Selectors::* selector) const {
  if (!Responds(object, selector)) return {};
  const auto call = objc_msgSend_stret != nullptr ? objc_msgSend_stret : objc_msgSend;
  return reinterpret_cast<MtlSize (*)(Id, Sel)>(call)(object, selectors.*selector);
}

std::string Api::Raw(Id string) const {
  if (string == nullptr) return {};
  const auto* text = Send<const char*>(string, &Selectors::utf8);
  if (text == nullptr) return {};
  return {text, std::find(text, text + kMaxForeignText, '\0')};
}

std::string Api::Text(Id string) const { return CleanText(Raw(string), kMaxForeignText); }

Id Api::String(const char* text) const {
  // A class is an object as any other.
  const auto type = reinterpret_cast<Id>(objc_getClass("NSString"));
  return type == nullptr ? nullptr : Send<Id>(type, &Selectors::string_of_utf8, text);
}

std::vector<Owned> Devices(const Api& api) {
  const Owned all(api, api.MTLCopyAllDevices());
  std::vector<Owned> devices;
  const auto count = api.Send<UInteger>(all.get(), &Selectors::count);
  for (UInteger i = 0; i < std::min<UInteger>(count, kMaxDevices); ++i) {
    const Id device = api.Send<Id>(all.get(), &Selectors::object_at, i);
    if (device != nullptr) devices.emplace_back(api, api.objc_retain(device));
  }
  return devices;
}

}  // namespace probe::metal
