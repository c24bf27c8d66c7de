// SPDX-License-Identifier: MIT
// For drivers that run on the host processor, with vectors of eight invocations.
#include "kernels/glsl/variants.h"
#include "kernels/operand.h"

namespace kernels::glsl {
namespace {

constexpr std::uint32_t kLanes = 8;

// Fills and streams: more work-groups than threads, so that one that is late holds up little. llvmpipe ends
// every loop after 65535 turns (Mesa, lp_bld_limits.h, LP_MAX_TGSI_LOOP_ITERATIONS), each of four numbers an
// invocation.
Geometry Shares() {
  constexpr std::uint32_t kMaxTurns = 32768;
  return {.groups_a_unit = 8,
          .most_a_group = 4 * kLanes * kMaxTurns,
          .threads = {kLanes, 1},
          .partials_a_group = kLanes};
}

// A smaller tile is never faster, and each costs its compilation.
Variant Gemm() {
  constexpr std::uint32_t kRows = 16;
  constexpr std::uint32_t kColumns = 4 * 4 * kLanes;  // COLUMNS of gemm_texel.comp times a texel's four
  Variant variant =
      OwnOf("own:texel_16x128", {Kernel::kGemm, Dtype::kFp32, Dtype::kFp32, "gemm_fp32_texel_16x4"},
            {.tiles = {{{Number::kN, kColumns}, {Number::kM, kRows}}}, .threads = {kLanes, 1}});
  variant.multiple_m = kRows;
  variant.multiple_n = kColumns;
  variant.multiple_k = 4;
  return variant;
}

Variant Gemv(Dtype dtype, std::string_view module) {
  constexpr std::uint32_t kRows = 8;
  Variant variant =
      OwnOf("own:texel", {Kernel::kGemv, dtype, Dtype::kFp32, module},
            {.tiles = {{{Number::kM, kRows}}}, .threads = {1, 1}, .threads_are_subgroups = true});
  variant.requires_features = {"subgroup_add"};
  variant.multiple_k = kQ4Block;
  return variant;
}

Variant Stream(Kernel kernel, Dtype dtype, std::string_view module) {
  Variant variant = OwnOf("own:texel", {kernel, dtype, dtype, module}, Shares());
  variant.multiple_count = VectorCount(dtype);
  return variant;
}

// Reads its operands as texels: x and those of fp32 as numbers, all others, weights among them, as words.
Variant ByTexels(Variant variant) {
  for (Binding& binding : variant.steps[0].bindings) {
    const Role role = binding.role;
    const bool matrix = role == Role::kA || role == Role::kB;
    if (role == Role::kX || (matrix && variant.in == Dtype::kFp32)) {
      binding.view = View::kTexelFloat4;
    } else if (matrix || role == Role::kIn || role == Role::kW) {
      binding.view = View::kTexelUint4;
    }
  }
  return variant;
}

}  // namespace

std::vector<Variant> CpuVariants() {
  std::vector<Variant> all = Fills(Shares());
  all.push_back(ByTexels(Gemm()));
  all.push_back(Chain("chain_fp32_cpu", kLanes, 12));
  all.push_back(ByTexels(Gemv(Dtype::kFp32, "gemv_fp32_texel")));
  all.push_back(ByTexels(Gemv(Dtype::kFp16, "gemv_fp16_texel")));
  all.push_back(ByTexels(Gemv(Dtype::kQ4, "gemv_q4_texel")));
  all.push_back(ByTexels(Stream(Kernel::kRead, Dtype::kU32, "read_u32_texel")));
  all.push_back(ByTexels(Stream(Kernel::kCopy, Dtype::kU32, "copy_u32_texel")));
  all.push_back(ByTexels(Stream(Kernel::kTriad, Dtype::kFp32, "triad_fp32_texel")));
  return all;
}

}  // namespace kernels::glsl
