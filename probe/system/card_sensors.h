// SPDX-License-Identifier: MIT
// What a card's kernel driver measures of it (Documentation/hwmon/sysfs-interface.rst): to be asked while it
// works.
#pragma once

#include <optional>
#include <string>

#include "probe/system/filesystem.h"

namespace probe::system {

struct CardSensors {
  std::optional<double> temperature_c;  // of the first sensor in the card's own order: the chip's
  std::optional<double> power_w;        // of the card, averaged by its firmware where that does so
};

// `directory`: of the PCI function. Of drivers that count energy alone there is no power.
[[nodiscard]] CardSensors ReadCardSensors(const FileSystem& files, const std::string& directory);

}  // namespace probe::system
