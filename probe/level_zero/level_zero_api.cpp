// SPDX-License-Identifier: MIT
#include "probe/level_zero/level_zero_api.h"

#include <fmt/format.h>

#include "probe/core/enumerate.h"

namespace probe::level_zero {
namespace {

template <class Handle, class Ask>
Result<std::vector<Handle>> Handles(std::string_view call, std::uint32_t most, const Ask& ask) {
  std::vector<Handle> all;
  if (const ZeResult code = EnumerateHandles(most, ask, all); code != kZeSuccess) return ErrorOf(call, code);
  return all;
}

}  // namespace

Result<system::Library> OpenLoader(const system::FileSystem& files, const system::Environment& environment) {
  auto library = system::Library::Open(kLoaderNames, {}, files, environment);
  if (library.ok() || !library.error().Is(OwnError::kAbsent)) return library;
  Error error = library.error();
  error.text = "the Level Zero loader is not installed (Debian: libze1)";
  return error;
}

Result<Api> ResolveApi(const system::Library& library) {
  Api api;
  std::string_view missing;
#define WHICHGPU_LEVEL_ZERO_SYMBOL(name, required)                \
  api.name = library.Function<decltype(&functions::name)>(#name); \
  if ((required) && missing.empty() && api.name == nullptr) missing = #name;
#include "probe/level_zero/level_zero_symbols.def"
#undef WHICHGPU_LEVEL_ZERO_SYMBOL
  if (missing.empty()) return api;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               library.info().path.value_or(library.info().soname) + " lacks a function of Level Zero 1.0"};
}

Result<std::vector<ZeDriver>> Start(const Api& api) {
  std::optional<Error> denied;
  if (api.zeInitDrivers != nullptr) {
    ZeDriverTypes types;
    auto drivers = Handles<ZeDriver>(
        "zeInitDrivers", kMaxDrivers,
        [&](std::uint32_t* count, ZeDriver* handles) { return api.zeInitDrivers(count, handles, &types); });
    if (drivers && !drivers->empty()) return drivers;
    if (!drivers && drivers.error().code == kZeInsufficientPermissions) denied = drivers.error();
  }
  // The one way of loaders before 1.10; of drivers that are older than their loader, the one that they know.
  if (const ZeResult code = api.zeInit(kZeInitGpuOnly); code != kZeSuccess)
    return denied.value_or(ErrorOf("zeInit", code));
  auto drivers = Handles<ZeDriver>("zeDriverGet", kMaxDrivers, api.zeDriverGet);
  if (drivers && drivers->empty()) return ErrorOf("zeDriverGet", kZeUninitialized);
  return drivers;
}

Result<std::vector<ZeDevice>> Devices(const Api& api, ZeDriver driver) {
  return Handles<ZeDevice>("zeDeviceGet", kMaxDevices, [&](std::uint32_t* count, ZeDevice* handles) {
    return api.zeDeviceGet(driver, count, handles);
  });
}

std::string DriverName(std::size_t place) {
  return place == 0 ? "Level Zero" : fmt::format("Level Zero (driver {})", place + 1);
}

// Intel's packs it so: compute-runtime, level_zero/core/source/driver/driver_handle_imp.cpp.
std::string DriverVersion(const Api& api, ZeDriver driver) {
  ZeDriverProperties properties;
  if (api.zeDriverGetProperties(driver, &properties) != kZeSuccess || properties.version == 0) return {};
  return fmt::format("{}.{}.{}", properties.version >> 24U, properties.version >> 16U & 0xffU,
                     properties.version & 0xffffU);
}

}  // namespace probe::level_zero
