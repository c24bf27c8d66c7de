// SPDX-License-Identifier: MIT
// OpenCL's kernels as SPIR-V that was compiled ahead, for runtimes that take no source.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"

namespace kernels::spirv {

// As kernels::opencl::Variants, and `code` in the place of source and options. Those for which none is
// committed are left out, which a test keeps from happening but for processors that want lines ahead
// ("prefetch"), or have no vector registers.
[[nodiscard]] std::vector<Variant> Variants(std::span<const std::string> features);

// One committed module: what it was made of, as OpenCL's variants have it, and its words.
struct Module {
  std::string_view source, options;
  std::span<const std::uint32_t> words;
};
[[nodiscard]] std::span<const Module> Modules();

}  // namespace kernels::spirv
