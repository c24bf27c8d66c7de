// SPDX-License-Identifier: MIT
// What x86-64 processors have beyond Highway's targets: how to ask for it, and the kernels that use it.
#pragma once

#include "kernels/cpu/cpu_kernel.h"

namespace kernels::cpu {

// Asking also requests the OS's permission for the tile registers, which the process then keeps.
[[nodiscard]] bool HasAmxBf16();
[[nodiscard]] bool HasAmxInt8();
// Highway's AVX3; implied by those after it.
[[nodiscard]] bool HasAvx512();
[[nodiscard]] bool HasAvx512Bf16();
[[nodiscard]] bool HasAvx512Vnni();
// Four int8 products a sum in vectors of 256 bits: Intel from Alder Lake on, AMD from Zen 5 on.
[[nodiscard]] bool HasAvxVnni();

[[nodiscard]] std::span<const Implementation> ChainAmxImplementations();
[[nodiscard]] std::span<const Implementation> ChainDotImplementations();
[[nodiscard]] std::span<const Implementation> GemmAmxImplementations();
[[nodiscard]] std::span<const Implementation> GemmDotImplementations();
[[nodiscard]] std::span<const Implementation> GemvDotImplementations();

}  // namespace kernels::cpu
