// SPDX-License-Identifier: MIT
#include "probe/system/card_sensors.h"

#include <initializer_list>

namespace probe::system {
namespace {

// Of a card below 0 degrees nobody measures anything: ReadNumber takes no sign.
std::optional<double> First(const FileSystem& files, const std::string& folder,
                            std::initializer_list<const char*> names, double unit) {
  for (const char* name : names) {
    if (const auto value = files.ReadNumber(folder + name); value && *value > 0)
      return static_cast<double>(*value) * unit;
  }
  return std::nullopt;
}

}  // namespace

CardSensors ReadCardSensors(const FileSystem& files, const std::string& directory) {
  constexpr double kMilli = 1e-3, kMicro = 1e-6;
  CardSensors sensors;
  for (const std::string& name : files.List(directory + "/hwmon")) {
    const std::string folder = directory + "/hwmon/" + name + "/";
    // xe has no first one: linux, xe_hwmon.c.
    if (!sensors.temperature_c)
      sensors.temperature_c = First(files, folder, {"temp1_input", "temp2_input"}, kMilli);
    if (!sensors.power_w) sensors.power_w = First(files, folder, {"power1_average", "power1_input"}, kMicro);
  }
  return sensors;
}

}  // namespace probe::system
