// SPDX-License-Identifier: MIT
#include "kernels/opencl/modules.h"
#include "kernels/opencl/variants.h"
#include "kernels/operand.h"

namespace kernels::opencl {
namespace {

constexpr std::uint32_t kGroup = 256;
constexpr std::uint32_t kGemvGroup = 128;
constexpr std::uint32_t kGroupsEach = 16;   // a compute unit, to hide latency
constexpr std::uint32_t kVectorBits = 128;  // that a work-item reads at once

constexpr EntryRow kFills[] = {
    {Kernel::kFill, Dtype::kFp32, Dtype::kFp32, "fill_fp32"},
    {Kernel::kFill, Dtype::kU32, Dtype::kU32, "fill_u32"},
    {Kernel::kFill, Dtype::kFp16, Dtype::kFp16, "fill_fp16"},
    {Kernel::kFill, Dtype::kBf16, Dtype::kBf16, "fill_bf16"},
    {Kernel::kFill, Dtype::kInt8, Dtype::kInt8, "fill_int8"},
    {Kernel::kFill, Dtype::kQ4, Dtype::kQ4, "fill_q4"},
};

constexpr Geometry kSpread = {.groups_a_unit = kGroupsEach, .threads = {kGroup, 1}, .partials_a_group = 1};

void AddStreams(std::vector<Variant>& all) {
  for (const EntryRow& row : kStreams) {
    all.push_back(OwnOf("own:coalesced", row, kStreamGpuModule, "-DGROUP=256", kSpread));
    all.back().multiple_count = kVectorBits / Row(row.in).bits;
  }
}

Geometry SquareTiles(std::uint32_t edge) {
  return {.tiles = {{{Number::kN, edge}, {Number::kM, edge}}}, .threads = {16, 16}};
}

Variant Gemm(std::uint32_t tile, Dtype in, Dtype acc, std::string_view options) {
  const std::string edge = std::to_string(tile);
  Variant variant = OwnOf("own:tile_" + edge + "x" + edge, {Kernel::kGemm, in, acc, "gemm"}, kGemmGpuModule,
                          options, SquareTiles(tile));
  variant.family = "own:tile";
  if (acc == Dtype::kFp16) variant.requires_features = {"fp16"};
  variant.multiple_m = variant.multiple_n = tile;
  variant.multiple_k = 16;
  return variant;
}

#define WHICHGPU_TILE_OPTIONS(tile, in, load, acc) \
  "-DDEPTH=16 -DTILE=" tile " -DIN=" in " -DLOAD=" load " -DACC=" acc

void AddTiles(std::vector<Variant>& all) {
  all.push_back(
      Gemm(128, Dtype::kFp32, Dtype::kFp32, WHICHGPU_TILE_OPTIONS("128", "float", "vload4", "float")));
  all.push_back(
      Gemm(64, Dtype::kFp32, Dtype::kFp32, WHICHGPU_TILE_OPTIONS("64", "float", "vload4", "float")));
  all.push_back(
      Gemm(128, Dtype::kFp16, Dtype::kFp32, WHICHGPU_TILE_OPTIONS("128", "half", "vload_half4", "float")));
  all.push_back(
      Gemm(128, Dtype::kFp16, Dtype::kFp16, WHICHGPU_TILE_OPTIONS("128", "half", "vload_half4", "half")));
}

#undef WHICHGPU_TILE_OPTIONS

Variant GemmInt8(std::uint32_t tile, std::string name, std::string_view options) {
  Variant variant = OwnOf(std::move(name), {Kernel::kGemm, Dtype::kInt8, Dtype::kInt32, "gemm_int8"},
                          kGemmGpuInt8Module, options, SquareTiles(tile));
  variant.family = "own:dot";
  variant.requires_features = {"int8_dot"};
  variant.multiple_m = variant.multiple_n = tile;
  variant.multiple_k = 4 * 8;  // WORDS of the options
  variant.b_transposed = true;
  return variant;
}

}  // namespace

std::vector<Variant> GpuVariants(std::span<const std::string> features) {
  std::vector<Variant> all;
  for (const EntryRow& row : kFills) all.push_back(OwnOf("own:fill", row, kFillGpuModule, "", kSpread));
  AddStreams(all);
  for (auto& variant : MatrixVariants(features)) all.push_back(std::move(variant));
  AddTiles(all);
  if (Has(features, "int8_dot")) {
    all.push_back(GemmInt8(128, "own:dot_128x128", "-DTILE=128 -DWORDS=8"));
    all.push_back(GemmInt8(64, "own:dot_64x64", "-DTILE=64 -DWORDS=8"));
  }
  all.push_back(Chain("-DLANES=1 -DCHAINS=16 -DSTEPS=16", kGroup, 16));
  for (const EntryRow& row : kGemvs) {
    all.push_back(OwnOf("own:row_a_group", row, kGemvGpuModule, "-DGROUP=128",
                        {.tiles = {{{Number::kM, 1}}}, .threads = {kGemvGroup, 1}}));
    all.back().multiple_k = kQ4Block;
  }
  return all;
}

}  // namespace kernels::opencl
