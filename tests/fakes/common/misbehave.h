// SPDX-License-Identifier: MIT
// Carries out what the scenario says, at the points where a fake calls it.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/fakes/common/scenario.h"

namespace fakes {

// Does what the scenario asks for at this point of this device. Most acts do not return, or happen once only;
// the value is the error code that the calling entry point has to return from now on.
[[nodiscard]] std::optional<std::int32_t> Reach(Point point,
                                                std::optional<std::uint32_t> device = std::nullopt);

// The library's constructor: an error wanted at `load` is kept for the first Reach(Point::kInit).
void ReachLoad();

// Where what is given back can not be refused: an error wanted at `teardown` does nothing.
void ReachTeardown(std::optional<std::uint32_t> device = std::nullopt);

}  // namespace fakes
