// SPDX-License-Identifier: MIT
// The door to Level Zero for this folder and for backends/level_zero: the functions of libze_loader, their
// errors, and what a device says of itself. Computes nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/ids.h"
#include "probe/core/result.h"
#include "probe/level_zero/level_zero_declarations.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/level_zero.h"
#include "probe/system/library.h"

namespace probe::level_zero {

// The functions of level_zero_symbols.def; a missing optional one is nullptr.
struct Api {
#define WHICHGPU_LEVEL_ZERO_SYMBOL(name, required) \
  decltype(&functions::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): declares it
#include "probe/level_zero/level_zero_symbols.def"
#undef WHICHGPU_LEVEL_ZERO_SYMBOL
};

inline constexpr std::array<std::string_view, 2> kLoaderNames = {"libze_loader.so.1", "libze_loader.so"};

// The loader, which finds the drivers itself. Errors as system::Library::Open, with what to install.
[[nodiscard]] Result<system::Library> OpenLoader(const system::FileSystem& files,
                                                 const system::Environment& environment);
// The error names the first required symbol that the library lacks.
[[nodiscard]] Result<Api> ResolveApi(const system::Library& library);

using system::level_zero::HasDriverFile;
using system::level_zero::RestrictLoader;

// An Error for the code that `call` returned, with the specification's name of it.
[[nodiscard]] Error ErrorOf(std::string_view call, ZeResult code);
// What a call made, where it says that it did.
template <class Handle>
[[nodiscard]] Result<Handle> Made(std::string_view call, ZeResult code, Handle handle) {
  if (code != kZeSuccess) return ErrorOf(call, code);
  if (handle != nullptr) return handle;
  return Error{std::string(call), std::nullopt, "nothing made",
               "the driver calls it a success and gives none"};
}
// Whether a process that met this code can make no more use of the device.
[[nodiscard]] bool EndsContext(ZeResult code);

// Starts the drivers of GPUs; no other call may come before. At most kMaxDrivers. A loader without a driver,
// and drivers without a device, are kZeUninitialized.
inline constexpr std::uint32_t kMaxDrivers = 16;
[[nodiscard]] Result<std::vector<ZeDriver>> Start(const Api& api);

// At most kMaxDevices; none is not an error. A driver's GPUs, or their tiles where ZE_FLAT_DEVICE_HIERARCHY
// or the driver's own default has it so.
inline constexpr std::uint32_t kMaxDevices = 256;
[[nodiscard]] Result<std::vector<ZeDevice>> Devices(const Api& api, ZeDriver driver);

// What tells drivers apart, which have no name: "Level Zero", of the second "Level Zero (driver 2)".
[[nodiscard]] std::string DriverName(std::size_t place);
// "1.3.24595"; empty where the driver tells none.
[[nodiscard]] std::string DriverVersion(const Api& api, ZeDriver driver);

// A device with its handle.
struct Found {
  ZeDevice handle = nullptr;
  RuntimeDevice device;
};
// The devices of a driver in its order; `failed`: of those that do not say what they are.
struct Shown {
  std::vector<Found> found;
  std::vector<Error> failed;
};
// Everything that the devices of one driver say of themselves. Tiles that it shows as devices of their own
// have their card's address and "tile<N>" as their partition. `name` is DriverName's.
[[nodiscard]] Result<Shown> ReadDevices(const Api& api, ZeDriver driver, const std::string& name);

// Which of a device's groups of queues computes, copies too where one does; nullopt where none computes.
[[nodiscard]] std::optional<std::uint32_t> ComputeGroup(const Api& api, ZeDevice device);

// The clock of a GPU at this moment.
struct Clock {
  std::optional<double> share;  // of its highest
  std::string throttled_by;     // "power cap, thermal"; empty where nothing is known to
};

// What the system management adds to a device: how much of its memory is free, which tile of its card it is,
// and what holds its clock back.
class Sysman {
 public:
  // Starts it where the loader has zesInit; without it nothing is known.
  explicit Sysman(const Api& api);

  // The tile that the device of this UUID is of its card; nullopt where it is the whole card, or nobody
  // tells.
  [[nodiscard]] std::optional<std::uint32_t> TileOf(const ZeUuid& uuid) const;
  // Of the card at this address, all of its memory modules together. Drivers that count no use say that all
  // of it is free: then it is not known.
  [[nodiscard]] std::optional<std::uint64_t> FreeBytes(const PciAddress& address) const;
  // Of the same card, or of that tile of it alone; of several tiles the slowest. Empty where it does not
  // tell.
  [[nodiscard]] Clock ClockOf(const PciAddress& address, std::optional<std::uint32_t> tile) const;

 private:
  struct Card {
    ZesDevice handle = nullptr;
    PciAddress address;
  };
  void ListCards(ZesDriver driver);
  [[nodiscard]] const Card* Find(const PciAddress& address) const;

  Api api_;
  std::vector<ZesDriver> drivers_;
  std::vector<Card> cards_;
};

}  // namespace probe::level_zero
