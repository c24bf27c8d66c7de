// SPDX-License-Identifier: MIT
// Turns Highway's compile-once-per-target files into rows of the implementation table. Uses Highway's
// headers alone: which targets this processor runs is asked in detect_*.cpp.
#pragma once

#include <hwy/detect_targets.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/cpu/cpu_kernel.h"

namespace kernels::cpu {

struct Target {
  std::int64_t highway;
  std::string_view isa;
};

// Best first. Highway's EMU128 or SCALAR is the baseline of an architecture that has no other.
inline constexpr std::array kTargets{
    Target{HWY_AVX3, "avx512"}, Target{HWY_AVX2, "avx2"}, Target{HWY_SSE4, "sse4"},
    Target{HWY_SVE, "sve"},     Target{HWY_NEON, "neon"}, Target{HWY_BASELINE_SCALAR, "generic"},
};

// Whether this processor and the OS run code of a Highway target.
[[nodiscard]] bool CpuRuns(std::int64_t highway_target);

// The entry point of a kernel, named by a tag, for one target; specialised in each pass over its file.
template <typename Tag, std::int64_t kTarget>
inline constexpr EntryPoint kEntryAt = nullptr;

template <std::int64_t kTarget>
bool Supported() {
  return CpuRuns(kTarget);
}

namespace targets_internal {

template <typename Tag, std::size_t... kIndex>
constexpr auto AllRows(std::string_view entry, std::index_sequence<kIndex...>) {
  return std::array{Implementation{entry, kTargets[kIndex].isa, &Supported<kTargets[kIndex].highway>,
                                   kEntryAt<Tag, kTargets[kIndex].highway>}...};
}

}  // namespace targets_internal

// The rows of one kernel for every target of this build.
template <typename Tag>
constexpr auto Rows(std::string_view entry) {
  constexpr auto is_built = [](const Implementation& row) { return row.run != nullptr; };
  constexpr auto indices = std::make_index_sequence<kTargets.size()>();
  constexpr std::size_t count = [&] {
    const auto all = targets_internal::AllRows<Tag>({}, indices);
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_built));
  }();
  std::array<Implementation, count> rows{};
  const auto all = targets_internal::AllRows<Tag>(entry, indices);
  std::copy_if(all.begin(), all.end(), rows.begin(), is_built);
  return rows;
}

}  // namespace kernels::cpu
