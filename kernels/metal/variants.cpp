// SPDX-License-Identifier: MIT
#include "kernels/metal/variants.h"

#include <string>
#include <utility>

#include "kernels/metal/modules.h"
#include "kernels/operand.h"

namespace kernels::metal {
namespace {

// As the sources have them.
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kGroupsEach = 8;  // a compute unit, to hide latency
constexpr std::uint32_t kVectorBits = 128;
constexpr std::uint32_t kChains = 16, kChainSteps = 16;
constexpr std::uint32_t kSimdgroupThreads = 128;                       // four simdgroups
constexpr std::uint32_t kMatrixDepth = 8, kMatrixChains = 4 * 8 * 64;  // accumulators of a group
constexpr std::uint32_t kDepth = 16;                                   // of k, in a group's memory
constexpr std::uint32_t kTileBytes = (kDepth * (64 + 4) + kDepth * 64) * 4;

struct EntryRow {
  Kernel kernel;
  Dtype in;
  std::string_view entry;
};
constexpr EntryRow kFills[] = {
    {Kernel::kFill, Dtype::kFp32, "fill_fp32"}, {Kernel::kFill, Dtype::kU32, "fill_u32"},
    {Kernel::kFill, Dtype::kFp16, "fill_fp16"}, {Kernel::kFill, Dtype::kBf16, "fill_bf16"},
    {Kernel::kFill, Dtype::kQ4, "fill_q4"},
};
constexpr EntryRow kStreams[] = {
    {Kernel::kRead, Dtype::kU32, "read_u32"},
    {Kernel::kCopy, Dtype::kU32, "copy_u32"},
    {Kernel::kTriad, Dtype::kFp32, "triad_fp32"},
};
struct MatrixRow {
  Dtype in;
  std::string_view large, small, chain;  // entries
};
constexpr MatrixRow kMatrices[] = {
    {Dtype::kFp32, "simdgroup_fp32_64", "simdgroup_fp32_32", "chain_simdgroup_fp32"},
    {Dtype::kFp16, "simdgroup_fp16_64", "simdgroup_fp16_32", "chain_simdgroup_fp16"},
    {Dtype::kBf16, "simdgroup_bf16_64", "simdgroup_bf16_32", "chain_simdgroup_bf16"},
};
struct GemvRow {
  Dtype in;
  std::string_view entry;
  std::uint32_t rows;  // of a group
};
constexpr GemvRow kGemvs[] = {
    {Dtype::kFp32, "gemv_fp32", 4}, {Dtype::kFp16, "gemv_fp16", 4}, {Dtype::kQ4, "gemv_q4", 8}};

Variant Spread(std::string name, const EntryRow& row, std::string_view source) {
  return Own(std::move(name), row.kernel, row.in, row.in,
             {.entry = row.entry,
              .source = source,
              .geometry = {.groups_a_unit = kGroupsEach, .threads = {kThreads, 1}, .partials_a_group = 1},
              .shared_bytes =
                  row.kernel == Kernel::kRead ? static_cast<std::uint32_t>(kThreads * sizeof(float)) : 0});
}

Variant Gemm(std::string name, std::string family, Dtype in, std::uint32_t tile, std::uint32_t threads,
             Step step) {
  step.geometry = {.tiles = {{{Number::kN, tile}, {Number::kM, tile}}}, .threads = {threads, 1}};
  Variant variant = Own(std::move(name), Kernel::kGemm, in, Dtype::kFp32, std::move(step));
  variant.family = std::move(family);
  variant.multiple_m = variant.multiple_n = tile;
  variant.multiple_k = kDepth;
  return variant;
}

Variant Tile() {
  return Gemm("own:tile_64x64", "own:tile", Dtype::kFp32, 64, kThreads,
              {.entry = "gemm_fp32_64", .source = kGemmTileModule, .shared_bytes = kTileBytes});
}

std::vector<std::string> Needs(Dtype in) {
  std::vector<std::string> features = {std::string(kSimdgroups), std::string(kMatrix)};
  if (in == Dtype::kBf16) features.emplace_back(kBfloat);
  return features;
}

// Rows of both tiles are 16 bytes longer than they are deep or wide.
Variant BySimdgroups(Dtype in, std::uint32_t tile, std::string_view entry) {
  const std::string edge = std::to_string(tile);
  const std::uint32_t element_bytes = Row(in).bits / 8;
  Variant variant =
      Gemm("own:simdgroup_" + edge + "x" + edge, "own:simdgroup", in, tile, kSimdgroupThreads,
           {.entry = entry,
            .source = kGemmSimdgroupModule,
            .shared_bytes = tile * (kDepth * element_bytes + 16) + kDepth * (tile * element_bytes + 16)});
  variant.requires_features = Needs(in);
  return variant;
}

Variant MatrixChain(const MatrixRow& row) {
  Variant variant =
      Own("own:simdgroup_chain", Kernel::kChain, row.in, Dtype::kFp32,
          {.entry = row.chain,
           .source = kChainSimdgroupModule,
           .geometry = {.tiles = {{{Number::kCount, kMatrixChains}}}, .threads = {kSimdgroupThreads, 1}}});
  variant.multiple_count = kMatrixChains;
  variant.multiple_n = kMatrixDepth;
  variant.requires_features = Needs(row.in);
  return variant;
}

// Of single products; it stands beside chains of matrix instructions, whose steps are n deep: as many steps
// more.
Variant Chain() {
  constexpr std::uint32_t kCount = kThreads * kChains;
  Variant variant = Own("own:chain", Kernel::kChain, Dtype::kFp32, Dtype::kFp32,
                        {.entry = "chain_fp32",
                         .source = kStreamModule,
                         .geometry = {.tiles = {{{Number::kCount, kCount}}}, .threads = {kThreads, 1}}});
  variant.multiple_count = kCount;
  variant.multiple_k = kChainSteps;
  variant.steps[0].scalars[0] = {Number::kProducts};
  return variant;
}

Variant Gemv(const GemvRow& row) {
  Variant variant =
      Own("own:rows_a_simdgroup", Kernel::kGemv, row.in, Dtype::kFp32,
          {.entry = row.entry,
           .source = kGemvModule,
           .geometry = {.tiles = {{{Number::kM, row.rows}}}, .threads = {kSimdgroupThreads, 1}}});
  variant.multiple_m = row.rows;
  variant.multiple_k = kQ4Block;
  variant.requires_features = {std::string(kSimdgroups)};
  return variant;
}

}  // namespace

std::vector<Variant> Variants() {
  std::vector<Variant> all;
  for (const EntryRow& row : kFills) all.push_back(Spread("own:fill", row, kFillModule));
  for (const EntryRow& row : kStreams) {
    all.push_back(Spread("own:coalesced", row, kStreamModule));
    all.back().multiple_count = kVectorBits / Row(row.in).bits;
  }
  all.push_back(Tile());
  for (const MatrixRow& row : kMatrices) {
    all.push_back(BySimdgroups(row.in, 64, row.large));
    all.push_back(BySimdgroups(row.in, 32, row.small));
  }
  for (const MatrixRow& row : kMatrices) all.push_back(MatrixChain(row));
  all.push_back(Chain());
  for (const GemvRow& row : kGemvs) all.push_back(Gemv(row));
  return all;
}

}  // namespace kernels::metal
