// SPDX-License-Identifier: MIT
// Every kernel in CUDA C++, compiled to PTX, as data: what each needs of a device, and how it is launched.
#pragma once

#include <vector>

#include "kernels/spec.h"

namespace kernels::cuda {

// Modules with instructions in tensor memory are a family's of chips: a device is offered those of its own.
enum class Family { kDataCentre, kThor };

// All of them: a device's features (backends/cuda) decide. Features: "sm_<capability>" for every capability
// that has kernels and that the device is at or above, "sm_90a", "sm_100a" and "sm_110a" on that chip alone,
// "sm_100f" on those of that family, "tensor_maps" where its driver describes matrices for its copies,
// "volta_mma" and "turing_mma" on those alone, "fp8_mma" where mma.sync has fp8, "scaled_mma" where it scales
// blocks (sm_12x), "shared:<KiB>" of dynamic shared memory that a block may have.
[[nodiscard]] std::vector<Variant> Variants(Family family = Family::kDataCentre);

}  // namespace kernels::cuda
