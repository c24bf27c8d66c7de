// SPDX-License-Identifier: MIT
#include "kernels/glsl/variants.h"

#include <algorithm>
#include <bit>

#include "kernels/glsl/spirv.h"

namespace kernels::glsl {
namespace {

Variant Fill(Dtype dtype, std::string_view module, ShapeOf shape) {
  Variant variant = Own("own:fill", Kernel::kFill, dtype, dtype, module, {{Role::kOut}}, shape);
  variant.multiple_count = 128 / Row(dtype).bits;
  return variant;
}

}  // namespace

std::vector<Variant> Variants(std::span<const std::string> features) {
  const bool on_cpu = std::find(features.begin(), features.end(), "cpu") != features.end();
  return on_cpu ? CpuVariants() : GpuVariants();
}

Variant Own(std::string name, Kernel kernel, Dtype in, Dtype acc, std::string_view module,
            std::vector<Binding> bindings, ShapeOf shape) {
  Variant variant;
  variant.name = std::move(name);
  variant.kernel = kernel;
  variant.in = in;
  variant.acc = acc;
  variant.steps = {{"main", {}, Words(module), "", std::move(bindings), shape}};
  return variant;
}

std::vector<Variant> CommonVariants(ShapeOf fill) {
  return {Fill(Dtype::kFp32, "fill_fp32", fill), Fill(Dtype::kFp16, "fill_fp16", fill),
          Fill(Dtype::kBf16, "fill_bf16", fill), Fill(Dtype::kInt8, "fill_int8", fill),
          Fill(Dtype::kQ4, "fill_q4", fill),     Fill(Dtype::kU32, "fill_u32", fill)};
}

Variant Chain(std::string_view module, std::uint32_t accumulators, ShapeOf shape) {
  constexpr std::uint32_t kStepsATurn = 16;
  Variant variant =
      Own("own:chain", Kernel::kChain, Dtype::kFp32, Dtype::kFp32, module, {{Role::kOut}}, shape);
  variant.multiple_count = accumulators;
  variant.multiple_k = kStepsATurn;
  return variant;
}

std::vector<std::uint32_t> ChainScalars(const Problem& problem) {
  return {problem.k, std::bit_cast<std::uint32_t>(1.0F)};
}

}  // namespace kernels::glsl
