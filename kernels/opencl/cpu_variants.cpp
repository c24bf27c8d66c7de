// SPDX-License-Identifier: MIT
#include "kernels/opencl/modules.h"
#include "kernels/opencl/variants.h"
#include "kernels/operand.h"

namespace kernels::opencl {
namespace {

constexpr EntryRow kFills[] = {
    {Kernel::kFill, Dtype::kFp32, Dtype::kFp32, "fill_fp32"},
    {Kernel::kFill, Dtype::kU32, Dtype::kU32, "fill_u32"},
    {Kernel::kFill, Dtype::kFp16, Dtype::kFp16, "fill_fp16"},
    {Kernel::kFill, Dtype::kQ4, Dtype::kQ4, "fill_q4"},
};
// The kernels of memory_cpu.cl: one program, so that it is compiled once. There are more work-groups than
// processors, so that one that is late holds up little.
void AddMemoryKernels(std::string_view options, std::vector<Variant>& all) {
  const auto add = [&](std::string_view name, const EntryRow& row) {
    all.push_back(OwnOf(std::string(name), row, kMemoryCpuModule, options,
                        {.groups_a_unit = 4, .partials_a_group = 1}));
  };
  for (const EntryRow& row : kFills) add("own:fill", row);
  for (const EntryRow& row : kStreams) add("own:shares", row);
  for (const EntryRow& row : kGemvs) {
    add("own:rows", row);
    all.back().multiple_k = kQ4Block;
  }
}

// One tile shape of gemm_cpu.cl: its columns, and how much of k and of m a work-group takes.
struct Tile {
  std::uint32_t width, depth, block;
};
Variant Gemm(std::string name, const Tile& tile, std::string_view options) {
  const Tiling columns = {Number::kN, tile.width};
  Variant variant =
      WithPackedB(OwnOf(std::move(name), {Kernel::kGemm, Dtype::kFp32, Dtype::kFp32, "gemm_fp32"},
                        kGemmCpuModule, options, {.tiles = {{{Number::kM, tile.block}, columns}}}),
                  {.entry = "pack_b",
                   .geometry = {.tiles = {{columns, {Number::kK, tile.depth}}}},
                   .scalars = {{Number::kN}, {Number::kK}}});
  variant.multiple_m = 2;  // TAIL of the options
  variant.multiple_n = tile.width;
  return variant;
}

// What the width of the vector registers decides. The chains hide the latency of every unit and fit into
// them. A narrower tile than they allow is never faster, and each costs its compilation.
void AddByWidth(std::span<const std::string> features, std::vector<Variant>& all) {
  if (Has(features, "lanes:16")) {
    all.push_back(Gemm("own:tile_6x64", {64, 512, 96},
                       "-DROWS=6 -DTAIL=2 -DVECTORS=4 -DLANES=16 -DDEPTH=512 -DBLOCK=96"));
    all.push_back(Chain("-DLANES=16 -DCHAINS=24 -DSTEPS=16", 1, 384));
  } else if (Has(features, "lanes:8")) {
    all.push_back(Gemm("own:tile_4x16", {16, 256, 64},
                       "-DROWS=4 -DTAIL=2 -DVECTORS=2 -DLANES=8 -DDEPTH=256 -DBLOCK=64"));
    all.push_back(Chain("-DLANES=8 -DCHAINS=12 -DSTEPS=16", 1, 96));
  } else {
    all.push_back(
        Gemm("own:tile_4x8", {8, 256, 64}, "-DROWS=4 -DTAIL=2 -DVECTORS=2 -DLANES=4 -DDEPTH=256 -DBLOCK=64"));
    all.push_back(Chain("-DLANES=4 -DCHAINS=12 -DSTEPS=16", 1, 48));
  }
}

}  // namespace

std::vector<Variant> CpuVariants(std::span<const std::string> features) {
  std::vector<Variant> all;
  AddMemoryKernels(!Has(features, "lanes:4")   ? ""
                   : Has(features, "prefetch") ? "-DAHEAD=4096"
                                               : "-DAHEAD=0",
                   all);
  AddByWidth(features, all);
  return all;
}

}  // namespace kernels::opencl
