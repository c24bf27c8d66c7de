// SPDX-License-Identifier: MIT
// The files that register Vulkan drivers: where the loader would look for them, what they say, and whether
// they and the libraries they name may be loaded at all, and what the loader of this process is told of them.
// Loads nothing itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/driver_table.h"
#include "probe/core/outcome.h"
#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::vulkan {

// The loader and the drivers of Vulkan as the table has them.
[[nodiscard]] const DriverTable& Drivers();

// One registered driver. outcome is kOk where the loader may have it; else error says why it must not or can
// not: kFailed (not trusted, malformed), kAbsent (it or its library missing, or for another processor),
// kHidden (by a variable), kNoDevice (it finds devices by nodes below /dev/dri, and there is none).
struct DriverManifest {
  std::string path;
  std::string library;       // the file that would be loaded; as written where there is none
  bool portability = false;  // an incomplete implementation, listed only on request
  Outcome outcome = Outcome::kOk;
  std::optional<Error> error;
};

// Files named *.json below `folder` ("icd.d", "implicit_layer.d") in the loader's order, each once. Paths:
// Vulkan loader, docs/LoaderDriverInterface.md "Linux Driver Discovery"; the last two are other builds'
// defaults.
[[nodiscard]] std::vector<std::string> ManifestFiles(std::string_view folder, const system::FileSystem& files,
                                                     const system::Environment& environment);
// Files that a colon-separated list of files and folders names. Relative entries depend on the current
// directory and are left out.
[[nodiscard]] std::vector<std::string> ListedFiles(std::string_view list, const system::FileSystem& files);

// The variable that replaces the search for drivers, where one is set.
[[nodiscard]] std::optional<std::string_view> OverridingVariable(const system::Environment& environment);

// The manifest of every driver that the loader would consider, unread. VK_DRIVER_FILES or VK_ICD_FILENAMES
// replace the search, VK_ADD_DRIVER_FILES adds to it.
[[nodiscard]] std::vector<std::string> DriverFiles(const system::FileSystem& files,
                                                   const system::Environment& environment);
// What they say; VK_LOADER_DRIVERS_SELECT and _DISABLE hide some.
[[nodiscard]] std::vector<DriverManifest> FindDrivers(const system::FileSystem& files,
                                                      const system::Environment& environment);
[[nodiscard]] DriverManifest ReadDriver(const std::string& path, const system::FileSystem& files,
                                        const system::Environment& environment);

// Of the libraries that its makers leave to others to install, those that are not here.
[[nodiscard]] std::vector<std::string> WhatItLacks(const DriverManifest& driver,
                                                   const system::FileSystem& files,
                                                   const system::Environment& environment);
// Why the driver was not loaded, by what opening its library gave: for want of some of those, where the
// dynamic loader names one of them; another error stays as it is.
[[nodiscard]] Error WhyNotLoaded(Error refusal, std::vector<std::string> lacking);

// Where a manifest's library_path leads: absolute, relative to the manifest, or searched as the dynamic
// loader does. Nothing found: nullopt.
[[nodiscard]] std::optional<std::string> ResolveLibrary(std::string_view manifest,
                                                        std::string_view library_path,
                                                        const system::FileSystem& files,
                                                        const system::Environment& environment);

// Whether a file name passes one of the comma-separated patterns; case does not matter and `*` may stand at
// either end (loader, docs/LoaderInterfaceArchitecture.md "Filter Environment Variables").
[[nodiscard]] bool MatchesFilter(std::string_view name, std::string_view patterns);

// Implicit layers, which the loader puts into every Vulkan program unasked; and the variables that keep the
// loader to one driver and away from them.

struct ImplicitLayer {
  std::string name;
  std::string manifest;
  std::optional<EnvironmentVariable> disable;  // its own switch
  std::optional<Error> distrust;               // it or its library must not be loaded
};

// Layers that the loader would insert now: their enabling variable is set or not needed, their disabling one
// is not. A manifest that can not be read counts as one to distrust where the loader could read it.
[[nodiscard]] std::vector<ImplicitLayer> FindImplicitLayers(const system::FileSystem& files,
                                                            const system::Environment& environment);

enum class LayerRole {
  kForeign,  // does what nobody here knows
  kOrders,   // comes with a driver and orders devices, or hides some: one of its variables asks for it
  kIdle,     // the same, and none does
};
// An idle one would yet ask the display server, if there is any, which GPU shows it, and may wait for ever.
[[nodiscard]] LayerRole RoleOf(const ImplicitLayer& layer, const system::Environment& environment);

// What makes a loader see the driver of this manifest alone.
[[nodiscard]] std::vector<EnvironmentVariable> OnlyDriver(std::string_view manifest);
// What keeps every implicit layer out: one variable for loaders since 1.3.234, each layer's own for older
// ones.
[[nodiscard]] std::vector<EnvironmentVariable> WithoutLayers(std::span<const ImplicitLayer> layers);
// Sets them in this process, which is a child of its own, and removes what asks for explicit layers: those
// are tools for debugging, come from anywhere and distort what is measured.
void ApplyToProcess(std::span<const EnvironmentVariable> variables);

}  // namespace probe::vulkan
