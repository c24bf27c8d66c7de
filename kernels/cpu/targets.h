// SPDX-License-Identifier: MIT
// Turns Highway's compile-once-per-target files into rows of the implementation table. Uses Highway's
// headers alone: which targets this processor runs is asked in detect_*.cpp.
#pragma once

#include <hwy/detect_targets.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

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
inline constexpr std::nullptr_t kEntryAt = nullptr;

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

// Asked by type: under UBSan g++ 12 has no constant answer to whether a function's address is null.
template <typename Tag, std::size_t... kIndex>
constexpr auto Built(std::index_sequence<kIndex...>) {
  return std::array{
      !std::is_null_pointer_v<std::remove_const_t<decltype(kEntryAt<Tag, kTargets[kIndex].highway>)>>...};
}

}  // namespace targets_internal

// The rows of one kernel for every target of this build.
template <typename Tag>
constexpr auto Rows(std::string_view entry) {
  constexpr auto kIndices = std::make_index_sequence<kTargets.size()>();
  constexpr auto kBuilt = targets_internal::Built<Tag>(kIndices);
  std::array<Implementation, static_cast<std::size_t>(std::count(kBuilt.begin(), kBuilt.end(), true))> rows{};
  const auto all = targets_internal::AllRows<Tag>(entry, kIndices);
  auto out = rows.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kBuilt[i]) *out++ = all[i];
  }
  return rows;
}

}  // namespace kernels::cpu
