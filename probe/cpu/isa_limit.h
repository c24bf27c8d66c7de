// SPDX-License-Identifier: MIT
// WHICHGPU_CPU_ISA bounds what the kernels use of the processor (kernels/cpu/isa_limit.h). A processor that
// is so bounded is described as what is left of it, so that figures, types and peaks speak of the same one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "probe/cpu/cpuinfo.h"

namespace probe::cpu {

inline constexpr std::string_view kIsaVariable = "WHICHGPU_CPU_ISA";

// Takes from `info` the flags beyond the named set. What a reader has to know of it: that something was left
// out, or that the name is none; nothing where neither is the case.
[[nodiscard]] std::optional<std::string> LimitTo(std::string_view isa, CpuInfo& info);

}  // namespace probe::cpu
