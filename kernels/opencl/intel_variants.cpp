// SPDX-License-Identifier: MIT
#include "kernels/opencl/sources.h"
#include "kernels/opencl/variants.h"

namespace kernels::opencl {
namespace {

constexpr std::uint32_t kRows = 32;  // of C, a subgroup: BLOCKS * 8
constexpr std::uint32_t kPanels = 2;
constexpr std::uint32_t kSubgroups = 8;

template <std::uint32_t kRowsAWord>
LaunchShape PackShape(const Problem& p, const DeviceShape&) {
  return {{p.n / 16, p.k / kRowsAWord, 1}, {16, 1, 1}, {p.n}};
}
template <std::uint32_t kSubgroup>
LaunchShape MultiplyShape(const Problem& p, const DeviceShape&) {
  return {{p.n / (kSubgroup * kPanels), p.m / (kRows * kSubgroups), 1},
          {kSubgroup, kSubgroups, 1},
          {p.m, p.n, p.k}};
}
template <std::uint32_t kBytes>
std::uint64_t Workspace(const Problem& p, const DeviceShape&) {
  return std::uint64_t{kBytes} * p.n * p.k;
}

// One instruction at one subgroup size. The number is that of rows of B that it takes at once.
struct Row {
  std::string_view feature;
  std::string_view subgroup;
  Dtype in;
  Dtype acc;
  std::uint32_t rows;
  std::string_view options;
  LaunchShape (*pack)(const Problem&, const DeviceShape&);
  LaunchShape (*multiply)(const Problem&, const DeviceShape&);
  std::uint64_t (*workspace)(const Problem&, const DeviceShape&);
};

#define WHICHGPU_INTEL_OPTIONS(subgroup, size, acc, instruction)                           \
  "-DBLOCKS=4 -DPANELS=2 -DSUBGROUPS=8 -DSUBGROUP=" subgroup " -DSIZE=" size " -DACC=" acc \
  " -DMULTIPLY_ADD=intel_sub_group_" instruction

// cl_intel_subgroup_matrix_multiply_accumulate, "New OpenCL C Functions": the smallest subgroup that the
// device supports is the one that its instructions work on.
constexpr std::array kRowsTable = {
    Row{"matrix:fp16/fp32", "subgroup:8", Dtype::kFp16, Dtype::kFp32, 16,
        WHICHGPU_INTEL_OPTIONS("8", "2", "float", "f16_f16_matrix_mad_k16"), PackShape<2>, MultiplyShape<8>,
        Workspace<2>},
    Row{"matrix:fp16/fp32", "subgroup:16", Dtype::kFp16, Dtype::kFp32, 16,
        WHICHGPU_INTEL_OPTIONS("16", "2", "float", "f16_f16_matrix_mad_k16"), PackShape<2>, MultiplyShape<16>,
        Workspace<2>},
    Row{"matrix:bf16/fp32", "subgroup:8", Dtype::kBf16, Dtype::kFp32, 16,
        WHICHGPU_INTEL_OPTIONS("8", "2", "float", "bf16_bf16_matrix_mad_k16"), PackShape<2>, MultiplyShape<8>,
        Workspace<2>},
    Row{"matrix:bf16/fp32", "subgroup:16", Dtype::kBf16, Dtype::kFp32, 16,
        WHICHGPU_INTEL_OPTIONS("16", "2", "float", "bf16_bf16_matrix_mad_k16"), PackShape<2>,
        MultiplyShape<16>, Workspace<2>},
    Row{"matrix:int8/int32", "subgroup:8", Dtype::kInt8, Dtype::kInt32, 32,
        WHICHGPU_INTEL_OPTIONS("8", "1", "int", "i8_i8_matrix_mad_k32"), PackShape<4>, MultiplyShape<8>,
        Workspace<1>},
    Row{"matrix:int8/int32", "subgroup:16", Dtype::kInt8, Dtype::kInt32, 32,
        WHICHGPU_INTEL_OPTIONS("16", "1", "int", "i8_i8_matrix_mad_k32"), PackShape<4>, MultiplyShape<16>,
        Workspace<1>},
};

#undef WHICHGPU_INTEL_OPTIONS

}  // namespace

std::vector<Variant> IntelVariants(std::span<const std::string> features) {
  std::vector<Variant> all;
  for (const Row& row : kRowsTable) {
    if (!Has(features, row.feature) || !Has(features, row.subgroup)) continue;
    Variant variant =
        Own("own:xmx_32x2", Kernel::kGemm, row.in, row.acc,
            {{"pack_b", kGemmIntel, {}, row.options, {{Role::kB}, {Role::kWorkspace}}, row.pack},
             {"gemm_matrix",
              kGemmIntel,
              {},
              row.options,
              {{Role::kA}, {Role::kWorkspace}, {Role::kC}},
              row.multiply}});
    variant.requires_features = {std::string(row.feature), std::string(row.subgroup)};
    variant.multiple_m = kRows * kSubgroups;
    variant.multiple_n = 32;
    variant.multiple_k = row.rows;
    variant.workspace_bytes = row.workspace;
    all.push_back(std::move(variant));
  }
  return all;
}

}  // namespace kernels::opencl
