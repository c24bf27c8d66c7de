// SPDX-License-Identifier: MIT
// What Arm processors have beyond Highway's targets: how to ask for it, and the kernels that use it.
#pragma once

#include "kernels/cpu/cpu_kernel.h"

namespace kernels::cpu {

// Four int8 products a sum: Armv8.2's FEAT_DotProd, in every core since Cortex-A55 and A76.
[[nodiscard]] bool HasNeonDotprod();

// What the operating system says of the processor, each system in its way.
[[nodiscard]] bool SystemNamesDotprod();
[[nodiscard]] bool SystemNamesSve();

[[nodiscard]] std::span<const Implementation> GemvDotImplementations();

}  // namespace kernels::cpu
