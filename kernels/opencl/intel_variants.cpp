// SPDX-License-Identifier: MIT
#include "kernels/opencl/modules.h"
#include "kernels/opencl/variants.h"

namespace kernels::opencl {
namespace {

constexpr std::uint32_t kRows = 32;  // of C, a subgroup: BLOCKS * 8
constexpr std::uint32_t kPanels = 2;
constexpr std::uint32_t kSubgroups = 8;

// One instruction at one subgroup size, and the rows of B that it takes at once.
struct MatrixRow {
  std::string_view feature;
  std::string_view subgroup_feature;
  Dtype in;
  Dtype acc;
  std::uint32_t rows;
  std::uint32_t subgroup;
  std::string_view options;
};

#define WHICHGPU_INTEL_OPTIONS(subgroup, size, acc, instruction)                           \
  "-DBLOCKS=4 -DPANELS=2 -DSUBGROUPS=8 -DSUBGROUP=" subgroup " -DSIZE=" size " -DACC=" acc \
  " -DMULTIPLY_ADD=intel_sub_group_" instruction

// cl_intel_subgroup_matrix_multiply_accumulate, "New OpenCL C Functions": the smallest subgroup that the
// device supports is the one that its instructions work on.
constexpr std::array kRowsTable = {
    MatrixRow{"matrix:fp16/fp32", "subgroup:8", Dtype::kFp16, Dtype::kFp32, 16, 8,
              WHICHGPU_INTEL_OPTIONS("8", "2", "float", "f16_f16_matrix_mad_k16")},
    MatrixRow{"matrix:fp16/fp32", "subgroup:16", Dtype::kFp16, Dtype::kFp32, 16, 16,
              WHICHGPU_INTEL_OPTIONS("16", "2", "float", "f16_f16_matrix_mad_k16")},
    MatrixRow{"matrix:bf16/fp32", "subgroup:8", Dtype::kBf16, Dtype::kFp32, 16, 8,
              WHICHGPU_INTEL_OPTIONS("8", "2", "float", "bf16_bf16_matrix_mad_k16")},
    MatrixRow{"matrix:bf16/fp32", "subgroup:16", Dtype::kBf16, Dtype::kFp32, 16, 16,
              WHICHGPU_INTEL_OPTIONS("16", "2", "float", "bf16_bf16_matrix_mad_k16")},
    MatrixRow{"matrix:int8/int32", "subgroup:8", Dtype::kInt8, Dtype::kInt32, 32, 8,
              WHICHGPU_INTEL_OPTIONS("8", "1", "int", "i8_i8_matrix_mad_k32")},
    MatrixRow{"matrix:int8/int32", "subgroup:16", Dtype::kInt8, Dtype::kInt32, 32, 16,
              WHICHGPU_INTEL_OPTIONS("16", "1", "int", "i8_i8_matrix_mad_k32")},
};

#undef WHICHGPU_INTEL_OPTIONS

}  // namespace

std::vector<Variant> MatrixVariants(std::span<const std::string> features) {
  std::vector<Variant> all;
  for (const MatrixRow& row : kRowsTable) {
    if (!Has(features, row.feature) || !Has(features, row.subgroup_feature)) continue;
    const std::uint32_t rows_a_word = 32 / Row(row.in).bits;
    Variant variant = WithPackedB(
        OwnOf("own:xmx_32x2", {Kernel::kGemm, row.in, row.acc, "gemm_matrix"}, kGemmIntelModule, row.options,
              {.tiles = {{{Number::kN, row.subgroup * kPanels}, {Number::kM, kRows * kSubgroups}}},
               .threads = {row.subgroup, kSubgroups}}),
        {.entry = "pack_b",
         .geometry = {.tiles = {{{Number::kN, 16}, {Number::kK, rows_a_word}}}, .threads = {16, 1}},
         .scalars = {{Number::kN}}});
    variant.requires_features = {std::string(row.feature), std::string(row.subgroup_feature)};
    variant.multiple_m = kRows * kSubgroups;
    variant.multiple_n = 32;
    variant.multiple_k = row.rows;
    all.push_back(std::move(variant));
  }
  return all;
}

}  // namespace kernels::opencl
