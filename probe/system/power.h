// SPDX-License-Identifier: MIT
// What the machine is powered by and told to save, as Linux shows it below /sys: figures depend on it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "probe/system/filesystem.h"

namespace probe::system {

struct Power {
  // "mains" where any supply is online; else "battery" where one of the machine's own is drawn on, and
  // "mains" where none is; nullopt where the machine has neither
  // (Documentation/ABI/testing/sysfs-class-power).
  std::optional<std::string> source;
  // The firmware's: "low-power", "balanced", "performance" ...
  // (Documentation/ABI/testing/sysfs-platform_profile).
  std::optional<std::string> profile;
  // The processor's clock: who governs it, "powersave", the driver, "intel_pstate", and what that is told to
  // prefer, "power"; several, with commas, where processors differ
  // (Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst).
  std::optional<std::string> governor;
  std::optional<std::string> frequency_driver;
  std::optional<std::string> frequency_preference;
  // Of what the kernel offers here what saves less: the first of those known that the first policy, and the
  // firmware, has.
  std::optional<std::string> better_profile;
  std::optional<std::string> better_governor;
  std::optional<std::string> better_preference;

  bool operator==(const Power&) const = default;
};

// Of the clock so many policies are read, the first ones by name: a large machine has one for each of its
// hundreds of processors.
[[nodiscard]] Power ReadPower(const FileSystem& files, std::size_t most_policies);

}  // namespace probe::system
