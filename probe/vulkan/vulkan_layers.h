// SPDX-License-Identifier: MIT
// Implicit layers, which the loader puts into every Vulkan program unasked; and the variables that keep the
// loader to one driver and away from them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::vulkan {

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
