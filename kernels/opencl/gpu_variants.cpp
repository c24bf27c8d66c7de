// SPDX-License-Identifier: MIT
#include <bit>

#include "kernels/opencl/sources.h"
#include "kernels/opencl/variants.h"

namespace kernels::opencl {
namespace {

constexpr std::uint32_t kGroup = 256;
constexpr std::uint32_t kGemvGroup = 128;
constexpr std::uint32_t kChains = 16;
constexpr std::uint32_t kGroupsEach = 16;  // a compute unit, to hide latency

std::uint32_t Groups(const DeviceShape& device) { return device.compute_units * kGroupsEach; }

LaunchShape FillShape(const Problem& problem, const DeviceShape& device) {
  return {{Groups(device), 1, 1}, {kGroup, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape StreamShape(const Problem& problem, const DeviceShape& device) {
  return {{Groups(device), 1, 1}, {kGroup, 1, 1}, {problem.count}};
}
LaunchShape TriadShape(const Problem& problem, const DeviceShape& device) {
  return {
      {Groups(device), 1, 1}, {kGroup, 1, 1}, {problem.count, std::bit_cast<std::uint32_t>(kTriadFactor)}};
}
LaunchShape GemvShape(const Problem& problem, const DeviceShape&) {
  return {{problem.m, 1, 1}, {kGemvGroup, 1, 1}, {problem.m, problem.k}};
}
std::uint64_t StreamPartials(const Problem&, const DeviceShape& device) { return Groups(device) * 4ULL; }

Variant Fill(Dtype dtype, std::string_view entry) {
  return Own("own:fill", Kernel::kFill, dtype, dtype, {{entry, kFillGpu, {}, "", {{Role::kOut}}, FillShape}});
}

void AddStreams(std::vector<Variant>& all) {
  constexpr std::string_view kOptions = "-DGROUP=256";
  Variant read = Own("own:coalesced", Kernel::kRead, Dtype::kU32, Dtype::kU32,
                     {{"read_u32", kStreamGpu, {}, kOptions, {{Role::kIn}, {Role::kPartials}}, StreamShape}});
  read.partials_bytes = StreamPartials;
  Variant copy = Own("own:coalesced", Kernel::kCopy, Dtype::kU32, Dtype::kU32,
                     {{"copy_u32", kStreamGpu, {}, kOptions, {{Role::kIn}, {Role::kOut}}, StreamShape}});
  Variant triad =
      Own("own:coalesced", Kernel::kTriad, Dtype::kFp32, Dtype::kFp32,
          {{"triad_fp32", kStreamGpu, {}, kOptions, {{Role::kA}, {Role::kB}, {Role::kOut}}, TriadShape}});
  for (Variant* variant : {&read, &copy, &triad}) {
    variant->multiple_count = 4;
    all.push_back(std::move(*variant));
  }
}

Variant Gemv(Dtype dtype, std::string_view entry) {
  Variant variant =
      Own("own:row_a_group", Kernel::kGemv, dtype, Dtype::kFp32,
          {{entry, kGemvGpu, {}, "-DGROUP=128", {{Role::kW}, {Role::kX}, {Role::kY}}, GemvShape}});
  variant.multiple_k = 32;
  return variant;
}

template <std::uint32_t kTile>
LaunchShape GemmShape(const Problem& p, const DeviceShape&) {
  return {{p.n / kTile, p.m / kTile, 1}, {16, 16, 1}, {p.m, p.n, p.k}};
}

template <std::uint32_t kTile>
Variant Gemm(Dtype in, Dtype acc, std::string_view options) {
  Variant variant =
      Own("own:tile_" + std::to_string(kTile) + "x" + std::to_string(kTile), Kernel::kGemm, in, acc,
          {{"gemm", kGemmGpu, {}, options, {{Role::kA}, {Role::kB}, {Role::kC}}, GemmShape<kTile>}});
  if (acc == Dtype::kFp16) variant.requires_features = {"fp16"};
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = 16;
  return variant;
}

#define WHICHGPU_TILE_OPTIONS(tile, in, load, acc) \
  "-DDEPTH=16 -DTILE=" tile " -DIN=" in " -DLOAD=" load " -DACC=" acc

void AddTiles(std::vector<Variant>& all) {
  all.push_back(
      Gemm<128>(Dtype::kFp32, Dtype::kFp32, WHICHGPU_TILE_OPTIONS("128", "float", "vload4", "float")));
  all.push_back(
      Gemm<64>(Dtype::kFp32, Dtype::kFp32, WHICHGPU_TILE_OPTIONS("64", "float", "vload4", "float")));
  all.push_back(
      Gemm<128>(Dtype::kFp16, Dtype::kFp32, WHICHGPU_TILE_OPTIONS("128", "half", "vload_half4", "float")));
  all.push_back(
      Gemm<128>(Dtype::kFp16, Dtype::kFp16, WHICHGPU_TILE_OPTIONS("128", "half", "vload_half4", "half")));
}

#undef WHICHGPU_TILE_OPTIONS

template <std::uint32_t kTile>
Variant GemmInt8(std::string name, std::string_view options, std::uint32_t words) {
  Variant variant =
      Own(std::move(name), Kernel::kGemm, Dtype::kInt8, Dtype::kInt32,
          {{"gemm_int8", kGemmGpuInt8, {}, options, {{Role::kA}, {Role::kB}, {Role::kC}}, GemmShape<kTile>}});
  variant.requires_features = {"int8_dot"};
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = 4 * words;
  variant.b_transposed = true;
  return variant;
}

}  // namespace

std::vector<Variant> GpuVariants(std::span<const std::string> features) {
  std::vector<Variant> all = {Fill(Dtype::kFp32, "fill_fp32"), Fill(Dtype::kU32, "fill_u32"),
                              Fill(Dtype::kFp16, "fill_fp16"), Fill(Dtype::kBf16, "fill_bf16"),
                              Fill(Dtype::kInt8, "fill_int8"), Fill(Dtype::kQ4, "fill_q4")};
  AddStreams(all);
  for (auto& variant : IntelVariants(features)) all.push_back(std::move(variant));
  AddTiles(all);
  if (Has(features, "int8_dot")) {
    all.push_back(GemmInt8<128>("own:dot_128x128", "-DTILE=128 -DWORDS=8", 8));
    all.push_back(GemmInt8<64>("own:dot_64x64", "-DTILE=64 -DWORDS=8", 8));
  }
  all.push_back(Chain("-DLANES=1 -DCHAINS=16 -DSTEPS=16", kGroup * kChains, ChainShape<kGroup, kChains>));
  all.push_back(Gemv(Dtype::kFp32, "gemv_fp32"));
  all.push_back(Gemv(Dtype::kFp16, "gemv_fp16"));
  all.push_back(Gemv(Dtype::kQ4, "gemv_q4"));
  return all;
}

}  // namespace kernels::opencl
