// SPDX-License-Identifier: MIT
#include "probe/vulkan/vulkan_manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probe/core/add_once.h"
#include "probe/core/codec.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/system/library.h"
#include "probe/system/loader_path.h"
#include "probe/system/trust.h"

namespace probe::vulkan {
namespace {

constexpr std::size_t kMaxManifestBytes = 64U << 10U;
constexpr std::size_t kMaxManifests = 256;
constexpr std::size_t kMaxPathBytes = 4096;

bool IsJson(std::string_view name) { return name.ends_with(".json"); }

void AddManifest(std::string path, std::vector<std::string>& paths) {
  if (paths.size() < kMaxManifests) AddOnce(std::move(path), paths);
}

std::string PathIn(const std::string& folder, const std::string& name) { return folder + "/" + name; }

void AddFolder(const std::string& folder, const system::FileSystem& files, std::vector<std::string>& paths) {
  for (const std::string& name : files.List(folder)) {
    if (IsJson(name)) AddManifest(PathIn(folder, name), paths);
  }
}

// The variable's absolute entries, or those of the fallback where it is unset or empty.
std::vector<std::string> Directories(const system::Environment& environment, std::string_view variable,
                                     std::string_view fallback) {
  const std::string value = environment.Get(variable).value_or("");
  return system::AbsoluteEntries(value.empty() ? fallback : std::string_view(value));
}

std::vector<std::string> SearchRoots(const system::Environment& environment) {
  const std::string home = environment.Get("HOME").value_or("");
  const auto below_home = [&home](std::string_view path) {
    return home.empty() ? "" : home + std::string(path);
  };
  std::vector<std::string> roots;
  const auto add = [&](std::string_view variable, const std::string& fallback) {
    for (auto& directory : Directories(environment, variable, fallback))
      roots.push_back(std::move(directory));
  };
  add("XDG_CONFIG_HOME", below_home("/.config"));
  add("XDG_CONFIG_DIRS", "/etc/xdg");
  roots.emplace_back("/etc");
  add("XDG_DATA_HOME", below_home("/.local/share"));
  add("XDG_DATA_DIRS", "/usr/local/share:/usr/share");
  roots.emplace_back("/usr/local/etc");
  roots.emplace_back("/run/opengl-driver/share");
  return roots;
}

bool MatchesPattern(std::string_view name, std::string_view pattern) {
  const bool open_start = pattern.starts_with('*');
  if (open_start) pattern.remove_prefix(1);
  const bool open_end = pattern.ends_with('*');
  if (open_end) pattern.remove_suffix(1);
  if (open_start && open_end) return name.find(pattern) != std::string_view::npos;
  if (open_start) return name.ends_with(pattern);
  return open_end ? name.starts_with(pattern) : name == pattern;
}

DriverManifest Unusable(DriverManifest driver, Outcome outcome, std::string name, std::string text) {
  driver.outcome = outcome;
  driver.error = Error{"read " + CleanText(driver.path), std::nullopt, std::move(name), std::move(text)};
  return driver;
}

// Loading a library of the other word size always fails; multiarch systems register those too.
bool IsForAnotherProcessor(const std::string& library, const system::FileSystem& files) {
  constexpr std::size_t kClassAt = 4;  // EI_CLASS, elf(5)
  constexpr char kOwnClass = sizeof(void*) == 8 ? 2 : 1;
  const auto head = files.Read(library, 20);
  return head && head->size() > kClassAt &&
         head->starts_with(
             "\x7f"
             "ELF") &&
         (*head)[kClassAt] != kOwnClass;
}

// Mesa's drivers for hardware ask libdrm for devices (drmGetDevices2: the nodes below /dev/dri) and do no
// more where it has none. Loading one takes milliseconds all the same. Devices that are none come by
// RADV_FORCE_FAMILY, or by a preloaded library that stands in for the kernel.
bool FindsNoNode(const std::string& library, const system::FileSystem& files,
                 const system::Environment& environment) {
  constexpr std::array<std::string_view, 2> kStandIns = {"RADV_FORCE_FAMILY", "LD_PRELOAD"};
  const auto& drivers = Drivers().drivers;
  const auto asks = [&](const DriverRow& row) {
    return row.opens.starts_with("/dev/dri/") && row.Has(FileName(library));
  };
  const auto is_set = [&](std::string_view name) { return environment.Get(name).has_value(); };
  return std::any_of(drivers.begin(), drivers.end(), asks) &&
         std::none_of(kStandIns.begin(), kStandIns.end(), is_set) && files.List("/dev/dri").empty();
}

}  // namespace

const DriverTable& Drivers() {
  static const DriverTable table("vulkan");
  return table;
}

std::vector<std::string> ManifestFiles(std::string_view folder, const system::FileSystem& files,
                                       const system::Environment& environment) {
  std::vector<std::string> paths;
  for (const std::string& root : SearchRoots(environment)) {
    AddFolder(root + "/vulkan/" + std::string(folder), files, paths);
  }
  return paths;
}

std::vector<std::string> WhatItLacks(const DriverManifest& driver, const system::FileSystem& files,
                                     const system::Environment& environment) {
  const auto& rows = Drivers().drivers;
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const DriverRow& one) { return one.Has(FileName(driver.library)); });
  std::vector<std::string> out;
  for (auto left = row == rows.end() ? std::string_view() : row->loads; !left.empty();) {
    const std::array<std::string_view, 1> library = {TakeUpTo(left, ' ')};
    if (!system::Library::Exists(library, {}, files, environment)) out.emplace_back(library.front());
  }
  return out;
}

Error WhyNotLoaded(Error refusal, std::vector<std::string> lacking) {
  if (refusal.name != "unloadable") return refusal;
  const auto others = std::stable_partition(lacking.begin(), lacking.end(), [&](const std::string& library) {
    return refusal.text.find(library) != std::string::npos;
  });
  if (others == lacking.begin()) return refusal;
  refusal.name = "client_libraries_missing";
  auto text =
      fmt::format("the driver does not load here without {}", fmt::join(lacking.begin(), others, ", "));
  if (others != lacking.end())
    text += fmt::format(" (nor is there {})", fmt::join(others, lacking.end(), ", "));
  refusal.text = text + ": " + refusal.text;
  return refusal;
}

std::vector<std::string> ListedFiles(std::string_view list, const system::FileSystem& files) {
  std::vector<std::string> paths;
  for (const std::string& entry : system::AbsoluteEntries(list)) {
    if (IsJson(entry)) {
      AddManifest(entry, paths);
    } else {
      AddFolder(entry, files, paths);
    }
  }
  return paths;
}

std::optional<std::string_view> OverridingVariable(const system::Environment& environment) {
  constexpr std::array<std::string_view, 2> kVariables = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
  for (const std::string_view variable : kVariables) {
    if (!environment.Get(variable).value_or("").empty()) return variable;
  }
  return std::nullopt;
}

std::vector<std::string> DriverFiles(const system::FileSystem& files,
                                     const system::Environment& environment) {
  if (const auto variable = OverridingVariable(environment))
    return ListedFiles(*environment.Get(*variable), files);
  std::vector<std::string> paths = ListedFiles(environment.Get("VK_ADD_DRIVER_FILES").value_or(""), files);
  for (std::string& path : ManifestFiles("icd.d", files, environment)) AddManifest(std::move(path), paths);
  return paths;
}

std::vector<DriverManifest> FindDrivers(const system::FileSystem& files,
                                        const system::Environment& environment) {
  const auto paths = DriverFiles(files, environment);
  std::vector<DriverManifest> drivers;
  drivers.reserve(paths.size());
  for (const std::string& path : paths) drivers.push_back(ReadDriver(path, files, environment));
  return drivers;
}

DriverManifest ReadDriver(const std::string& path, const system::FileSystem& files,
                          const system::Environment& environment) {
  DriverManifest driver;
  driver.path = path;
  const std::string select = environment.Get("VK_LOADER_DRIVERS_SELECT").value_or("");
  const std::string disable = environment.Get("VK_LOADER_DRIVERS_DISABLE").value_or("");
  if (!select.empty() && !MatchesFilter(FileName(path), select)) {
    return Unusable(driver, Outcome::kHidden, "hidden", "VK_LOADER_DRIVERS_SELECT leaves it out");
  }
  if (!disable.empty() && MatchesFilter(FileName(path), disable)) {
    return Unusable(driver, Outcome::kHidden, "hidden", "VK_LOADER_DRIVERS_DISABLE names it");
  }
  if (!files.Exists(path)) return Unusable(driver, Outcome::kAbsent, "missing", "there is no such manifest");
  if (const auto trusted = system::CheckTrusted(files, path); !trusted) {
    return Unusable(driver, Outcome::kFailed, trusted.error().name, CleanText(trusted.error().text));
  }
  const auto content = files.Read(path, kMaxManifestBytes + 1);
  if (!content) return Unusable(driver, Outcome::kFailed, content.error().name, content.error().text);
  const auto json = ParseJson(*content, kMaxManifestBytes);
  if (!json) return Unusable(driver, Outcome::kFailed, json.error().name, json.error().text);
  const auto icd = json->is_object() ? json->find("ICD") : json->end();
  if (icd == json->end() || !icd->is_object() || !icd->contains("library_path") ||
      !(*icd)["library_path"].is_string()) {
    return Unusable(driver, Outcome::kFailed, "malformed", "no ICD.library_path in it");
  }
  const std::string named = (*icd)["library_path"].get<std::string>();
  driver.library = CleanText(named);
  driver.portability = icd->contains("is_portability_driver") && (*icd)["is_portability_driver"] == true;
  const auto library = ResolveLibrary(path, named, files, environment);
  if (!library)
    return Unusable(driver, Outcome::kAbsent, std::string(NameOf(OwnError::kAbsent)),
                    "its library " + driver.library + " is not installed");
  driver.library = *library;
  const auto status = files.Stat(*library);
  if (status && !status->is_regular)  // the loader would wait for whoever writes into a pipe
    return Unusable(driver, Outcome::kFailed, "unloadable", CleanText(*library) + ": is no regular file");
  if (IsForAnotherProcessor(*library, files)) {
    return Unusable(driver, Outcome::kAbsent, "other word size",
                    driver.library + " is for another kind of processor");
  }
  if (const auto trusted = system::CheckTrusted(files, *library); !trusted) {
    return Unusable(driver, Outcome::kFailed, trusted.error().name, CleanText(trusted.error().text));
  }
  if (FindsNoNode(*library, files, environment)) {
    driver.outcome = Outcome::kNoDevice;
    driver.error = Error{"open /dev/dri", std::nullopt, "no node",
                         "there is no GPU's node for this driver to open, so it is not loaded"};
  }
  return driver;
}

std::optional<std::string> ResolveLibrary(std::string_view manifest, std::string_view library_path,
                                          const system::FileSystem& files,
                                          const system::Environment& environment) {
  if (library_path.empty() || library_path.size() > kMaxPathBytes ||
      library_path.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::string> candidates;
  if (library_path.starts_with('/')) {
    candidates.emplace_back(library_path);
  } else if (library_path.find('/') != std::string_view::npos) {
    candidates.push_back(std::string(manifest.substr(0, manifest.rfind('/') + 1)) +
                         std::string(library_path));
  } else {
    candidates = system::LoaderCandidates(library_path, files, environment);
  }
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&files](const std::string& path) {
    const auto status = files.Stat(path);
    return status && !status->is_directory;
  });
  return found == candidates.end() ? std::nullopt : std::optional(*found);
}

bool MatchesFilter(std::string_view name, std::string_view patterns) {
  const std::string lower = Lower(name);
  while (!patterns.empty()) {
    const auto comma = patterns.find(',');
    const std::string pattern = Lower(patterns.substr(0, comma));
    if (!pattern.empty() && MatchesPattern(lower, pattern)) return true;
    patterns.remove_prefix(comma == std::string_view::npos ? patterns.size() : comma + 1);
  }
  return false;
}

}  // namespace probe::vulkan
