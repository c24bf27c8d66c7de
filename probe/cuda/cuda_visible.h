// SPDX-License-Identifier: MIT
// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER in words: what each entry is, which GPUs it hides. Compares what
// CUDA shows with what the machine has; decides nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/cuda/cuda_nvml.h"
#include "probe/system/environment.h"

namespace probe::cuda {

[[nodiscard]] std::span<const std::string_view> VisibilityVariables();

enum class VisibleEntry { kIndex, kUuid, kMig, kGarbage };
// The entries that CUDA reads: it stops at the first that is not one, which is the last here then.
struct Visible {
  std::string text;
  VisibleEntry kind = VisibleEntry::kGarbage;
};
[[nodiscard]] std::vector<Visible> ParseVisible(std::string_view value);

// Sentences on what the variables do here: GPUs that are hidden, entries that name nothing, a numbering that
// differs from nvidia-smi's. Empty where there is nothing to say.
[[nodiscard]] std::vector<std::string> ExplainVisible(const system::Environment& environment,
                                                      const std::vector<RuntimeDevice>& shown,
                                                      const std::vector<NvmlGpu>& gpus);

}  // namespace probe::cuda
