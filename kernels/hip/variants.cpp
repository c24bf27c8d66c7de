// SPDX-License-Identifier: MIT
#include "kernels/hip/variants.h"

#include <algorithm>
#include <array>

#include "kernels/hip/modules.h"
#include "kernels/simt/variants.h"

namespace kernels::hip {
namespace {

// As gemm_matrix.hip, gemm_dot.hip and gemm_wide.hip have them.
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kRowBytes = 64;  // of k, in local data share, unless an instruction takes more
constexpr std::uint32_t kSquareThreads = 128;
constexpr std::uint32_t kWideRowBytes = 128;
constexpr std::uint32_t kChains = 8;
constexpr std::uint32_t kFragment = 256;

// A type on one kind of unit, whose entries are gemm_<name>_128, gemm_<name>_64 and chain_<name>, if there is
// one.
struct UnitRow {
  Dtype in, acc;
  std::string_view feature;
  std::string_view module;
  std::array<std::string_view, 3> entries;
  std::uint32_t wave = 0;
  std::uint32_t step_bytes = 0;  // of k, of a chain's step
  std::uint32_t ones = 0;        // a word of the unit's own format, if not the type's
};
#define ENTRIES(type) {"gemm_" type "_128", "gemm_" type "_64", "chain_" type}
std::array<UnitRow, 17> UnitRows() {
  using enum Dtype;
  return {
      UnitRow{kFp32, kFp32, "mfma", kGemmFp32Module, ENTRIES("fp32_matrix"), 64, 64},
      UnitRow{kTf32, kFp32, "mfma_xf32", kGemmTf32Module, ENTRIES("tf32"), 64, 64},
      UnitRow{kFp16, kFp32, "mfma", kGemmFp16Module, ENTRIES("fp16"), 64, 64},
      UnitRow{kFp16, kFp32, "wmma_gfx11", kGemmFp16Module, ENTRIES("fp16"), 32, 32},
      UnitRow{kFp16, kFp32, "wmma_gfx12", kGemmFp16Module, ENTRIES("fp16"), 32, 32},
      UnitRow{kBf16, kFp32, "mfma", kGemmBf16Module, ENTRIES("bf16"), 64, 64},
      UnitRow{kBf16, kFp32, "wmma_gfx11", kGemmBf16Module, ENTRIES("bf16"), 32, 32},
      UnitRow{kBf16, kFp32, "wmma_gfx12", kGemmBf16Module, ENTRIES("bf16"), 32, 32},
      UnitRow{kInt8, kInt32, "mfma", kGemmInt8Module, ENTRIES("int8"), 64, 64},
      UnitRow{kInt8, kInt32, "wmma_gfx11", kGemmInt8Module, ENTRIES("int8"), 32, 16},
      UnitRow{kInt8, kInt32, "wmma_gfx12", kGemmInt8Module, ENTRIES("int8"), 32, 32},
      UnitRow{kFp8, kFp32, "mfma_fp8", kGemmFp8Module, ENTRIES("fp8"), 64, 128},
      UnitRow{kFp8, kFp32, "wmma_gfx12", kGemmFp8Module, ENTRIES("fp8"), 32, 32},
      UnitRow{kFp8, kFp32, "mfma_fp8_fnuz", kGemmFp8FnuzModule, ENTRIES("fp8_fnuz"), 64, 64, 0x40404040},
      UnitRow{kFp4, kFp32, "mfma_fp4", kGemmFp4Module, ENTRIES("fp4"), 64, 64},
      UnitRow{kFp16, kFp32, "dot", kDotFp16Module, {"gemm_fp16_128", "gemm_fp16_64", ""}},
      UnitRow{kInt8, kInt32, "dot", kDotInt8Module, {"gemm_int8_128", "gemm_int8_64", ""}},
  };
}
#undef ENTRIES

// Tiles of a type's products beyond those of UnitRow. A kernel that hangs takes its family with it, which the
// names tell: theirs are others.
struct TileRow {
  Dtype in, acc;
  std::string_view feature;
  std::string_view module;
  std::string_view entry;
  std::uint32_t columns = 128;
};
// So large that local data share is hardly read.
std::array<TileRow, 14> WideRows() {
  using enum Dtype;
  return {
      TileRow{kTf32, kFp32, "mfma_xf32", kWideTf32Module, "gemm_tf32_256x256", 256},
      TileRow{kTf32, kFp32, "mfma_xf32", kWideTf32Module, "gemm_tf32_256x128"},
      TileRow{kFp16, kFp32, "mfma", kWideFp16Module, "gemm_fp16_256x256", 256},
      TileRow{kFp16, kFp32, "mfma", kWideFp16Module, "gemm_fp16_256x128"},
      TileRow{kBf16, kFp32, "mfma", kWideBf16Module, "gemm_bf16_256x256", 256},
      TileRow{kBf16, kFp32, "mfma", kWideBf16Module, "gemm_bf16_256x128"},
      TileRow{kInt8, kInt32, "mfma", kWideInt8Module, "gemm_int8_256x256", 256},
      TileRow{kInt8, kInt32, "mfma", kWideInt8Module, "gemm_int8_256x128"},
      TileRow{kFp8, kFp32, "mfma_fp8", kWideFp8Module, "gemm_fp8_256x256", 256},
      TileRow{kFp8, kFp32, "mfma_fp8", kWideFp8Module, "gemm_fp8_256x128"},
      TileRow{kFp8, kFp32, "mfma_fp8_fnuz", kWideFp8FnuzModule, "gemm_fp8_fnuz_256x256", 256},
      TileRow{kFp8, kFp32, "mfma_fp8_fnuz", kWideFp8FnuzModule, "gemm_fp8_fnuz_256x128"},
      TileRow{kFp4, kFp32, "mfma_fp4", kWideFp4Module, "gemm_fp4_256x256", 256},
      TileRow{kFp4, kFp32, "mfma_fp4", kWideFp4Module, "gemm_fp4_256x128"},
  };
}
// 128 x 128 by waves of 64 x 64.
std::array<TileRow, 7> SquareRows() {
  using enum Dtype;
  return {
      TileRow{kFp16, kFp32, "wmma_gfx11", kSquareFp16Module, "gemm_fp16_128_by_64"},
      TileRow{kFp16, kFp32, "wmma_gfx12", kSquareFp16Module, "gemm_fp16_128_by_64"},
      TileRow{kBf16, kFp32, "wmma_gfx11", kSquareBf16Module, "gemm_bf16_128_by_64"},
      TileRow{kBf16, kFp32, "wmma_gfx12", kSquareBf16Module, "gemm_bf16_128_by_64"},
      TileRow{kInt8, kInt32, "wmma_gfx11", kSquareInt8Module, "gemm_int8_128_by_64"},
      TileRow{kInt8, kInt32, "wmma_gfx12", kSquareInt8Module, "gemm_int8_128_by_64"},
      TileRow{kFp8, kFp32, "wmma_gfx12", kSquareFp8Module, "gemm_fp8_128_by_64"},
  };
}

template <class TypeRow>
Variant OwnOf(const TypeRow& row, const std::string& name, Kernel kernel, std::uint32_t threads, Step step) {
  const std::string_view unit = row.feature.substr(0, row.feature.find('_'));
  step.source = row.module;
  step.geometry.threads = {threads, 1};
  Variant variant = Own("own:" + std::string(unit) + name, kernel, row.in, row.acc, std::move(step));
  variant.requires_features = {std::string(row.feature)};
  return variant;
}

// `bytes`: of k, that a step takes.
struct Tile {
  std::uint32_t m, n, threads, bytes;
};
// Called by its unit, by `how` it is used, and by its tile.
template <class TypeRow>
Variant Gemm(const TypeRow& row, const Tile& tile, const std::string& how, std::string_view entry) {
  Variant variant =
      OwnOf(row, how, Kernel::kGemm, tile.threads,
            {.entry = entry,
             .geometry = {.tiles = {{{Number::kN, tile.n}, {Number::kM, tile.m}}}, .in_a_row = true}});
  variant.name += "_" + std::to_string(tile.m) + "x" + std::to_string(tile.n);
  variant.multiple_m = tile.m;
  variant.multiple_n = tile.n;
  variant.multiple_k = tile.bytes * 8 / Row(row.in).bits;
  variant.b_transposed = true;
  return variant;
}

Variant Chain(const UnitRow& row) {
  const std::uint32_t count = kThreads / row.wave * kChains * kFragment;
  Variant variant = OwnOf(row, "_chain", Kernel::kChain, kThreads,
                          {.entry = row.entries[2], .geometry = {.tiles = {{{Number::kCount, count}}}}});
  if (row.ones != 0) variant.steps[0].scalars[1].word = row.ones;
  variant.multiple_count = count;
  variant.multiple_n = row.step_bytes * 8 / Row(row.in).bits;
  return variant;
}

// Those without matrix units, and gfx942's own format of fp8 before the other, which every device can run.
// Their chain of single products stands beside chains of matrix instructions, whose steps are n deep: as many
// steps more.
std::vector<Variant> SimtVariants() {
  auto all = simt::Variants({.stream = kStreamModule, .gemm_simt = kGemmSimtModule, .gemv = kGemvModule});
  for (Variant& variant : all) {
    if (variant.kernel == Kernel::kChain) variant.steps[0].scalars[0] = {Number::kProducts};
  }
  const auto fp8 = std::find_if(all.begin(), all.end(), [](const Variant& variant) {
    return variant.kernel == Kernel::kFill && variant.in == Dtype::kFp8;
  });
  Variant fnuz = *fp8;
  fnuz.steps[0].entry = "fill_fp8_fnuz";
  fnuz.requires_features = {"mfma_fp8_fnuz"};
  all.insert(fp8, std::move(fnuz));
  return all;
}

}  // namespace

std::vector<Variant> Variants() {
  std::vector<Variant> all = SimtVariants();
  for (const TileRow& row : WideRows())
    all.push_back(Gemm(row, {256, row.columns, kThreads, kWideRowBytes}, "_wide", row.entry));
  for (const TileRow& row : SquareRows())
    all.push_back(Gemm(row, {128, 128, kSquareThreads, kRowBytes}, "_square", row.entry));
  for (const UnitRow& row : UnitRows()) {
    const std::uint32_t bytes = std::max(kRowBytes, row.step_bytes);
    all.push_back(Gemm(row, {128, 128, kThreads, bytes}, "", row.entries[0]));
    all.push_back(Gemm(row, {64, 64, kThreads, bytes}, "", row.entries[1]));
    if (!row.entries[2].empty()) all.push_back(Chain(row));
  }
  return all;
}

std::vector<std::string> FeaturesOf(std::string_view architecture) {
  const auto is = [&](auto... names) { return ((architecture == names) || ...); };
  std::vector<std::string> features;
  if (is("gfx908", "gfx90a", "gfx942", "gfx950")) features.emplace_back("mfma");
  if (is("gfx942")) features.insert(features.end(), {"mfma_xf32", "mfma_fp8_fnuz"});
  if (is("gfx950")) features.insert(features.end(), {"mfma_fp8", "mfma_fp4"});
  if (is("gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153")) {
    features.emplace_back("wmma_gfx11");
  }
  if (is("gfx906", "gfx1011", "gfx1012", "gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035",
         "gfx1036")) {
    features.emplace_back("dot");
  }
  if (is("gfx1200", "gfx1201")) features.emplace_back("wmma_gfx12");
  return features;
}

}  // namespace kernels::hip
