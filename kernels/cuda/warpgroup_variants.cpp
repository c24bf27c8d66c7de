// SPDX-License-Identifier: MIT
// The variants of gemm_wgmma.cuh: one row a type, for Hopper alone.
#include <array>

#include "kernels/cuda/modules.h"
#include "kernels/cuda/variants.h"

namespace kernels::cuda {
namespace {

constexpr std::uint32_t kWarpgroup = 128;                    // threads
constexpr std::uint32_t kWarpgroupRows = 64;                 // of C
constexpr std::uint32_t kRowBytes = 128;                     // of k, in shared memory
constexpr std::uint32_t kInstructionBytes = 32;              // of k
constexpr std::uint32_t kChainCount = kWarpgroupRows * 128;  // accumulators of a block
constexpr std::uint32_t kChainSteps = 8;
constexpr std::uint32_t kBlockRows = 128;

template <std::uint32_t kColumns>
LaunchShape TileShape(const Problem& p, const DeviceShape&) {
  return {{p.n / kColumns * (p.m / kBlockRows), 1, 1},
          {kBlockRows / kWarpgroupRows * kWarpgroup, 1, 1},
          {p.m, p.n, p.k}};
}

// The ones of a type, as many as fill a word.
template <std::uint32_t kOnes>
LaunchShape ChainShape(const Problem& problem, const DeviceShape&) {
  return {{problem.count / kChainCount, 1, 1}, {kWarpgroup, 1, 1}, {problem.k, kOnes}};
}

struct Row {
  Dtype in, acc;
  std::string_view module;
  std::string_view large, small, chain;  // entries
  LaunchShape (*chain_shape)(const Problem&, const DeviceShape&);
};
std::array<Row, 5> Rows() {
  return {
      Row{Dtype::kFp16, Dtype::kFp32, kWgmmaFp16Module, "wgmma_fp16_256", "wgmma_fp16_128",
          "chain_wgmma_fp16", ChainShape<0x3c003c00>},
      Row{Dtype::kBf16, Dtype::kFp32, kWgmmaBf16Module, "wgmma_bf16_256", "wgmma_bf16_128",
          "chain_wgmma_bf16", ChainShape<0x3f803f80>},
      Row{Dtype::kTf32, Dtype::kFp32, kWgmmaTf32Module, "wgmma_tf32_256", "wgmma_tf32_128",
          "chain_wgmma_tf32", ChainShape<0x3f800000>},
      Row{Dtype::kInt8, Dtype::kInt32, kWgmmaInt8Module, "wgmma_int8_256", "wgmma_int8_128",
          "chain_wgmma_int8", ChainShape<0x01010101>},
      Row{Dtype::kFp8, Dtype::kFp32, kWgmmaFp8Module, "wgmma_fp8_256", "wgmma_fp8_128", "chain_wgmma_fp8",
          ChainShape<0x38383838>},
  };
}

template <std::uint32_t kColumns>
Variant Gemm(const Row& row, std::string name, std::string_view entry, std::uint32_t shared_bytes,
             std::string_view shared_feature) {
  Variant variant = Own(
      std::move(name), Kernel::kGemm, row.in, row.acc,
      {entry, row.module, {}, "", {{Role::kA}, {Role::kB}, {Role::kC}}, TileShape<kColumns>, shared_bytes});
  variant.multiple_m = kBlockRows;
  variant.multiple_n = kColumns;
  variant.multiple_k = kRowBytes * 8 / kernels::Row(row.in).bits;
  variant.b_transposed = true;
  variant.requires_features = {"sm_90a", std::string(shared_feature)};
  return variant;
}

Variant Chain(const Row& row) {
  Variant variant = Own("own:wgmma_chain", Kernel::kChain, row.in, row.acc,
                        {row.chain, row.module, {}, "", {{Role::kOut}}, row.chain_shape, 24576});
  variant.requires_features = {"sm_90a", "shared:32"};
  variant.multiple_count = kChainCount;
  variant.multiple_n = kInstructionBytes * 8 / kernels::Row(row.in).bits;
  variant.multiple_k = kChainSteps;
  return variant;
}

}  // namespace

// Shared memory: stages of (rows + columns) * kRowBytes.
void AddWarpgroupVariants(std::vector<Variant>& all) {
  for (const Row& row : Rows()) {
    all.push_back(Gemm<256>(row, "own:wgmma_128x256", row.large, 196608, "shared:192"));
    all.push_back(Gemm<128>(row, "own:wgmma_128x128", row.small, 163840, "shared:160"));
    all.push_back(Chain(row));
  }
}

}  // namespace kernels::cuda
