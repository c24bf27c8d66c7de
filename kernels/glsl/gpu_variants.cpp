// SPDX-License-Identifier: MIT
#include "kernels/glsl/variants.h"
#include "kernels/operand.h"

namespace kernels::glsl {
namespace {

constexpr std::uint32_t kGroup = 256;
// Work-groups a compute unit: enough to hide the memory's latency.
constexpr std::uint32_t kGroupsEach = 32;
// Of the kernels that count in subgroups.
constexpr std::uint32_t kSubgroups = 4;

std::array<Tiling, 2> Square(std::uint32_t edge) { return {{{Number::kN, edge}, {Number::kM, edge}}}; }

Variant Tile(std::uint32_t edge, Dtype in, Dtype acc, std::string_view module,
             std::vector<std::string> features) {
  const std::string size = std::to_string(edge);
  Variant variant = OwnOf("own:tile_" + size + "x" + size, {Kernel::kGemm, in, acc, module},
                          {.tiles = Square(edge), .threads = {kGroup, 1}});
  variant.family = "own:tile";
  variant.requires_features = std::move(features);
  variant.requires_features.emplace_back("group256");
  variant.multiple_m = variant.multiple_n = edge;
  variant.multiple_k = 16;
  return variant;
}

Variant Dot() {
  Variant variant =
      OwnOf("own:dot_128x128", {Kernel::kGemm, Dtype::kInt8, Dtype::kInt32, "gemm_int8_dot_128"},
            {.tiles = Square(128), .threads = {kGroup, 1}});
  variant.requires_features = {"int8_dot", "group256"};
  variant.multiple_m = variant.multiple_n = 128;
  variant.multiple_k = 64;
  variant.b_transposed = true;
  return variant;
}

// gemm_coopmat.comp: a block by four subgroups. `shape` as in the features: "16x16x16".
Variant Coopmat(std::uint32_t block, Dtype in, Dtype acc, const std::string& shape) {
  const std::string in_name(Row(in).name), acc_name(Row(acc).name);
  const std::string module = "gemm_" + in_name + "_" + acc_name + "_coopmat_" + shape;
  Variant variant =
      OwnOf("own:coopmat_" + shape, {Kernel::kGemm, in, acc, module},
            {.tiles = Square(block), .threads = {kSubgroups, 1}, .threads_are_subgroups = true});
  variant.family = "own:coopmat";
  // The entries' type is a capability of its own.
  variant.requires_features = {"coopmat:" + in_name + "/" + acc_name + ":" + shape, in_name};
  variant.multiple_m = variant.multiple_n = block;
  variant.multiple_k = 64 / (Row(in).bits / 8);
  return variant;
}

Variant Gemv(Dtype dtype, std::string_view module) {
  Variant variant = OwnOf(
      "own:row_a_subgroup", {Kernel::kGemv, dtype, Dtype::kFp32, module},
      {.tiles = {{{Number::kM, kSubgroups}}}, .threads = {kSubgroups, 1}, .threads_are_subgroups = true});
  variant.requires_features = {"subgroup_add", "group256"};
  variant.multiple_k = kQ4Block;
  return variant;
}

Variant Stream(Kernel kernel, Dtype dtype, std::string_view module) {
  Variant variant = OwnOf("own:storage", {kernel, dtype, dtype, module},
                          {.groups_a_unit = kGroupsEach, .threads = {kGroup, 1}, .partials_a_group = kGroup});
  variant.requires_features = {"group256"};
  variant.multiple_count = VectorCount(dtype);
  return variant;
}

std::vector<Variant> Gemms() {
  return {Tile(128, Dtype::kFp32, Dtype::kFp32, "gemm_fp32_tile_128", {}),
          Tile(64, Dtype::kFp32, Dtype::kFp32, "gemm_fp32_tile_64", {}),
          Coopmat(128, Dtype::kFp16, Dtype::kFp32, "16x16x16"),
          Coopmat(64, Dtype::kFp16, Dtype::kFp32, "8x16x16"),
          Coopmat(64, Dtype::kFp16, Dtype::kFp32, "8x8x16"),
          Coopmat(64, Dtype::kFp16, Dtype::kFp32, "8x8x8"),
          Tile(128, Dtype::kFp16, Dtype::kFp32, "gemm_fp16_fp32_tile_128", {"fp16"}),
          Coopmat(128, Dtype::kFp16, Dtype::kFp16, "16x16x16"),
          Coopmat(64, Dtype::kFp16, Dtype::kFp16, "8x8x8"),
          Tile(128, Dtype::kFp16, Dtype::kFp16, "gemm_fp16_fp16_tile_128", {"fp16"}),
          Coopmat(128, Dtype::kBf16, Dtype::kFp32, "16x16x16"),
          Coopmat(64, Dtype::kBf16, Dtype::kFp32, "8x16x16"),
          Coopmat(128, Dtype::kInt8, Dtype::kInt32, "16x16x32"),
          Coopmat(128, Dtype::kInt8, Dtype::kInt32, "16x16x16"),
          Coopmat(64, Dtype::kInt8, Dtype::kInt32, "8x16x32"),
          Coopmat(64, Dtype::kInt8, Dtype::kInt32, "8x8x32"),
          Coopmat(64, Dtype::kInt8, Dtype::kInt32, "8x8x8"),
          Dot()};
}

}  // namespace

std::vector<Variant> GpuVariants() {
  std::vector<Variant> all = Fills({.groups_a_unit = kGroupsEach * 4, .threads = {64, 1}});
  for (Variant& gemm : Gemms()) all.push_back(std::move(gemm));
  all.push_back(Chain("chain_fp32_gpu", kGroup, 16));
  all.back().requires_features = {"group256"};
  all.push_back(Gemv(Dtype::kFp32, "gemv_fp32"));
  all.push_back(Gemv(Dtype::kFp16, "gemv_fp16"));
  all.push_back(Gemv(Dtype::kQ4, "gemv_q4"));
  all.push_back(Stream(Kernel::kRead, Dtype::kU32, "read_u32_storage"));
  all.push_back(Stream(Kernel::kCopy, Dtype::kU32, "copy_u32"));
  all.push_back(Stream(Kernel::kTriad, Dtype::kFp32, "triad_fp32"));
  return all;
}

}  // namespace kernels::glsl
