// SPDX-License-Identifier: MIT
#include "kernels/glsl/variants.h"

#include <algorithm>

#include "kernels/glsl/spirv.h"

namespace kernels::glsl {

std::vector<Variant> Variants(std::span<const std::string> features) {
  const bool on_cpu = std::find(features.begin(), features.end(), "cpu") != features.end();
  return on_cpu ? CpuVariants() : GpuVariants();
}

Variant OwnOf(std::string name, const ModuleRow& row, const Geometry& geometry) {
  return Own(std::move(name), row.kernel, row.in, row.acc,
             {.entry = "main", .code = Words(row.module), .geometry = geometry});
}

std::vector<Variant> Fills(const Geometry& geometry) {
  using enum Dtype;
  std::vector<Variant> all;
  for (const auto& [dtype, module] :
       {std::pair{kFp32, "fill_fp32"}, std::pair{kFp16, "fill_fp16"}, std::pair{kBf16, "fill_bf16"},
        std::pair{kInt8, "fill_int8"}, std::pair{kQ4, "fill_q4"}, std::pair{kU32, "fill_u32"}}) {
    all.push_back(OwnOf("own:fill", {Kernel::kFill, dtype, dtype, module}, geometry));
    all.back().multiple_count = VectorCount(dtype);
  }
  return all;
}

Variant Chain(std::string_view module, std::uint32_t threads, std::uint32_t chains) {
  constexpr std::uint32_t kStepsATurn = 16;
  Variant variant = OwnOf("own:chain", {Kernel::kChain, Dtype::kFp32, Dtype::kFp32, module},
                          {.tiles = {{{Number::kCount, threads * chains}}}, .threads = {threads, 1}});
  variant.multiple_count = threads * chains;
  variant.multiple_k = kStepsATurn;
  return variant;
}

std::uint32_t VectorCount(Dtype dtype) { return 128 / Row(dtype).bits; }

}  // namespace kernels::glsl
