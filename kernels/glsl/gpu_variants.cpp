// SPDX-License-Identifier: MIT
#include <bit>

#include "kernels/glsl/variants.h"

namespace kernels::glsl {
namespace {

constexpr std::uint32_t kGroup = 256;
// Work-groups a compute unit: enough to hide the memory's latency.
constexpr std::uint32_t kGroupsEach = 32;
constexpr std::uint32_t kChains = 16;
// Of the kernels that count in subgroups.
constexpr std::uint32_t kSubgroups = 4;

std::uint32_t Groups(const DeviceShape& device) { return device.compute_units * kGroupsEach; }

LaunchShape GroupsOf(const DeviceShape& device, std::vector<std::uint32_t> scalars) {
  return {{Groups(device), 1, 1}, {kGroup, 1, 1}, std::move(scalars)};
}
LaunchShape FillShape(const Problem& problem, const DeviceShape& device) {
  return {{Groups(device) * 4, 1, 1}, {64, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape StreamShape(const Problem& problem, const DeviceShape& device) {
  return GroupsOf(device, {problem.count});
}
LaunchShape TriadShape(const Problem& problem, const DeviceShape& device) {
  return GroupsOf(device, {problem.count, std::bit_cast<std::uint32_t>(kTriadFactor)});
}
LaunchShape ChainShape(const Problem& problem, const DeviceShape&) {
  return {{problem.count / (kGroup * kChains), 1, 1}, {kGroup, 1, 1}, ChainScalars(problem)};
}
LaunchShape GemvShape(const Problem& problem, const DeviceShape& device) {
  return {{(problem.m + kSubgroups - 1) / kSubgroups, 1, 1},
          {kSubgroups * device.subgroup_width, 1, 1},
          {problem.m, problem.k}};
}
std::uint64_t ReadPartials(const Problem&, const DeviceShape& device) {
  return std::uint64_t{4} * Groups(device) * kGroup;
}
// gemm_coopmat.comp: a block by four subgroups.
template <std::uint32_t kBlock>
LaunchShape CoopmatShape(const Problem& problem, const DeviceShape& device) {
  return {{problem.n / kBlock, problem.m / kBlock, 1},
          {kSubgroups * device.subgroup_width, 1, 1},
          {problem.m, problem.n, problem.k}};
}

template <std::uint32_t kTile>
LaunchShape TileShape(const Problem& problem, const DeviceShape&) {
  return {{problem.n / kTile, problem.m / kTile, 1}, {kGroup, 1, 1}, {problem.m, problem.n, problem.k}};
}

Variant Gemm(std::string name, Dtype in, Dtype acc, std::string_view module, ShapeOf shape) {
  return Own(std::move(name), Kernel::kGemm, in, acc, module, {{Role::kA}, {Role::kB}, {Role::kC}}, shape);
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
  // The entries' type is a capability of its own.
  variant.requires_features = {"coopmat:" + types + ":" + shape, std::string(Row(in).name)};
  variant.multiple_m = variant.multiple_n = kBlock;
  variant.multiple_k = 64 / (Row(in).bits / 8);
  return variant;
}

Variant Gemv(Dtype dtype, std::string_view module) {
  Variant variant = Own("own:row_a_subgroup", Kernel::kGemv, dtype, Dtype::kFp32, module,
                        {{Role::kW}, {Role::kX}, {Role::kY}}, GemvShape);
  variant.requires_features = {"subgroup_add", "group256"};
  variant.multiple_k = kQ4Block;
  return variant;
}

Variant Stream(Kernel kernel, Dtype dtype, std::string_view module, std::vector<Binding> bindings,
               ShapeOf shape) {
  Variant variant = Own("own:storage", kernel, dtype, dtype, module, std::move(bindings), shape);
  variant.requires_features = {"group256"};
  variant.multiple_count = 4;
  if (kernel == Kernel::kRead) variant.partials_bytes = ReadPartials;
  return variant;
}

std::vector<Variant> Gemms() {
  return {Tile<128>(Dtype::kFp32, Dtype::kFp32, "gemm_fp32_tile_128", {}),
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
          Dot()};
}

}  // namespace

std::vector<Variant> GpuVariants() {
  std::vector<Variant> all = CommonVariants(FillShape);
  for (Variant& gemm : Gemms()) all.push_back(std::move(gemm));
  all.push_back(Chain("chain_fp32_gpu", kGroup * kChains, ChainShape));
  all.back().requires_features = {"group256"};
  all.push_back(Gemv(Dtype::kFp32, "gemv_fp32"));
  all.push_back(Gemv(Dtype::kFp16, "gemv_fp16"));
  all.push_back(Gemv(Dtype::kQ4, "gemv_q4"));
  all.push_back(
      Stream(Kernel::kRead, Dtype::kU32, "read_u32_storage", {{Role::kIn}, {Role::kPartials}}, StreamShape));
  all.push_back(Stream(Kernel::kCopy, Dtype::kU32, "copy_u32", {{Role::kIn}, {Role::kOut}}, StreamShape));
  all.push_back(
      Stream(Kernel::kTriad, Dtype::kFp32, "triad_fp32", {{Role::kA}, {Role::kB}, {Role::kOut}}, TriadShape));
  return all;
}

}  // namespace kernels::glsl
