// SPDX-License-Identifier: MIT
// The products and chains by matrix units, one row a type: of gemm_mma.cu, gemm_turing.cu and volta_fp16.cu
// by warps, of gemm_wgmma.cu and gemm_tma.cu by Hopper's warpgroups, of gemm_umma.cu in tensor memory; the
// numbers are theirs.
#include "kernels/cuda/variants.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/cuda/modules.h"
#include "kernels/simt/variants.h"

namespace kernels::cuda {
namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kRowBytes = 64;                         // of k, in shared memory
constexpr std::uint32_t kInstructionBytes = 32;                 // of k
constexpr std::uint32_t kChainCount = kThreads / 32 * 8 * 128;  // accumulators of a block

// Shared memory of the large and the small tiles, and the features that promise it: stages of 64-byte rows,
// padded to 96 on Volta.
struct Stages {
  std::uint32_t large_bytes;
  std::string_view large_feature;
  std::uint32_t small_bytes;
  std::string_view small_feature;
};
constexpr Stages kMany = {49152, "shared:48", 32768, "shared:32"};
constexpr Stages kTwoPadded = {49152, "shared:48", 24576, "shared:32"};
constexpr Stages kTwo = {32768, "shared:32", 16384, "shared:32"};

struct WarpRow {
  Dtype in, acc;
  std::string_view feature;
  std::string_view prefix;  // of the names
  Stages stages;
  std::string_view module;
  std::string_view large, small, chain;  // entries; empty where there is none
  std::string_view note = {};
  std::string_view older_module = {};
};
constexpr std::string_view kScaled = "block-scaled, with scales of 1";

std::array<WarpRow, 12> WarpRows() {
  using enum Dtype;
  return {
      WarpRow{kFp16, kFp32, "volta_mma", "own:volta_mma", kTwoPadded, kVoltaFp16Module, "volta_fp16_128",
              "volta_fp16_64", "chain_volta_fp16"},
      WarpRow{kFp16, kFp32, "turing_mma", "own:turing_mma", kTwo, kTuringFp16Module, "turing_fp16_128",
              "turing_fp16_64", "chain_turing_fp16"},
      WarpRow{kFp16, kFp16, "turing_mma", "own:turing_mma", kTwo, kTuringFp16Module, "turing_fp16_fp16_128",
              "", ""},
      WarpRow{kInt8, kInt32, "turing_mma", "own:turing_mma", kTwo, kTuringInt8Module, "turing_int8_128",
              "turing_int8_64", "chain_turing_int8"},
      WarpRow{kFp16, kFp32, "sm_80", "own:mma", kMany, kGemmFp16Module, "gemm_fp16_128", "gemm_fp16_64",
              "chain_fp16"},
      WarpRow{kFp16, kFp16, "sm_80", "own:mma", kMany, kGemmFp16Module, "gemm_fp16_fp16_128", "", ""},
      WarpRow{kBf16, kFp32, "sm_80", "own:mma", kMany, kGemmBf16Module, "gemm_bf16_128", "gemm_bf16_64",
              "chain_bf16"},
      WarpRow{kTf32, kFp32, "sm_80", "own:mma", kMany, kGemmTf32Module, "gemm_tf32_128", "gemm_tf32_64",
              "chain_tf32"},
      WarpRow{kInt8, kInt32, "sm_80", "own:mma", kMany, kGemmInt8Module, "gemm_int8_128", "gemm_int8_64",
              "chain_int8"},
      WarpRow{kFp8, kFp32, "fp8_mma", "own:mma", kMany, kGemmFp8Module, "gemm_fp8_128", "gemm_fp8_64",
              "chain_fp8"},
      WarpRow{kFp8, kFp32, "scaled_mma", "own:scaled_mma", kMany, kScaledFp8Module, "scaled_fp8_128",
              "scaled_fp8_64", "chain_scaled_fp8", kScaled, kScaledFp8120aModule},
      WarpRow{kFp4, kFp32, "scaled_mma", "own:scaled_mma", kMany, kScaledFp4Module, "scaled_fp4_128",
              "scaled_fp4_64", "chain_scaled_fp4", kScaled, kScaledFp4120aModule},
  };
}

// A product, called by its family and size, whose blocks of `rows` x `columns` of C run in one row; a stage
// holds `row_bytes` of k.
struct Tile {
  std::uint32_t rows, columns, threads, row_bytes;
};
Variant Gemm(std::string family, std::string_view size, Dtype in, Dtype acc, const Tile& tile, Step step) {
  step.geometry = {.tiles = {{{Number::kN, tile.columns}, {Number::kM, tile.rows}}},
                   .in_a_row = true,
                   .threads = {tile.threads, 1}};
  Variant variant = Own(std::string(family).append(size), Kernel::kGemm, in, acc, std::move(step));
  variant.family = std::move(family);
  variant.multiple_m = tile.rows;
  variant.multiple_n = tile.columns;
  variant.multiple_k = tile.row_bytes * 8 / Row(in).bits;
  variant.b_transposed = true;
  return variant;
}

// So many accumulators and threads a block, and as many products a step as an instruction's k holds.
Variant Chain(std::string name, Dtype in, Dtype acc, std::uint32_t count, Step step,
              std::uint32_t threads = kThreads) {
  step.geometry = {.tiles = {{{Number::kCount, count}}}, .threads = {threads, 1}};
  Variant variant = Own(std::move(name), Kernel::kChain, in, acc, std::move(step));
  variant.multiple_count = count;
  variant.multiple_n = kInstructionBytes * 8 / Row(in).bits;
  return variant;
}

std::vector<Variant> ByWarps() {
  std::vector<Variant> all;
  for (const WarpRow& row : WarpRows()) {
    const std::string prefix(row.prefix), feature(row.feature);
    const auto add = [&](Variant variant, std::vector<std::string> features) {
      variant.requires_features = std::move(features);
      variant.note = row.note;
      all.push_back(std::move(variant));
    };
    const auto add_gemm = [&](std::uint32_t tile, std::string_view entry, std::uint32_t shared_bytes,
                              std::string_view shared_feature) {
      const std::string edge = std::to_string(tile);
      add(Gemm(prefix, "_" + edge + "x" + edge, row.in, row.acc, {tile, tile, kThreads, kRowBytes},
               {.entry = entry,
                .source = row.module,
                .older_source = row.older_module,
                .shared_bytes = shared_bytes}),
          {feature, std::string(shared_feature)});
    };
    add_gemm(128, row.large, row.stages.large_bytes, row.stages.large_feature);
    if (!row.small.empty()) add_gemm(64, row.small, row.stages.small_bytes, row.stages.small_feature);
    if (row.chain.empty()) continue;
    add(Chain(prefix + "_chain", row.in, row.acc, kChainCount,
              {.entry = row.chain, .source = row.module, .older_source = row.older_module}),
        {feature});
  }
  return all;
}

struct WarpgroupRow {
  Dtype in, acc;
  std::string_view module;
  std::string_view large, small, chain;  // entries
  std::string_view copied_module, copied_large, copied_small;
};
std::array<WarpgroupRow, 5> WarpgroupRows() {
  using enum Dtype;
  return {
      WarpgroupRow{kFp16, kFp32, kWgmmaFp16Module, "wgmma_fp16_256", "wgmma_fp16_128", "chain_wgmma_fp16",
                   kTmaFp16Module, "tma_fp16_256", "tma_fp16_128"},
      WarpgroupRow{kBf16, kFp32, kWgmmaBf16Module, "wgmma_bf16_256", "wgmma_bf16_128", "chain_wgmma_bf16",
                   kTmaBf16Module, "tma_bf16_256", "tma_bf16_128"},
      WarpgroupRow{kTf32, kFp32, kWgmmaTf32Module, "wgmma_tf32_256", "wgmma_tf32_128", "chain_wgmma_tf32",
                   kTmaTf32Module, "tma_tf32_256", "tma_tf32_128"},
      WarpgroupRow{kInt8, kInt32, kWgmmaInt8Module, "wgmma_int8_256", "wgmma_int8_128", "chain_wgmma_int8",
                   kTmaInt8Module, "tma_int8_256", "tma_int8_128"},
      WarpgroupRow{kFp8, kFp32, kWgmmaFp8Module, "wgmma_fp8_256", "wgmma_fp8_128", "chain_wgmma_fp8",
                   kTmaFp8Module, "tma_fp8_256", "tma_fp8_128"},
  };
}

// By pairs of blocks that stay: of B each has half of the columns copied for both.
Variant CopiedGemm(const WarpgroupRow& row, std::uint32_t columns, std::string_view entry) {
  constexpr std::uint32_t kThreeWarpgroups = 384, kPairRows = 256, kRowsCopied = 128, kBarriersBytes = 128;
  Variant variant =
      Gemm("own:wgmma_tma", "_128x" + std::to_string(columns), row.in, row.acc,
           {kPairRows, columns, kThreeWarpgroups, 128},
           {.entry = entry, .source = row.copied_module, .shared_bytes = 196608 + kBarriersBytes});
  Step& step = variant.steps.front();
  step.bindings = {
      {Role::kA, View::kStorage, kRowsCopied}, {Role::kB, View::kStorage, columns / 2}, {Role::kC}};
  step.geometry.groups_a_cluster = 2;
  step.geometry.groups_a_unit = 1;
  step.geometry.tiles[1].each = kRowsCopied;
  return variant;
}

// Shared memory: stages of rows and columns, the chain's a single one.
std::vector<Variant> ByWarpgroups() {
  constexpr std::uint32_t kTwoWarpgroups = 256, kStageRowBytes = 128;
  constexpr std::uint32_t kAccumulators = 64 * 128;  // of a warpgroup's chain
  constexpr std::uint32_t kChainSteps = 8;
  std::vector<Variant> all;
  for (const WarpgroupRow& row : WarpgroupRows()) {
    const auto add = [&](Variant variant, std::string shared_feature) {
      variant.requires_features = {"sm_90a", std::move(shared_feature)};
      all.push_back(std::move(variant));
    };
    add(Gemm("own:wgmma", "_128x256", row.in, row.acc, {128, 256, kTwoWarpgroups, kStageRowBytes},
             {.entry = row.large, .source = row.module, .shared_bytes = 4 * (128 + 256) * kStageRowBytes}),
        "shared:192");
    add(Gemm("own:wgmma", "_128x128", row.in, row.acc, {128, 128, kTwoWarpgroups, kStageRowBytes},
             {.entry = row.small, .source = row.module, .shared_bytes = 5 * (128 + 128) * kStageRowBytes}),
        "shared:160");
    for (const auto& [columns, entry] :
         {std::pair(256U, row.copied_large), std::pair(128U, row.copied_small)}) {
      add(CopiedGemm(row, columns, entry), "shared:224");
      all.back().requires_features.emplace_back("tensor_maps");
    }
    add(Chain("own:wgmma_chain", row.in, row.acc, kAccumulators,
              {.entry = row.chain, .source = row.module, .shared_bytes = (64 + 128) * kStageRowBytes}),
        "shared:32");
    all.back().multiple_k = kChainSteps;
  }
  return all;
}

struct TensorRow {
  Dtype in, acc;
  std::string_view pair, large, small, chain;  // entries
  std::string_view feature, module;            // of the data centre's chips
  std::string_view thor_module;
  std::string_view older_module = {};
};
std::array<TensorRow, 5> TensorRows() {
  using enum Dtype;
  return {
      TensorRow{kFp16, kFp32, "umma_fp16_pair", "umma_fp16_256", "umma_fp16_128", "chain_umma_fp16",
                "sm_100f", kUmmaFp16Module, kUmmaFp16ThorModule, kUmmaFp16100aModule},
      TensorRow{kBf16, kFp32, "umma_bf16_pair", "umma_bf16_256", "umma_bf16_128", "chain_umma_bf16",
                "sm_100f", kUmmaBf16Module, kUmmaBf16ThorModule, kUmmaBf16100aModule},
      TensorRow{kTf32, kFp32, "umma_tf32_pair", "umma_tf32_256", "umma_tf32_128", "chain_umma_tf32",
                "sm_100f", kUmmaTf32Module, kUmmaTf32ThorModule, kUmmaTf32100aModule},
      TensorRow{kInt8, kInt32, "umma_int8_pair", "umma_int8_256", "umma_int8_128", "chain_umma_int8",
                "sm_100a", kUmmaInt8Module, kUmmaInt8ThorModule},
      TensorRow{kFp8, kFp32, "umma_fp8_pair", "umma_fp8_256", "umma_fp8_128", "chain_umma_fp8", "sm_100f",
                kUmmaFp8Module, kUmmaFp8ThorModule, kUmmaFp8100aModule},
  };
}

// Stages of rows and columns, then barriers and the place of tensor memory's address. Of a pair of blocks
// each has its rows copied and half of the columns.
constexpr std::uint32_t kTensorRows = 128, kBarriersBytes = 256;
struct TensorShape {
  std::string_view family, size;
  std::uint32_t blocks, columns;
};
constexpr TensorShape kPair = {"own:umma_pair", "_256x256", 2, 256},
                      kLarge = {"own:umma", "_128x256", 1, 256}, kSmall = {"own:umma", "_128x128", 1, 128};
Variant TensorGemm(const TensorRow& row, Step code, const TensorShape& shape) {
  constexpr std::uint32_t kSixWarps = 192, kStagesBytes = 196608;
  code.shared_bytes = kStagesBytes + kBarriersBytes;
  Variant variant = Gemm(std::string(shape.family), shape.size, row.in, row.acc,
                         {shape.blocks * kTensorRows, shape.columns, kSixWarps, 128}, std::move(code));
  Step& step = variant.steps.front();
  step.bindings = {{Role::kA, View::kStorage, kTensorRows},
                   {Role::kB, View::kStorage, shape.columns / shape.blocks},
                   {Role::kC}};
  step.geometry.groups_a_cluster = shape.blocks;
  step.geometry.groups_a_unit = 1;
  step.geometry.tiles[1].each = kTensorRows;
  return variant;
}

std::vector<Variant> InTensorMemory(Family family) {
  constexpr std::uint32_t kColumns = 256, kNineWarps = 288;  // of a chain
  const bool thor = family == Family::kThor;
  std::vector<Variant> all;
  for (const TensorRow& row : TensorRows()) {
    const auto code = [&](std::string_view entry) {
      return thor ? Step{.entry = entry, .source = row.thor_module}
                  : Step{.entry = entry, .source = row.module, .older_source = row.older_module};
    };
    const auto add = [&](Variant variant, std::vector<std::string> more) {
      variant.requires_features = std::move(more);
      variant.requires_features.emplace_back(thor ? "sm_110a" : row.feature);
      all.push_back(std::move(variant));
    };
    for (const auto& [shape, entry] :
         {std::pair(kPair, row.pair), std::pair(kLarge, row.large), std::pair(kSmall, row.small)}) {
      add(TensorGemm(row, code(entry), shape), {"tensor_maps", "shared:224"});
    }
    Step chain = code(row.chain);
    chain.shared_bytes = (kTensorRows + kColumns) * 128 + kBarriersBytes;
    add(Chain("own:umma_chain", row.in, row.acc, kTensorRows * kColumns, std::move(chain), kNineWarps),
        {"shared:64"});
  }
  return all;
}

}  // namespace

std::vector<Variant> Variants(Family family) {
  auto all = simt::Variants({.stream = kStreamModule, .gemm_simt = kGemmSimtModule, .gemv = kGemvModule});
  for (const auto& some : {ByWarps(), ByWarpgroups(), InTensorMemory(family)}) {
    const auto chain = std::find_if(all.begin(), all.end(), [](const Variant& variant) {
      return variant.kernel == Kernel::kChain && variant.in == Dtype::kFp32;
    });
    all.insert(chain, some.begin(), some.end());
  }
  return all;
}

}  // namespace kernels::cuda
