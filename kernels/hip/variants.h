// SPDX-License-Identifier: MIT
// Every kernel for AMD as data: what each needs of a device, and how it is launched. The sources are programs
// for hiprtc, whole in themselves; those without matrix instructions are kernels/simt's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"

namespace kernels::hip {

// All of them: FeaturesOf the device decides.
[[nodiscard]] std::vector<Variant> Variants();

// What of the matrix instructions an architecture ("gfx942") has: "mfma", "mfma_xf32", "mfma_fp8",
// "mfma_fp8_fnuz", "mfma_fp4", "wmma_gfx11", "wmma_gfx12"; "dot" where there are none but products of
// registers. Source: LLVM, "User Guide for AMDGPU Backend", and AMD's instruction set references.
[[nodiscard]] std::vector<std::string> FeaturesOf(std::string_view architecture);

}  // namespace kernels::hip
