// SPDX-License-Identifier: MIT
// Every kernel in CUDA C++, compiled to PTX, as data: what each needs of a device, and how it is launched.
#pragma once

#include <vector>

#include "kernels/spec.h"

namespace kernels::cuda {

// All of them: a device's features (backends/cuda) decide. Features: "sm_<capability>" for every capability
// that has kernels and that the device is at or above, "sm_90a" on that chip alone, "tensor_maps" where its
// driver describes matrices for its copies besides, "volta_mma" and
// "turing_mma" on those alone, "fp8_mma" where mma.sync has fp8, "scaled_mma" where it scales blocks
// (sm_12x), "shared:<KiB>" of dynamic shared memory that a block may have.
[[nodiscard]] std::vector<Variant> Variants();

}  // namespace kernels::cuda
