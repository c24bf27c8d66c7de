// SPDX-License-Identifier: MIT
// Which installed driver is behind a platform, and why a driver that was loaded has nothing to offer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/driver_table.h"
#include "probe/core/ids.h"
#include "probe/core/outcome.h"
#include "probe/opencl/opencl_api.h"

namespace probe::opencl {

// The loaders and drivers of OpenCL; among their variables those of hwloc.
[[nodiscard]] const DriverTable& Drivers();

// The file that a platform's functions lie in: every object of a driver begins with a pointer to its table of
// functions (cl_khr_icd). nullopt where that table belongs to no file.
[[nodiscard]] std::optional<std::string> LibraryOf(cl_platform_id platform);

// Position of the only manifest that this library can come from; nullopt where none or several could be it.
[[nodiscard]] std::optional<std::size_t> ManifestOf(const std::string& library,
                                                    const std::vector<Manifest>& manifests,
                                                    const system::FileSystem& files);

// A variable that keeps GPUs from a driver which shows no device. One that is set hides nothing by that:
// batch systems and images set it to what is there.
struct Hiding {
  std::string_view variable;
  std::string value;
  std::vector<PciAddress> cards;  // of the driver's maker, those that the kernel's driver has
};
// The first of the row's variables whose list, as the row says it is read, can leave none of the cards that
// the kernel's driver has. nullopt where it may leave one, as by a UUID, or where no card is under that
// driver.
[[nodiscard]] std::optional<Hiding> HidingOf(const DriverRow& row, const system::FileSystem& files,
                                             const system::Environment& environment);

struct Silence {
  Outcome outcome = Outcome::kNoDevice;  // or hidden, denied
  Error error;
  // Where it is hidden, the variable and the GPUs of the driver's maker that the kernel's driver has.
  std::string_view variable{};
  std::vector<PciAddress> hidden{};
};
// Why the driver of this library, which did load, shows no device: a device node that may not be opened, a
// variable that leaves it none, else that there is none.
[[nodiscard]] Silence WhyNoDevice(std::string_view library, const system::FileSystem& files,
                                  const system::Environment& environment);

// The variable that leads past registered drivers, where one is set.
[[nodiscard]] std::optional<Error> HidingVariable(const system::FileSystem& files,
                                                  const system::Environment& environment);

// Why the loader found no driver at all (CL_PLATFORM_NOT_FOUND_KHR and no manifest): none is registered, or a
// variable leads past those that are.
[[nodiscard]] Silence WhyNoDriver(const system::FileSystem& files, const system::Environment& environment);

}  // namespace probe::opencl
