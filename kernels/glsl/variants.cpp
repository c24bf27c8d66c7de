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

LaunchShape OneGroup(const Problem&, const DeviceShape&) { return {}; }

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
  variant.language = Language::kGlsl;
  variant.steps = {{"main", {}, Words(module), "", std::move(bindings), shape}};
  return variant;
}

std::vector<Variant> CommonVariants(ShapeOf fill) {
  return {Fill(Dtype::kFp32, "fill_fp32", fill),
          Fill(Dtype::kFp16, "fill_fp16", fill),
          Fill(Dtype::kBf16, "fill_bf16", fill),
          Fill(Dtype::kInt8, "fill_int8", fill),
          Fill(Dtype::kQ4, "fill_q4", fill),
          Fill(Dtype::kU32, "fill_u32", fill),
          Own("own:empty", Kernel::kLaunch, Dtype::kU32, Dtype::kU32, "empty", {}, OneGroup)};
}

std::vector<std::uint32_t> ChainScalars(std::uint32_t units, std::uint32_t groups, std::uint32_t invocations,
                                        std::uint32_t chains) {
  constexpr std::uint32_t kStepsATurn = 15;
  const std::uint64_t own = (std::uint64_t{units} << 20U) / groups;
  const std::uint64_t operations_a_turn = std::uint64_t{2} * kStepsATurn * invocations * chains;
  const std::uint64_t turns = (own + operations_a_turn - 1) / operations_a_turn | 1U;
  return {static_cast<std::uint32_t>(turns), std::bit_cast<std::uint32_t>(-1.0F)};
}

}  // namespace kernels::glsl
