// SPDX-License-Identifier: MIT
#include "kernels/simt/variants.h"

namespace kernels::simt {
namespace {

// As stream.cu, gemm_simt.cu and gemv.cu have them.
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kChainCount = kThreads * 16;  // accumulators of a block
constexpr std::uint32_t kChainSteps = 16;
constexpr std::uint32_t kBlocksEach = 8;    // a multiprocessor: 2048 threads, the most that it holds
constexpr std::uint32_t kVectorBits = 128;  // that a thread reads at once

struct Pair {
  Kernel kernel;
  Dtype in;
  std::string_view entry;
};
constexpr Pair kFills[] = {
    {Kernel::kFill, Dtype::kFp32, "fill_fp32"}, {Kernel::kFill, Dtype::kU32, "fill_u32"},
    {Kernel::kFill, Dtype::kTf32, "fill_tf32"}, {Kernel::kFill, Dtype::kFp16, "fill_fp16"},
    {Kernel::kFill, Dtype::kBf16, "fill_bf16"}, {Kernel::kFill, Dtype::kInt8, "fill_int8"},
    {Kernel::kFill, Dtype::kFp8, "fill_fp8"},   {Kernel::kFill, Dtype::kQ4, "fill_q4"},
    {Kernel::kFill, Dtype::kFp4, "fill_fp4"},
};
constexpr Pair kRead = {Kernel::kRead, Dtype::kU32, "read_u32"};
constexpr Pair kWriters[] = {
    {Kernel::kCopy, Dtype::kU32, "copy_u32"},
    {Kernel::kTriad, Dtype::kFp32, "triad_fp32"},
};
struct GemvRow {
  Dtype in;
  std::string_view entry;
  std::uint32_t rows, threads;  // of a block
};
constexpr GemvRow kGemvs[] = {
    {Dtype::kFp32, "gemv_fp32", 4, 128},
    {Dtype::kFp16, "gemv_fp16", 4, 128},
    {Dtype::kQ4, "gemv_q4", 8, 64},
};

// Blocks that stay and stride over the whole.
Variant Stream(const Pair& pair, std::string name, std::string_view source) {
  return Own(std::move(name), pair.kernel, pair.in, pair.in,
             {.entry = pair.entry,
              .source = source,
              .geometry = {.groups_a_unit = kBlocksEach, .threads = {kThreads, 1}, .partials_a_group = 1}});
}

// A thread for each vector.
Variant Writer(const Pair& pair, std::string_view source) {
  const std::uint32_t vector = kVectorBits / Row(pair.in).bits;
  Variant variant =
      Own("own:coalesced", pair.kernel, pair.in, pair.in,
          {.entry = pair.entry,
           .source = source,
           .geometry = {.tiles = {{{Number::kCount, kThreads * vector}}}, .threads = {kThreads, 1}}});
  variant.multiple_count = vector;
  return variant;
}

Variant Gemm(std::uint32_t tile, std::string name, std::string_view entry, std::string_view source) {
  constexpr std::uint32_t kDepth = 16;
  Variant variant =
      Own(std::move(name), Kernel::kGemm, Dtype::kFp32, Dtype::kFp32,
          {.entry = entry,
           .source = source,
           .geometry = {.tiles = {{{Number::kN, tile}, {Number::kM, tile}}}, .threads = {kThreads, 1}}});
  variant.family = "own:tile";
  variant.multiple_m = variant.multiple_n = tile;
  variant.multiple_k = kDepth;
  return variant;
}

Variant Chain(std::string_view source) {
  Variant variant = Own("own:chain", Kernel::kChain, Dtype::kFp32, Dtype::kFp32,
                        {.entry = "chain_fp32",
                         .source = source,
                         .geometry = {.tiles = {{{Number::kCount, kChainCount}}}, .threads = {kThreads, 1}}});
  variant.multiple_count = kChainCount;
  variant.multiple_k = kChainSteps;
  return variant;
}

Variant Gemv(const GemvRow& row, std::string_view source) {
  Variant variant = Own("own:rows_a_block", Kernel::kGemv, row.in, Dtype::kFp32,
                        {.entry = row.entry,
                         .source = source,
                         .geometry = {.tiles = {{{Number::kM, row.rows}}}, .threads = {row.threads, 1}}});
  variant.multiple_m = row.rows;
  variant.multiple_k = 32;
  return variant;
}

}  // namespace

std::vector<Variant> Variants(const Modules& modules) {
  std::vector<Variant> all;
  for (const Pair& pair : kFills) all.push_back(Stream(pair, "own:fill", modules.stream));
  all.back().multiple_count = 8;  // a word
  all.push_back(Stream(kRead, "own:coalesced", modules.stream));
  all.back().multiple_count = kVectorBits / Row(kRead.in).bits;
  for (const Pair& pair : kWriters) all.push_back(Writer(pair, modules.stream));
  all.push_back(Gemm(128, "own:tile_128x128", "gemm_fp32_128", modules.gemm_simt));
  all.push_back(Gemm(64, "own:tile_64x64", "gemm_fp32_64", modules.gemm_simt));
  all.push_back(Chain(modules.stream));
  for (const GemvRow& row : kGemvs) all.push_back(Gemv(row, modules.gemv));
  return all;
}

}  // namespace kernels::simt
