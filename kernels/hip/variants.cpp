// SPDX-License-Identifier: MIT
#include "kernels/hip/variants.h"

#include <array>
#include <bit>

#include "kernels/cuda/modules.h"
#include "kernels/cuda/variants.h"
#include "kernels/hip/modules.h"

namespace kernels::hip {
namespace {

// As gemm_matrix.hip.h and gemm_dot.hip.h have them.
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kRowBytes = 64;  // of k, in local data share
constexpr std::uint32_t kChains = 8;
constexpr std::uint32_t kFragment = 256;

template <std::uint32_t kTile>
LaunchShape TileShape(const Problem& p, const DeviceShape&) {
  return {{p.n / kTile * (p.m / kTile), 1, 1}, {kThreads, 1, 1}, {p.m, p.n, p.k}};
}

constexpr std::uint32_t ChainCount(std::uint32_t wave) { return kThreads / wave * kChains * kFragment; }

// The ones of a type, as many as fill a word.
template <std::uint32_t kOnes, std::uint32_t kWave>
LaunchShape ChainShape(const Problem& problem, const DeviceShape&) {
  return {{problem.count / ChainCount(kWave), 1, 1}, {kThreads, 1, 1}, {problem.k, kOnes}};
}

// CUDA's chain of single products beside chains of matrix instructions, whose steps are n deep: as many steps
// more.
LaunchShape VectorChainShape(const Problem& problem, const DeviceShape&) {
  constexpr std::uint32_t kCount = kThreads * 16;  // accumulators of a block in kernels/cuda/stream.cu
  return {{problem.count / kCount, 1, 1},
          {kThreads, 1, 1},
          {problem.k * problem.n, std::bit_cast<std::uint32_t>(1.0F)}};
}

// A type on one kind of unit. Entries are gemm_<type>_128, gemm_<type>_64 and chain_<type>, if there is one.
struct Row {
  Dtype in, acc;
  std::string_view feature;
  std::string_view module;
  std::array<std::string_view, 3> entries;
  std::uint32_t wave;
  std::uint32_t step_bytes;  // of k, of a chain's step
  LaunchShape (*chain_shape)(const Problem&, const DeviceShape&);
};
#define ENTRIES(type) {"gemm_" type "_128", "gemm_" type "_64", "chain_" type}
std::array<Row, 16> Rows() {
  using enum Dtype;
  return {
      Row{kFp32, kFp32, "mfma", kGemmFp32Module, ENTRIES("fp32_matrix"), 64, 64, ChainShape<0x3f800000, 64>},
      Row{kTf32, kFp32, "mfma_xf32", kGemmTf32Module, ENTRIES("tf32"), 64, 64, ChainShape<0x3f800000, 64>},
      Row{kFp16, kFp32, "mfma", kGemmFp16Module, ENTRIES("fp16"), 64, 64, ChainShape<0x3c003c00, 64>},
      Row{kFp16, kFp32, "wmma_gfx11", kGemmFp16Module, ENTRIES("fp16"), 32, 32, ChainShape<0x3c003c00, 32>},
      Row{kFp16, kFp32, "wmma_gfx12", kGemmFp16Module, ENTRIES("fp16"), 32, 32, ChainShape<0x3c003c00, 32>},
      Row{kBf16, kFp32, "mfma", kGemmBf16Module, ENTRIES("bf16"), 64, 64, ChainShape<0x3f803f80, 64>},
      Row{kBf16, kFp32, "wmma_gfx11", kGemmBf16Module, ENTRIES("bf16"), 32, 32, ChainShape<0x3f803f80, 32>},
      Row{kBf16, kFp32, "wmma_gfx12", kGemmBf16Module, ENTRIES("bf16"), 32, 32, ChainShape<0x3f803f80, 32>},
      Row{kInt8, kInt32, "mfma", kGemmInt8Module, ENTRIES("int8"), 64, 64, ChainShape<0x01010101, 64>},
      Row{kInt8, kInt32, "wmma_gfx11", kGemmInt8Module, ENTRIES("int8"), 32, 16, ChainShape<0x01010101, 32>},
      Row{kInt8, kInt32, "wmma_gfx12", kGemmInt8Module, ENTRIES("int8"), 32, 32, ChainShape<0x01010101, 32>},
      Row{kFp8, kFp32, "mfma_fp8", kGemmFp8Module, ENTRIES("fp8"), 64, 64, ChainShape<0x38383838, 64>},
      Row{kFp8, kFp32, "wmma_gfx12", kGemmFp8Module, ENTRIES("fp8"), 32, 32, ChainShape<0x38383838, 32>},
      Row{kFp8, kFp32, "mfma_fp8_fnuz", kGemmFp8FnuzModule, ENTRIES("fp8_fnuz"), 64, 64,
          ChainShape<0x40404040, 64>},
      Row{kFp16, kFp32, "dot", kDotFp16Module, {"gemm_fp16_128", "gemm_fp16_64", ""}, 0, 0, nullptr},
      Row{kInt8, kInt32, "dot", kDotInt8Module, {"gemm_int8_128", "gemm_int8_64", ""}, 0, 0, nullptr},
  };
}
#undef ENTRIES

Variant Own(const Row& row, const std::string& name, Kernel kernel, Step step) {
  const std::string_view unit = row.feature.substr(0, row.feature.find('_'));
  Variant variant = cuda::Own("own:" + std::string(unit) + name, kernel, row.in, row.acc, std::move(step));
  variant.requires_features = {std::string(row.feature)};
  return variant;
}

template <std::uint32_t kTile>
Variant Gemm(const Row& row, const std::string& name, std::string_view entry) {
  Variant variant = Own(row, name, Kernel::kGemm,
                        {entry, row.module, {}, "", {{Role::kA}, {Role::kB}, {Role::kC}}, TileShape<kTile>});
  variant.multiple_m = variant.multiple_n = kTile;
  variant.multiple_k = kRowBytes * 8 / kernels::Row(row.in).bits;
  variant.b_transposed = true;
  return variant;
}

Variant Chain(const Row& row) {
  Variant variant = Own(row, "_chain", Kernel::kChain,
                        {row.entries[2], row.module, {}, "", {{Role::kOut}}, row.chain_shape});
  variant.multiple_count = ChainCount(row.wave);
  variant.multiple_n = row.step_bytes * 8 / kernels::Row(row.in).bits;
  return variant;
}

// CUDA's sources that are compiled for AMD too.
struct Shared {
  std::string_view cuda, hip;
};

std::string_view SourceFor(std::string_view cuda_source) {
  for (const auto& [cuda, hip] :
       {Shared{cuda::kStreamModule, kStreamModule}, Shared{cuda::kGemvModule, kGemvModule},
        Shared{cuda::kGemmSimtModule, kGemmSimtModule}}) {
    if (cuda.data() == cuda_source.data()) return hip;
  }
  return {};
}

}  // namespace

std::vector<Variant> Variants() {
  std::vector<Variant> all;
  for (Variant& variant : cuda::Variants()) {
    Step& step = variant.steps.front();
    step.source = SourceFor(step.source);
    if (step.source.empty()) continue;
    if (variant.kernel == Kernel::kChain) step.shape = VectorChainShape;
    if (variant.kernel == Kernel::kFill && variant.in == Dtype::kFp8) {
      // Before the other format's, which every device can run.
      Variant fnuz = variant;
      fnuz.steps.front().entry = "fill_fp8_fnuz";
      fnuz.requires_features = {"mfma_fp8_fnuz"};
      all.push_back(std::move(fnuz));
    }
    all.push_back(std::move(variant));
  }
  for (const Row& row : Rows()) {
    all.push_back(Gemm<128>(row, "_128x128", row.entries[0]));
    all.push_back(Gemm<64>(row, "_64x64", row.entries[1]));
    if (row.chain_shape != nullptr) all.push_back(Chain(row));
  }
  return all;
}

std::vector<std::string> FeaturesOf(std::string_view architecture) {
  const auto is = [&](auto... names) { return ((architecture == names) || ...); };
  std::vector<std::string> features;
  if (is("gfx908", "gfx90a", "gfx942", "gfx950")) features.emplace_back("mfma");
  if (is("gfx942")) features.insert(features.end(), {"mfma_xf32", "mfma_fp8_fnuz"});
  if (is("gfx950")) features.emplace_back("mfma_fp8");
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
