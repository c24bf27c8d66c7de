// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/opencl/sources.h"
#include "kernels/opencl/variants.h"

namespace kernels::opencl {
namespace {

constexpr std::uint32_t kGroup = 256;
constexpr std::uint32_t kGroupsEach = 16;  // a compute unit, to hide latency

std::uint32_t Groups(const DeviceShape& device) { return device.compute_units * kGroupsEach; }

LaunchShape FillShape(const Problem& problem, const DeviceShape& device) {
  return {{Groups(device), 1, 1}, {kGroup, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape StreamShape(const Problem& problem, const DeviceShape& device) {
  return {{Groups(device), 1, 1}, {kGroup, 1, 1}, {problem.count}};
}
std::uint64_t StreamPartials(const Problem&, const DeviceShape& device) { return Groups(device) * 4ULL; }

Variant Fill(Dtype dtype, std::string_view entry) {
  Variant variant;
  variant.name = "own:fill";
  variant.kernel = Kernel::kFill;
  variant.in = variant.acc = dtype;
  variant.language = Language::kOpenCl;
  variant.steps = {{entry, kFillGpu, {}, "", {{Role::kOut}}, FillShape}};
  return variant;
}

Variant Read() {
  Variant variant;
  variant.name = "own:coalesced";
  variant.kernel = Kernel::kRead;
  variant.in = variant.acc = Dtype::kU32;
  variant.language = Language::kOpenCl;
  variant.steps = {
      {"read_u32", kStreamGpu, {}, "-DGROUP=256", {{Role::kIn}, {Role::kPartials}}, StreamShape}};
  variant.multiple_count = 4;
  variant.partials_bytes = StreamPartials;
  return variant;
}

template <std::uint32_t kTile>
LaunchShape GemmShape(const Problem& p, const DeviceShape&) {
  return {{p.n / kTile, p.m / kTile, 1}, {16, 16, 1}, {p.m, p.n, p.k}};
}

template <std::uint32_t kTile>
Variant Gemm(std::string name, std::string_view options, std::uint32_t depth) {
  Variant variant;
  variant.name = std::move(name);
  variant.kernel = Kernel::kGemm;
  variant.in = variant.acc = Dtype::kFp32;
  variant.language = Language::kOpenCl;
  variant.steps = {
      {"gemm_fp32", kGemmGpu, {}, options, {{Role::kA}, {Role::kB}, {Role::kC}}, GemmShape<kTile>}};
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = depth;
  return variant;
}

template <std::uint32_t kTile>
Variant GemmInt8(std::string name, std::string_view options, std::uint32_t words) {
  Variant variant;
  variant.name = std::move(name);
  variant.kernel = Kernel::kGemm;
  variant.in = Dtype::kInt8;
  variant.acc = Dtype::kInt32;
  variant.language = Language::kOpenCl;
  variant.steps = {
      {"gemm_int8", kGemmGpuInt8, {}, options, {{Role::kA}, {Role::kB}, {Role::kC}}, GemmShape<kTile>}};
  variant.requires_features = {"int8_dot"};
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = 4 * words;
  variant.b_transposed = true;
  return variant;
}

}  // namespace

std::vector<Variant> GpuVariants(std::span<const std::string> features) {
  std::vector<Variant> all = {Fill(Dtype::kFp32, "fill_fp32"),
                              Fill(Dtype::kU32, "fill_u32"),
                              Fill(Dtype::kFp16, "fill_fp16"),
                              Fill(Dtype::kBf16, "fill_bf16"),
                              Fill(Dtype::kInt8, "fill_int8"),
                              Read(),
                              Gemm<128>("own:tile_128x128", "-DTILE=128 -DDEPTH=16", 16),
                              Gemm<64>("own:tile_64x64", "-DTILE=64 -DDEPTH=16", 16)};
  for (auto& variant : IntelVariants(features)) all.push_back(std::move(variant));
  if (Has(features, "int8_dot")) {
    all.push_back(GemmInt8<128>("own:dot_128x128", "-DTILE=128 -DWORDS=8", 8));
    all.push_back(GemmInt8<64>("own:dot_64x64", "-DTILE=64 -DWORDS=8", 8));
  }
  return all;
}

}  // namespace kernels::opencl
