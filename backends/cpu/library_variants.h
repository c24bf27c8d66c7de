// SPDX-License-Identifier: MIT
// The user's libraries as variants, found by their files; nothing is loaded.
#pragma once

#include <string_view>
#include <vector>

#include "backends/core/backend.h"

namespace backends::cpu {

// The feature of a processor whose int8 products are added up in 32 bits: what libraries' need to be right.
inline constexpr std::string_view kInt8Dot = "int8_dot";

[[nodiscard]] std::vector<kernels::Variant> LibraryVariants(const OpenRequest& request);

}  // namespace backends::cpu
