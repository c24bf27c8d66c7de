// SPDX-License-Identifier: MIT
// Whether the kernel's driver keeps a GPU ready while no program uses it.
#pragma once

#include <string_view>

namespace probe {

// "yes" or "no"; absent where nobody tells. Where it is "no" every program that comes alone waits for it.
inline constexpr std::string_view kKeptReadyFact = "kept_ready";

}  // namespace probe
