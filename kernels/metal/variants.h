// SPDX-License-Identifier: MIT
// Every kernel in Metal's language, as data. Best first within one kernel and type pair, but that what works
// everywhere stands first.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/spec.h"

namespace kernels::metal {

// What a device may be asked for (Variant::requires_features): simdgroups of 32 lanes, their matrix
// instructions, and bfloat as a type of the language. Variants with products by simdgroups need the first
// two.
inline constexpr std::string_view kSimdgroups = "simdgroups_of_32";
inline constexpr std::string_view kMatrix = "simdgroup_matrix";
inline constexpr std::string_view kBfloat = "bfloat";

[[nodiscard]] std::vector<Variant> Variants();

}  // namespace kernels::metal
