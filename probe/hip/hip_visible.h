// SPDX-License-Identifier: MIT
// The variables that hide AMD's GPUs or make one pass for another, and what they do on this machine, as
// sentences. Changes nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/amd/amd.h"
#include "probe/core/device.h"
#include "probe/hip/hip_target.h"
#include "probe/system/environment.h"

namespace probe::hip {

// In the order in which they work: ROCR_VISIBLE_DEVICES first; HIP_VISIBLE_DEVICES, or without it
// CUDA_VISIBLE_DEVICES, counts among what that leaves; GPU_DEVICE_ORDINAL; HSA_OVERRIDE_GFX_VERSION. Source:
// AMD, "GPU isolation techniques".
[[nodiscard]] std::span<const std::string_view> VisibilityVariables();
// Names and values of the set ones that can hide a device, "NAME=\"value\" and NAME=\"value\""; empty without
// any.
[[nodiscard]] std::string HidingText(const system::Environment& environment);

// The target that HSA_OVERRIDE_GFX_VERSION makes of every GPU: 10.3.0 is gfx1030. nullopt when it is unset or
// is none.
[[nodiscard]] std::optional<Target> OverrideTarget(const system::Environment& environment);

// What an override means for the GPUs that the kernel lists (none: for any).
[[nodiscard]] std::vector<std::string> ExplainOverride(const system::Environment& environment,
                                                       const std::vector<amd::KfdNode>& nodes);
// What the other variables do: which GPUs they hide, entries that end the list early.
[[nodiscard]] std::vector<std::string> ExplainVisible(const system::Environment& environment,
                                                      const std::vector<RuntimeDevice>& shown,
                                                      const std::vector<amd::KfdNode>& nodes);

}  // namespace probe::hip
