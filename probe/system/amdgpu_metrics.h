// SPDX-License-Identifier: MIT
// What amdgpu's gpu_metrics file says that no text file does: what holds a GPU's clock back now.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace probe::system {

// "power, temperature", or "none"; nullopt for another format than 1.3, that of graphics cards. Source:
// linux, drivers/gpu/drm/amd/include/kgd_pp_interface.h (gpu_metrics_v1_3) and pm/swsmu/inc/amdgpu_smu.h
// (SMU_THROTTLER_*).
[[nodiscard]] std::optional<std::string> ThrottleText(std::string_view gpu_metrics);

}  // namespace probe::system
