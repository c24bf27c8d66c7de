// SPDX-License-Identifier: MIT
#include "kernels/cuda/variants.h"

#include <bit>

#include "kernels/cuda/modules.h"

namespace kernels::cuda {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kGemvThreads = 128;
constexpr std::uint32_t kGemvRows = 4;
constexpr std::uint32_t kChains = 16;
constexpr std::uint32_t kChainSteps = 16;
constexpr std::uint32_t kBlocksEach = 8;  // a multiprocessor: 2048 threads, the most that it holds
constexpr float kTriadFactor = 3.0F;      // kernels/spec.h

std::uint32_t Blocks(const DeviceShape& device) { return device.compute_units * kBlocksEach; }

LaunchShape FillShape(const Problem& problem, const DeviceShape& device) {
  return {{Blocks(device), 1, 1}, {kThreads, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape StreamShape(const Problem& problem, const DeviceShape& device) {
  return {{Blocks(device), 1, 1}, {kThreads, 1, 1}, {problem.count}};
}
LaunchShape TriadShape(const Problem& problem, const DeviceShape& device) {
  return {
      {Blocks(device), 1, 1}, {kThreads, 1, 1}, {problem.count, std::bit_cast<std::uint32_t>(kTriadFactor)}};
}
LaunchShape GemvShape(const Problem& problem, const DeviceShape&) {
  return {{problem.m / kGemvRows, 1, 1}, {kGemvThreads, 1, 1}, {problem.m, problem.k}};
}
LaunchShape ChainShape(const Problem& problem, const DeviceShape&) {
  return {{problem.count / (kThreads * kChains), 1, 1},
          {kThreads, 1, 1},
          {problem.k, std::bit_cast<std::uint32_t>(1.0F)}};
}
std::uint64_t StreamPartials(const Problem&, const DeviceShape& device) { return Blocks(device) * 4ULL; }

template <std::uint32_t kTile>
LaunchShape GemmShape(const Problem& p, const DeviceShape&) {
  return {{p.n / kTile, p.m / kTile, 1}, {kThreads, 1, 1}, {p.m, p.n, p.k}};
}

Variant Fill(Dtype dtype, std::string_view entry) {
  return Own("own:fill", Kernel::kFill, dtype, dtype,
             {entry, kStreamModule, {}, "", {{Role::kOut}}, FillShape});
}

void AddStreams(std::vector<Variant>& all) {
  Variant read = Own("own:coalesced", Kernel::kRead, Dtype::kU32, Dtype::kU32,
                     {"read_u32", kStreamModule, {}, "", {{Role::kIn}, {Role::kPartials}}, StreamShape});
  read.partials_bytes = StreamPartials;
  Variant copy = Own("own:coalesced", Kernel::kCopy, Dtype::kU32, Dtype::kU32,
                     {"copy_u32", kStreamModule, {}, "", {{Role::kIn}, {Role::kOut}}, StreamShape});
  Variant triad =
      Own("own:coalesced", Kernel::kTriad, Dtype::kFp32, Dtype::kFp32,
          {"triad_fp32", kStreamModule, {}, "", {{Role::kA}, {Role::kB}, {Role::kOut}}, TriadShape});
  for (Variant* variant : {&read, &copy, &triad}) {
    variant->multiple_count = 4;
    all.push_back(std::move(*variant));
  }
}

Variant Gemv(Dtype dtype, std::string_view entry) {
  Variant variant = Own("own:rows_a_block", Kernel::kGemv, dtype, Dtype::kFp32,
                        {entry, kGemvModule, {}, "", {{Role::kW}, {Role::kX}, {Role::kY}}, GemvShape});
  variant.multiple_m = kGemvRows;
  variant.multiple_k = 32;
  return variant;
}

template <std::uint32_t kTile>
Variant Gemm(std::string name, std::string_view entry) {
  constexpr std::uint32_t kDepth = 16;
  Variant variant =
      Own(std::move(name), Kernel::kGemm, Dtype::kFp32, Dtype::kFp32,
          {entry, kGemmSimtModule, {}, "", {{Role::kA}, {Role::kB}, {Role::kC}}, GemmShape<kTile>});
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = kDepth;
  return variant;
}

Variant Chain() {
  Variant variant = Own("own:chain", Kernel::kChain, Dtype::kFp32, Dtype::kFp32,
                        {"chain_fp32", kStreamModule, {}, "", {{Role::kOut}}, ChainShape});
  variant.multiple_count = kThreads * kChains;
  variant.multiple_k = kChainSteps;
  return variant;
}

}  // namespace

Variant Own(std::string name, Kernel kernel, Dtype in, Dtype acc, Step step) {
  Variant variant;
  variant.name = std::move(name);
  variant.kernel = kernel;
  variant.in = in;
  variant.acc = acc;
  variant.steps = {std::move(step)};
  return variant;
}

std::vector<Variant> Variants() {
  std::vector<Variant> all = {
      Fill(Dtype::kFp32, "fill_fp32"), Fill(Dtype::kU32, "fill_u32"),   Fill(Dtype::kTf32, "fill_tf32"),
      Fill(Dtype::kFp16, "fill_fp16"), Fill(Dtype::kBf16, "fill_bf16"), Fill(Dtype::kInt8, "fill_int8"),
      Fill(Dtype::kFp8, "fill_fp8"),   Fill(Dtype::kQ4, "fill_q4"),     Fill(Dtype::kFp4, "fill_fp4")};
  all.back().multiple_count = 8;  // a word
  AddStreams(all);
  all.push_back(Gemm<128>("own:tile_128x128", "gemm_fp32_128"));
  all.push_back(Gemm<64>("own:tile_64x64", "gemm_fp32_64"));
  AddMatrixVariants(all);
  AddWarpgroupVariants(all);
  all.push_back(Chain());
  all.push_back(Gemv(Dtype::kFp32, "gemv_fp32"));
  all.push_back(Gemv(Dtype::kFp16, "gemv_fp16"));
  all.push_back(Gemv(Dtype::kQ4, "gemv_q4"));
  return all;
}

}  // namespace kernels::cuda
