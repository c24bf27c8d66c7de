// SPDX-License-Identifier: MIT
// Facts that hold the number by which a system's kernel knows a GPU. A source of facts about hardware has it
// and a runtime may, so that the two are known for one device.
#pragma once

#include <string_view>

namespace probe {

// Linux: the GPU's nodes of rendering and of display, "226:128".
inline constexpr std::string_view kRenderNodeFact = "drm_render";
inline constexpr std::string_view kDisplayNodeFact = "drm_primary";
// macOS: its driver's entry in the registry of devices, "0x1000002a0".
inline constexpr std::string_view kRegistryFact = "registry_id";

}  // namespace probe
