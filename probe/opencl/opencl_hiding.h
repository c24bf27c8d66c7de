// SPDX-License-Identifier: MIT
// The variable that keeps GPUs from a driver which shows no device. A variable that is set hides nothing by
// that: batch systems and images set it to what is there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/driver_table.h"
#include "probe/core/ids.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::opencl {

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

}  // namespace probe::opencl
