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
// gemm_coopmat.comp: a block by four subgroups.
template <std::uint32_t kBlock>
LaunchShape CoopmatShape(const Problem& problem, const DeviceShape& device) {
  return {{problem.n / kBlock, problem.m / kBlock, 1},
          {4 * device.subgroup_width, 1, 1},
          {problem.m, problem.n, problem.k}};
}

template <std::uint32_t kTile>
LaunchShape TileShape(const Problem& problem, const DeviceShape&) {
  return {{problem.n / kTile, problem.m / kTile, 1}, {kGroup, 1, 1}, {problem.m, problem.n, problem.k}};
}

Variant Make(std::string name, Kernel kernel, Dtype in, Dtype acc, std::string_view module,
             std::vector<Binding> bindings, LaunchShape (*shape)(const Problem&, const DeviceShape&)) {
  Variant variant;
  variant.name = std::move(name);
  variant.kernel = kernel;
  variant.in = in;
  variant.acc = acc;
  variant.language = Language::kGlsl;
  variant.steps = {{"main", {}, Words(module), "", std::move(bindings), shape}};
  return variant;
}

Variant Gemm(std::string name, Dtype in, Dtype acc, std::string_view module,
             LaunchShape (*shape)(const Problem&, const DeviceShape&)) {
  return Make(std::move(name), Kernel::kGemm, in, acc, module, {{Role::kA}, {Role::kB}, {Role::kC}}, shape);
}

template <std::uint32_t kTile>
Variant Tile(Dtype in, Dtype acc, std::string_view module, std::vector<std::string> features) {
  Variant variant = Gemm("own:tile_" + std::to_string(kTile) + "x" + std::to_string(kTile), in, acc, module,
                         TileShape<kTile>);
  variant.requires_features = std::move(features);
  variant.requires_features.emplace_back("group256");
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = 16;
  return variant;
}

Variant Dot() {
  Variant variant = Gemm("own:dot_128x128", Dtype::kInt8, Dtype::kInt32, "gemm_int8_dot_128", TileShape<128>);
  variant.requires_features = {"int8_dot", "group256"};
  variant.multiple_m = variant.multiple_n = 128;
  variant.multiple_k = 64;
  variant.b_transposed = true;
  return variant;
}

// `shape` as in the features: "16x16x16".
template <std::uint32_t kBlock>
Variant Coopmat(Dtype in, Dtype acc, const std::string& shape) {
  const std::string types = std::string(Row(in).name) + "/" + std::string(Row(acc).name);
  const std::string module =
      "gemm_" + std::string(Row(in).name) + "_" + std::string(Row(acc).name) + "_coopmat_" + shape;
  Variant variant = Gemm("own:coopmat_" + shape, in, acc, module, CoopmatShape<kBlock>);
  variant.requires_features = {"coopmat:" + types + ":" + shape};
  variant.multiple_m = variant.multiple_n = kBlock;
  variant.multiple_k = 64 / (Row(in).bits / 8);
  return variant;
}

Variant Fill(Dtype dtype, std::string_view module) {
  Variant variant = Make("own:fill", Kernel::kFill, dtype, dtype, module, {{Role::kOut}}, FillShape);
  variant.multiple_count = 128 / Row(dtype).bits;
  return variant;
}

Variant Read() {
  Variant variant = Make("own:storage", Kernel::kRead, Dtype::kU32, Dtype::kU32, "read_u32_storage",
                         {{Role::kIn}, {Role::kPartials}}, ReadShape);
  variant.requires_features = {"group256"};
  variant.multiple_count = 4;
  variant.partials_bytes = ReadPartials;
  return variant;
}

}  // namespace

std::vector<Variant> GpuVariants() {
  return {Fill(Dtype::kFp32, "fill_fp32"),
          Fill(Dtype::kFp16, "fill_fp16"),
          Fill(Dtype::kBf16, "fill_bf16"),
          Fill(Dtype::kInt8, "fill_int8"),
          Fill(Dtype::kU32, "fill_u32"),
          Tile<128>(Dtype::kFp32, Dtype::kFp32, "gemm_fp32_tile_128", {}),
          Tile<64>(Dtype::kFp32, Dtype::kFp32, "gemm_fp32_tile_64", {}),
          Coopmat<128>(Dtype::kFp16, Dtype::kFp32, "16x16x16"),
          Coopmat<64>(Dtype::kFp16, Dtype::kFp32, "8x16x16"),
          Coopmat<64>(Dtype::kFp16, Dtype::kFp32, "8x8x16"),
          Coopmat<64>(Dtype::kFp16, Dtype::kFp32, "8x8x8"),
          Tile<128>(Dtype::kFp16, Dtype::kFp32, "gemm_fp16_fp32_tile_128", {"fp16"}),
          Coopmat<128>(Dtype::kFp16, Dtype::kFp16, "16x16x16"),
          Coopmat<64>(Dtype::kFp16, Dtype::kFp16, "8x8x8"),
          Tile<128>(Dtype::kFp16, Dtype::kFp16, "gemm_fp16_fp16_tile_128", {"fp16"}),
          Coopmat<128>(Dtype::kBf16, Dtype::kFp32, "16x16x16"),
          Coopmat<64>(Dtype::kBf16, Dtype::kFp32, "8x16x16"),
          Coopmat<128>(Dtype::kInt8, Dtype::kInt32, "16x16x32"),
          Coopmat<128>(Dtype::kInt8, Dtype::kInt32, "16x16x16"),
          Coopmat<64>(Dtype::kInt8, Dtype::kInt32, "8x16x32"),
          Coopmat<64>(Dtype::kInt8, Dtype::kInt32, "8x8x32"),
          Coopmat<64>(Dtype::kInt8, Dtype::kInt32, "8x8x8"),
          Dot(),
          Read()};
}

}  // namespace kernels::glsl
