// SPDX-License-Identifier: MIT
#include "kernels/glsl/spirv.h"
#include "kernels/glsl/variants.h"

namespace kernels::glsl {
namespace {

constexpr std::uint32_t kGroup = 256;
// Work-groups a compute unit: enough to hide the memory's latency.
constexpr std::uint32_t kGroupsEach = 32;

std::uint32_t Groups(const DeviceShape& device) { return device.compute_units * kGroupsEach; }

LaunchShape FillShape(const Problem& problem, const DeviceShape& device) {
  return {{Groups(device) * 4, 1, 1}, {64, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape ReadShape(const Problem& problem, const DeviceShape& device) {
  return {{Groups(device), 1, 1}, {kGroup, 1, 1}, {problem.count}};
}
std::uint64_t ReadPartials(const Problem&, const DeviceShape& device) {
  return std::uint64_t{4} * Groups(device) * kGroup;
}
template <std::uint32_t kTile>
LaunchShape TileShape(const Problem& problem, const DeviceShape&) {
  return {{problem.n / kTile, problem.m / kTile, 1}, {kGroup, 1, 1}, {problem.m, problem.n, problem.k}};
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

template <std::uint32_t kTile>
Variant Gemm(std::string name, std::string_view module) {
  Variant variant = Make(std::move(name), Kernel::kGemm, Dtype::kFp32, module,
                         {{Role::kA}, {Role::kB}, {Role::kC}}, TileShape<kTile>);
  variant.requires_features = {"group256"};
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = 16;
  return variant;
}

Variant Fill(Dtype dtype, std::string_view module) {
  Variant variant = Make("own:fill", Kernel::kFill, dtype, module, {{Role::kOut}}, FillShape);
  variant.multiple_count = 4;
  return variant;
}

Variant Read() {
  Variant variant = Make("own:storage", Kernel::kRead, Dtype::kU32, "read_u32_storage",
                         {{Role::kIn}, {Role::kPartials}}, ReadShape);
  variant.requires_features = {"group256"};
  variant.multiple_count = 4;
  variant.partials_bytes = ReadPartials;
  return variant;
}

}  // namespace

std::vector<Variant> GpuVariants() {
  return {Fill(Dtype::kFp32, "fill_fp32"), Fill(Dtype::kU32, "fill_u32"),
          Gemm<128>("own:tile_128x128", "gemm_fp32_tile_128"),
          Gemm<64>("own:tile_64x64", "gemm_fp32_tile_64"), Read()};
}

}  // namespace kernels::glsl
