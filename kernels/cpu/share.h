// SPDX-License-Identifier: MIT
// How workers divide a range among themselves.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/cpu/cpu_kernel.h"

namespace kernels::cpu {

struct Range {
  std::size_t begin;
  std::size_t end;
};

[[nodiscard]] constexpr std::size_t DivideUp(std::size_t value, std::size_t by) {
  return (value + by - 1) / by;
}

// Part `index` of `parts` contiguous parts of [0, count), whose borders are multiples of `grain`. May be
// empty.
[[nodiscard]] constexpr Range Share(std::size_t count, std::size_t grain, std::size_t index,
                                    std::size_t parts) {
  const std::size_t grains = DivideUp(count, grain);
  return {std::min(count, grains * index / parts * grain),
          std::min(count, grains * (index + 1) / parts * grain)};
}

}  // namespace kernels::cpu
