// SPDX-License-Identifier: MIT
// For drivers that run on the host processor, with vectors of eight invocations.
#include "kernels/glsl/spirv.h"
#include "kernels/glsl/variants.h"

namespace kernels::glsl {
namespace {

constexpr std::uint32_t kLanes = 8;
// More work-groups than threads, so that one that is late holds up little.
constexpr std::uint32_t kSharesEach = 8;

std::uint32_t Shares(const DeviceShape& device) { return device.compute_units * kSharesEach; }

LaunchShape FillShape(const Problem& problem, const DeviceShape& device) {
  return {{Shares(device), 1, 1}, {64, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape ReadShape(const Problem& problem, const DeviceShape& device) {
  return {{Shares(device), 1, 1}, {kLanes, 1, 1}, {problem.count}};
}
std::uint64_t ReadPartials(const Problem&, const DeviceShape& device) {
  return Shares(device) * kLanes * 4ULL;
}

template <std::uint32_t kRows, std::uint32_t kColumns>
LaunchShape GemmShape(const Problem& problem, const DeviceShape&) {
  return {{problem.n / (4 * kLanes * kColumns), problem.m / kRows, 1},
          {kLanes, 1, 1},
          {problem.m, problem.n, problem.k}};
}

Variant Make(std::string name, Kernel kernel, Dtype dtype, std::string_view module,
             std::vector<Binding> bindings, LaunchShape (*shape)(const Problem&, const DeviceShape&)) {
  Variant variant;
  variant.name = std::move(name);
  variant.kernel = kernel;
  variant.in = variant.acc = dtype;
  variant.language = Language::kGlsl;
  variant.steps = {{"main", {}, Words(module), "", std::move(bindings), shape}};
  return variant;
}

template <std::uint32_t kRows, std::uint32_t kColumns>
Variant Gemm(std::string name, std::string_view module) {
  Variant variant = Make(std::move(name), Kernel::kGemm, Dtype::kFp32, module,
                         {{Role::kA, View::kTexelFloat4}, {Role::kB, View::kTexelFloat4}, {Role::kC}},
                         GemmShape<kRows, kColumns>);
  variant.multiple_m = kRows;
  variant.multiple_n = 4 * kLanes * kColumns;
  variant.multiple_k = 4;
  return variant;
}

Variant Fill(Dtype dtype, std::string_view module) {
  Variant variant = Make("own:fill", Kernel::kFill, dtype, module, {{Role::kOut}}, FillShape);
  variant.multiple_count = 4;
  return variant;
}

Variant Read() {
  Variant variant = Make("own:texel", Kernel::kRead, Dtype::kU32, "read_u32_texel",
                         {{Role::kIn, View::kTexelUint4}, {Role::kPartials}}, ReadShape);
  variant.multiple_count = 4;
  variant.partials_bytes = ReadPartials;
  return variant;
}

}  // namespace

std::vector<Variant> CpuVariants() {
  return {Fill(Dtype::kFp32, "fill_fp32"), Fill(Dtype::kU32, "fill_u32"),
          Gemm<16, 4>("own:texel_16x128", "gemm_fp32_texel_16x4"),
          Gemm<8, 2>("own:texel_8x64", "gemm_fp32_texel_8x2"), Read()};
}

}  // namespace kernels::glsl
