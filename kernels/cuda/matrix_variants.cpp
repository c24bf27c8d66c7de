// SPDX-License-Identifier: MIT
// The variants of gemm_mma.cuh, gemm_turing.cuh and volta_fp16.cu: one row a type.
#include <array>

#include "kernels/cuda/modules.h"
#include "kernels/cuda/variants.h"

namespace kernels::cuda {
namespace {

constexpr std::uint32_t kTileThreads = 128;
constexpr std::uint32_t kRowBytes = 64;                             // of k, in shared memory
constexpr std::uint32_t kInstructionBytes = 32;                     // of k
constexpr std::uint32_t kChainCount = kTileThreads / 32 * 8 * 128;  // accumulators of a block

template <std::uint32_t kTile>
LaunchShape TileShape(const Problem& p, const DeviceShape&) {
  return {{p.n / kTile * (p.m / kTile), 1, 1}, {kTileThreads, 1, 1}, {p.m, p.n, p.k}};
}

// The ones of a type, as many as fill a word.
template <std::uint32_t kOnes>
LaunchShape ChainShape(const Problem& problem, const DeviceShape&) {
  return {{problem.count / kChainCount, 1, 1}, {kTileThreads, 1, 1}, {problem.k, kOnes}};
}

// Shared memory of the large and the small tiles, and the features that promise it: stages of 64-byte rows,
// padded to 96 on Volta.
struct Stages {
  std::uint32_t large_bytes;
  std::string_view large_feature;
  std::uint32_t small_bytes;
  std::string_view small_feature;
};
constexpr Stages kFour = {65536, "shared:64", 32768, "shared:32"};
constexpr Stages kTwoPadded = {49152, "shared:48", 24576, "shared:32"};
constexpr Stages kTwo = {32768, "shared:32", 16384, "shared:32"};

struct Row {
  Dtype in, acc;
  std::string_view feature;
  std::string_view prefix;  // of the names
  Stages stages;
  std::string_view module;
  std::string_view large, small, chain;  // entries; empty where there is none
  LaunchShape (*chain_shape)(const Problem&, const DeviceShape&);
  std::string_view note = {};
};
constexpr std::string_view kScaled = "block-scaled, with scales of 1";

std::array<Row, 12> Rows() {
  return {
      Row{Dtype::kFp16, Dtype::kFp32, "volta_mma", "own:volta_mma", kTwoPadded, kVoltaFp16Module,
          "volta_fp16_128", "volta_fp16_64", "chain_volta_fp16", ChainShape<0x3c003c00>},
      Row{Dtype::kFp16, Dtype::kFp32, "turing_mma", "own:turing_mma", kTwo, kTuringFp16Module,
          "turing_fp16_128", "turing_fp16_64", "chain_turing_fp16", ChainShape<0x3c003c00>},
      Row{Dtype::kFp16, Dtype::kFp16, "turing_mma", "own:turing_mma", kTwo, kTuringFp16Module,
          "turing_fp16_fp16_128", "", "", nullptr},
      Row{Dtype::kInt8, Dtype::kInt32, "turing_mma", "own:turing_mma", kTwo, kTuringInt8Module,
          "turing_int8_128", "turing_int8_64", "chain_turing_int8", ChainShape<0x01010101>},
      Row{Dtype::kFp16, Dtype::kFp32, "sm_80", "own:mma", kFour, kGemmFp16Module, "gemm_fp16_128",
          "gemm_fp16_64", "chain_fp16", ChainShape<0x3c003c00>},
      Row{Dtype::kFp16, Dtype::kFp16, "sm_80", "own:mma", kFour, kGemmFp16Module, "gemm_fp16_fp16_128", "",
          "", nullptr},
      Row{Dtype::kBf16, Dtype::kFp32, "sm_80", "own:mma", kFour, kGemmBf16Module, "gemm_bf16_128",
          "gemm_bf16_64", "chain_bf16", ChainShape<0x3f803f80>},
      Row{Dtype::kTf32, Dtype::kFp32, "sm_80", "own:mma", kFour, kGemmTf32Module, "gemm_tf32_128",
          "gemm_tf32_64", "chain_tf32", ChainShape<0x3f800000>},
      Row{Dtype::kInt8, Dtype::kInt32, "sm_80", "own:mma", kFour, kGemmInt8Module, "gemm_int8_128",
          "gemm_int8_64", "chain_int8", ChainShape<0x01010101>},
      Row{Dtype::kFp8, Dtype::kFp32, "fp8_mma", "own:mma", kFour, kGemmFp8Module, "gemm_fp8_128",
          "gemm_fp8_64", "chain_fp8", ChainShape<0x38383838>},
      Row{Dtype::kFp8, Dtype::kFp32, "scaled_mma", "own:scaled_mma", kFour, kScaledFp8Module,
          "scaled_fp8_128", "scaled_fp8_64", "chain_scaled_fp8", ChainShape<0x38383838>, kScaled},
      Row{Dtype::kFp4, Dtype::kFp32, "scaled_mma", "own:scaled_mma", kFour, kScaledFp4Module,
          "scaled_fp4_128", "scaled_fp4_64", "chain_scaled_fp4", ChainShape<0x22222222>, kScaled},
  };
}

template <std::uint32_t kTile>
Variant Gemm(const Row& row, std::string_view suffix, std::string_view entry, std::uint32_t shared_bytes,
             std::string_view shared_feature) {
  Variant variant =
      Own(std::string(row.prefix) += suffix, Kernel::kGemm, row.in, row.acc,
          {entry, row.module, {}, "", {{Role::kA}, {Role::kB}, {Role::kC}}, TileShape<kTile>, shared_bytes});
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = kRowBytes * 8 / kernels::Row(row.in).bits;
  variant.b_transposed = true;
  variant.requires_features = {std::string(row.feature), std::string(shared_feature)};
  variant.note = row.note;
  return variant;
}

Variant Chain(const Row& row) {
  Variant variant = Own(std::string(row.prefix) += "_chain", Kernel::kChain, row.in, row.acc,
                        {row.chain, row.module, {}, "", {{Role::kOut}}, row.chain_shape});
  variant.requires_features = {std::string(row.feature)};
  variant.note = row.note;
  variant.multiple_count = kChainCount;
  variant.multiple_n = kInstructionBytes * 8 / kernels::Row(row.in).bits;
  return variant;
}

}  // namespace

void AddMatrixVariants(std::vector<Variant>& all) {
  for (const Row& row : Rows()) {
    all.push_back(Gemm<128>(row, "_128x128", row.large, row.stages.large_bytes, row.stages.large_feature));
    if (!row.small.empty())
      all.push_back(Gemm<64>(row, "_64x64", row.small, row.stages.small_bytes, row.stages.small_feature));
    if (!row.chain.empty()) all.push_back(Chain(row));
  }
}

}  // namespace kernels::cuda
