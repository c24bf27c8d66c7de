// SPDX-License-Identifier: MIT
// For drivers that run on the host processor, with vectors of eight invocations.
#include <algorithm>
#include <bit>

#include "kernels/glsl/variants.h"

namespace kernels::glsl {
namespace {

constexpr std::uint32_t kLanes = 8;
// More work-groups than threads, so that one that is late holds up little.
constexpr std::uint32_t kSharesEach = 8;
constexpr std::uint32_t kChains = 12;
constexpr std::uint32_t kGemvRows = 8;
constexpr std::uint32_t kTileRows = 16;
constexpr std::uint32_t kTileColumns = 4 * 4 * kLanes;  // COLUMNS of gemm_texel.comp times a texel's four

std::uint32_t Shares(const DeviceShape& device) { return device.compute_units * kSharesEach; }

// llvmpipe ends every loop after 65535 turns (Mesa, lp_bld_limits.h, LP_MAX_TGSI_LOOP_ITERATIONS).
std::uint32_t StreamGroups(const Problem& problem, const DeviceShape& device) {
  constexpr std::uint32_t kMaxTurns = 32768;
  return std::max(Shares(device), problem.count / 4 / (kLanes * kMaxTurns) + 1);
}
LaunchShape FillShape(const Problem& problem, const DeviceShape& device) {
  return {{StreamGroups(problem, device), 1, 1}, {kLanes, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape StreamShape(const Problem& problem, const DeviceShape& device) {
  return {{StreamGroups(problem, device), 1, 1}, {kLanes, 1, 1}, {problem.count}};
}
LaunchShape TriadShape(const Problem& problem, const DeviceShape& device) {
  return {{StreamGroups(problem, device), 1, 1},
          {kLanes, 1, 1},
          {problem.count, std::bit_cast<std::uint32_t>(kTriadFactor)}};
}
LaunchShape ChainShape(const Problem& problem, const DeviceShape&) {
  return {{problem.count / (kLanes * kChains), 1, 1}, {kLanes, 1, 1}, ChainScalars(problem)};
}
LaunchShape GemvShape(const Problem& problem, const DeviceShape& device) {
  return {
      {(problem.m + kGemvRows - 1) / kGemvRows, 1, 1}, {device.subgroup_width, 1, 1}, {problem.m, problem.k}};
}
std::uint64_t ReadPartials(const Problem& problem, const DeviceShape& device) {
  return std::uint64_t{4} * kLanes * StreamGroups(problem, device);
}

LaunchShape GemmShape(const Problem& problem, const DeviceShape&) {
  return {{problem.n / kTileColumns, problem.m / kTileRows, 1},
          {kLanes, 1, 1},
          {problem.m, problem.n, problem.k}};
}
// A smaller tile is never faster, and each costs its compilation.
Variant Gemm() {
  Variant variant =
      Own("own:texel_16x128", Kernel::kGemm, Dtype::kFp32, Dtype::kFp32, "gemm_fp32_texel_16x4",
          {{Role::kA, View::kTexelFloat4}, {Role::kB, View::kTexelFloat4}, {Role::kC}}, GemmShape);
  variant.multiple_m = kTileRows;
  variant.multiple_n = kTileColumns;
  variant.multiple_k = 4;
  return variant;
}

Variant Read() {
  Variant variant = Own("own:texel", Kernel::kRead, Dtype::kU32, Dtype::kU32, "read_u32_texel",
                        {{Role::kIn, View::kTexelUint4}, {Role::kPartials}}, StreamShape);
  variant.multiple_count = 4;
  variant.partials_bytes = ReadPartials;
  return variant;
}
Variant Copy() {
  Variant variant = Own("own:texel", Kernel::kCopy, Dtype::kU32, Dtype::kU32, "copy_u32_texel",
                        {{Role::kIn, View::kTexelUint4}, {Role::kOut}}, StreamShape);
  variant.multiple_count = 4;
  return variant;
}
Variant Triad() {
  Variant variant =
      Own("own:texel", Kernel::kTriad, Dtype::kFp32, Dtype::kFp32, "triad_fp32_texel",
          {{Role::kA, View::kTexelFloat4}, {Role::kB, View::kTexelFloat4}, {Role::kOut}}, TriadShape);
  variant.multiple_count = 4;
  return variant;
}

Variant Gemv(Dtype dtype, std::string_view module) {
  Variant variant =
      Own("own:texel", Kernel::kGemv, dtype, Dtype::kFp32, module,
          {{Role::kW, View::kTexelUint4}, {Role::kX, View::kTexelFloat4}, {Role::kY}}, GemvShape);
  variant.requires_features = {"subgroup_add"};
  variant.multiple_k = kQ4Block;
  return variant;
}

}  // namespace

std::vector<Variant> CpuVariants() {
  std::vector<Variant> all = CommonVariants(FillShape);
  all.push_back(Gemm());
  all.push_back(Chain("chain_fp32_cpu", kLanes * kChains, ChainShape));
  all.push_back(Gemv(Dtype::kFp32, "gemv_fp32_texel"));
  all.push_back(Gemv(Dtype::kFp16, "gemv_fp16_texel"));
  all.push_back(Gemv(Dtype::kQ4, "gemv_q4_texel"));
  all.push_back(Read());
  all.push_back(Copy());
  all.push_back(Triad());
  return all;
}

}  // namespace kernels::glsl
