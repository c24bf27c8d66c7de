// SPDX-License-Identifier: MIT
#include <bit>

#include "kernels/opencl/sources.h"
#include "kernels/opencl/variants.h"

namespace kernels::opencl {
namespace {

// More work-groups than processors, so that one that is late holds up little.
constexpr std::uint32_t kSharesEach = 4;
constexpr std::uint32_t kQ4Block = 32;

constexpr std::uint32_t DivideUp(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::uint32_t Shares(const DeviceShape& device) { return device.compute_units * kSharesEach; }

LaunchShape SharesOf(const DeviceShape& device, std::vector<std::uint32_t> scalars) {
  return {{Shares(device), 1, 1}, {1, 1, 1}, std::move(scalars)};
}
LaunchShape FillShape(const Problem& p, const DeviceShape& device) {
  return SharesOf(device, {p.count, p.seed});
}
LaunchShape StreamShape(const Problem& p, const DeviceShape& device) { return SharesOf(device, {p.count}); }
LaunchShape TriadShape(const Problem& p, const DeviceShape& device) {
  return SharesOf(device, {p.count, std::bit_cast<std::uint32_t>(kTriadFactor)});
}
LaunchShape GemvShape(const Problem& p, const DeviceShape& device) { return SharesOf(device, {p.m, p.k}); }
std::uint64_t StreamPartials(const Problem&, const DeviceShape& device) { return Shares(device) * 4ULL; }

// The kernels of memory_cpu.cl: one program, so that it is compiled once.
void AddMemoryKernels(std::string_view options, std::vector<Variant>& all) {
  const auto step = [options](std::string_view entry, std::vector<Binding> bindings,
                              LaunchShape (*shape)(const Problem&, const DeviceShape&)) {
    return std::vector<Step>{{entry, kMemoryCpu, {}, options, std::move(bindings), shape}};
  };
  const auto add_fill = [&](Dtype dtype, std::string_view entry) {
    all.push_back(Own("own:fill", Kernel::kFill, dtype, dtype, step(entry, {{Role::kOut}}, FillShape)));
  };
  add_fill(Dtype::kFp32, "fill_fp32");
  add_fill(Dtype::kU32, "fill_u32");
  add_fill(Dtype::kFp16, "fill_fp16");
  add_fill(Dtype::kQ4, "fill_q4");
  all.push_back(Own("own:shares", Kernel::kRead, Dtype::kU32, Dtype::kU32,
                    step("read_u32", {{Role::kIn}, {Role::kPartials}}, StreamShape)));
  all.back().partials_bytes = StreamPartials;
  all.push_back(Own("own:shares", Kernel::kCopy, Dtype::kU32, Dtype::kU32,
                    step("copy_u32", {{Role::kIn}, {Role::kOut}}, StreamShape)));
  all.push_back(Own("own:shares", Kernel::kTriad, Dtype::kFp32, Dtype::kFp32,
                    step("triad_fp32", {{Role::kA}, {Role::kB}, {Role::kOut}}, TriadShape)));
  const auto add_gemv = [&](Dtype dtype, std::string_view entry) {
    all.push_back(Own("own:rows", Kernel::kGemv, dtype, Dtype::kFp32,
                      step(entry, {{Role::kW}, {Role::kX}, {Role::kY}}, GemvShape)));
    all.back().multiple_k = kQ4Block;
  };
  add_gemv(Dtype::kFp32, "gemv_fp32");
  add_gemv(Dtype::kFp16, "gemv_fp16");
  add_gemv(Dtype::kQ4, "gemv_q4");
}

// One tile shape of gemm_cpu.cl.
template <std::uint32_t kTail, std::uint32_t kWidth, std::uint32_t kDepth, std::uint32_t kBlock>
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
    Variant variant =
        Own(std::move(name), Kernel::kGemm, Dtype::kFp32, Dtype::kFp32,
            {{"pack_b", kGemmCpu, {}, options, {{Role::kB}, {Role::kWorkspace}}, Pack},
             {"gemm_fp32", kGemmCpu, {}, options, {{Role::kA}, {Role::kWorkspace}, {Role::kC}}, Multiply}});
    variant.multiple_m = kTail;
    variant.multiple_n = kWidth;
    variant.workspace_bytes = Workspace;
    return variant;
  }
};

// What the width of the vector registers decides. The chains hide the latency of every unit and fit into
// them. A narrower tile than they allow is never faster, and each costs its compilation.
void AddByWidth(std::span<const std::string> features, std::vector<Variant>& all) {
  if (Has(features, "lanes:16")) {
    all.push_back(Tile<2, 64, 512, 96>::Make(
        "own:tile_6x64", "-DROWS=6 -DTAIL=2 -DVECTORS=4 -DLANES=16 -DDEPTH=512 -DBLOCK=96"));
    all.push_back(Chain("-DLANES=16 -DCHAINS=24 -DSTEPS=16", 384, ChainShape<1, 384>));
  } else if (Has(features, "lanes:8")) {
    all.push_back(Tile<2, 16, 256, 64>::Make(
        "own:tile_4x16", "-DROWS=4 -DTAIL=2 -DVECTORS=2 -DLANES=8 -DDEPTH=256 -DBLOCK=64"));
    all.push_back(Chain("-DLANES=8 -DCHAINS=12 -DSTEPS=16", 96, ChainShape<1, 96>));
  } else {
    all.push_back(Tile<2, 8, 256, 64>::Make(
        "own:tile_4x8", "-DROWS=4 -DTAIL=2 -DVECTORS=2 -DLANES=4 -DDEPTH=256 -DBLOCK=64"));
    all.push_back(Chain("-DLANES=4 -DCHAINS=12 -DSTEPS=16", 48, ChainShape<1, 48>));
  }
}

}  // namespace

std::vector<Variant> CpuVariants(std::span<const std::string> features) {
  // AMD's prefetchers do not stop at page borders; see kernels/cpu/prefetch.h.
  const bool looks_ahead = Has(features, "vendor:AuthenticAMD");
  std::vector<Variant> all;
  AddMemoryKernels(!Has(features, "lanes:4") ? "" : looks_ahead ? "-DAHEAD=0" : "-DAHEAD=4096", all);
  AddByWidth(features, all);
  return all;
}

}  // namespace kernels::opencl
