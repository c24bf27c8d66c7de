// SPDX-License-Identifier: MIT
#include "probe/system/power.h"

#include <array>
#include <set>
#include <span>
#include <string_view>

#include "probe/core/text.h"

namespace probe::system {
namespace {

constexpr std::string_view kSupplies = "/sys/class/power_supply";
constexpr std::string_view kPolicies = "/sys/devices/system/cpu/cpufreq";
constexpr std::size_t kMostSupplies = 64;
constexpr std::size_t kMostNames = 8;
constexpr std::size_t kLongestName = 64;

std::optional<std::string> Line(const FileSystem& files, const std::string& path) {
  const auto line = files.ReadLine(path);
  if (!line || line->empty()) return std::nullopt;
  return CleanText(*line, kLongestName);
}

// Of a mouse or a headset, which has a battery of its own.
bool IsOfADevice(const FileSystem& files, const std::string& supply) {
  return Line(files, supply + "/scope") == "Device";
}

std::optional<std::string> SourceOf(const FileSystem& files) {
  bool draws = false;
  bool is_supplied = false;
  bool has_battery = false;
  std::size_t read = 0;
  for (const std::string& name : files.List(std::string(kSupplies))) {
    if (++read > kMostSupplies) break;
    const std::string supply = std::string(kSupplies).append("/").append(name);
    if (IsOfADevice(files, supply)) continue;
    if (Line(files, supply + "/type") == "Battery") {
      has_battery = true;
      draws = draws || Line(files, supply + "/status") == "Discharging";
    } else {
      is_supplied = is_supplied || Line(files, supply + "/online").value_or("0") != "0";
    }
  }
  // A battery may be drawn on beside a supply that is too weak: that is the supply's matter.
  if (is_supplied) return "mains";
  if (draws) return "battery";
  return has_battery ? std::optional<std::string>("mains") : std::nullopt;
}

// What a file of these policies says, each once, in alphabetical order.
std::optional<std::string> OfPolicies(const FileSystem& files, std::span<const std::string> policies,
                                      std::string_view file) {
  std::set<std::string> names;
  for (const std::string& policy : policies) {
    const auto name = Line(files, std::string(kPolicies).append("/").append(policy).append("/").append(file));
    if (name) names.insert(*name);
    if (names.size() == kMostNames) break;
  }
  std::string all;
  for (const std::string& name : names) all.append(all.empty() ? "" : ",").append(name);
  return names.empty() ? std::nullopt : std::optional(all);
}

// The first of `wanted` that the file, words with blanks between, offers.
std::optional<std::string> OfferedOf(const FileSystem& files, const std::string& path,
                                     std::span<const std::string_view> wanted) {
  constexpr std::size_t kLongestList = 1024;
  const auto line = files.ReadLine(path);
  if (!line || line->size() > kLongestList) return std::nullopt;
  const std::string offered = " " + *line + " ";
  for (const std::string_view word : wanted) {
    if (offered.find(" " + std::string(word) + " ") != std::string::npos) return std::string(word);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 4> kGovernors = {"schedutil", "ondemand", "conservative",
                                                        "performance"};
constexpr std::array<std::string_view, 3> kPreferences = {"balance_performance", "default", "performance"};
constexpr std::array<std::string_view, 2> kProfiles = {"balanced", "performance"};

}  // namespace

Power ReadPower(const FileSystem& files, std::size_t most_policies) {
  auto policies = files.List(std::string(kPolicies));
  if (policies.size() > most_policies) policies.resize(most_policies);
  const auto first = std::string(kPolicies) + "/" + (policies.empty() ? "policy0" : policies.front());
  return {.source = SourceOf(files),
          .profile = Line(files, "/sys/firmware/acpi/platform_profile"),
          .governor = OfPolicies(files, policies, "scaling_governor"),
          .frequency_driver = OfPolicies(files, policies, "scaling_driver"),
          .frequency_preference = OfPolicies(files, policies, "energy_performance_preference"),
          .better_profile = OfferedOf(files, "/sys/firmware/acpi/platform_profile_choices", kProfiles),
          .better_governor = OfferedOf(files, first + "/scaling_available_governors", kGovernors),
          .better_preference =
              OfferedOf(files, first + "/energy_performance_available_preferences", kPreferences)};
}

}  // namespace probe::system
