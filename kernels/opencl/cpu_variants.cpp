// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/opencl/sources.h"
#include "kernels/opencl/variants.h"

namespace kernels::opencl {
namespace {

// More work-groups than processors, so that one that is late holds up little.
constexpr std::uint32_t kSharesEach = 4;

constexpr std::uint32_t DivideUp(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::uint32_t Shares(const DeviceShape& device) { return device.compute_units * kSharesEach; }

LaunchShape FillShape(const Problem& problem, const DeviceShape& device) {
  return {{Shares(device), 1, 1}, {1, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape StreamShape(const Problem& problem, const DeviceShape& device) {
  return {{Shares(device), 1, 1}, {1, 1, 1}, {problem.count}};
}
std::uint64_t StreamPartials(const Problem&, const DeviceShape& device) { return Shares(device) * 4ULL; }

Variant Fill(Dtype dtype, std::string_view entry) {
  Variant variant;
  variant.name = "own:fill";
  variant.kernel = Kernel::kFill;
  variant.in = variant.acc = dtype;
  variant.language = Language::kOpenCl;
  variant.steps = {{entry, kFillCpu, {}, "", {{Role::kOut}}, FillShape}};
  return variant;
}

Variant Read(std::string_view options) {
  Variant variant;
  variant.name = "own:shares";
  variant.kernel = Kernel::kRead;
  variant.in = variant.acc = Dtype::kU32;
  variant.language = Language::kOpenCl;
  variant.steps = {{"read_u32", kStreamCpu, {}, options, {{Role::kIn}, {Role::kPartials}}, StreamShape}};
  variant.partials_bytes = StreamPartials;
  return variant;
}

// One tile shape of gemm_cpu.cl. DEPTH rows of a panel take 32 KiB or less.
template <std::uint32_t kRows, std::uint32_t kWidth, std::uint32_t kDepth, std::uint32_t kBlock>
struct Tile {
  static LaunchShape Pack(const Problem& p, const DeviceShape&) {
    return {{p.n / kWidth, DivideUp(p.k, kDepth), 1}, {1, 1, 1}, {p.n, p.k}};
  }
  static LaunchShape Multiply(const Problem& p, const DeviceShape&) {
    return {{DivideUp(p.m, kBlock), p.n / kWidth, 1}, {1, 1, 1}, {p.m, p.n, p.k}};
  }
  static std::uint64_t Workspace(const Problem& p, const DeviceShape&) {
    return std::uint64_t{4} * p.n * p.k;
  }

  static Variant Make(std::string name, std::string_view options) {
    Variant variant;
    variant.name = std::move(name);
    variant.kernel = Kernel::kGemm;
    variant.in = variant.acc = Dtype::kFp32;
    variant.language = Language::kOpenCl;
    variant.steps = {
        {"pack_b", kGemmCpu, {}, options, {{Role::kB}, {Role::kWorkspace}}, Pack},
        {"gemm_fp32", kGemmCpu, {}, options, {{Role::kA}, {Role::kWorkspace}, {Role::kC}}, Multiply}};
    variant.multiple_m = kRows;
    variant.multiple_n = kWidth;
    variant.workspace_bytes = Workspace;
    return variant;
  }
};

}  // namespace

std::vector<Variant> CpuVariants(std::span<const std::string> features) {
  std::vector<Variant> all = {Fill(Dtype::kFp32, "fill_fp32"), Fill(Dtype::kU32, "fill_u32"),
                              Read(Has(features, "lanes:4") ? "-DAHEAD=1024" : "")};
  // A narrower tile than the registers allow is never faster, and each costs its compilation.
  if (Has(features, "lanes:16")) {
    all.push_back(Tile<8, 32, 256, 64>::Make("own:tile_8x32",
                                             "-DROWS=8 -DVECTORS=2 -DLANES=16 -DDEPTH=256 -DBLOCK=64"));
  } else if (Has(features, "lanes:8")) {
    all.push_back(
        Tile<4, 16, 256, 64>::Make("own:tile_4x16", "-DROWS=4 -DVECTORS=2 -DLANES=8 -DDEPTH=256 -DBLOCK=64"));
  } else {
    all.push_back(
        Tile<4, 8, 256, 64>::Make("own:tile_4x8", "-DROWS=4 -DVECTORS=2 -DLANES=4 -DDEPTH=256 -DBLOCK=64"));
  }
  return all;
}

}  // namespace kernels::opencl
