// SPDX-License-Identifier: MIT
// Every kernel in OpenCL C, as data: which variants suit a device, and how they are launched.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/spec.h"

namespace kernels::opencl {

// `features` as backends/opencl gives them: "cpu" or "gpu", "prefetch" of a processor that gains from it
// (kernels/cpu/prefetch.h), "lanes:<n>" (floats in a vector register), data types. Best first within one
// kernel and type pair.
[[nodiscard]] std::vector<Variant> Variants(std::span<const std::string> features);

[[nodiscard]] std::vector<Variant> CpuVariants(std::span<const std::string> features);
[[nodiscard]] std::vector<Variant> GpuVariants(std::span<const std::string> features);

// By the matrix instructions of cl_intel_subgroup_matrix_multiply_accumulate, for devices with
// "matrix:<in>/<acc>" and "subgroup:<smallest>".
[[nodiscard]] std::vector<Variant> MatrixVariants(std::span<const std::string> features);

// A kernel of one step for one pair of types.
struct EntryRow {
  Kernel kernel;
  Dtype in, acc;
  std::string_view entry;
};
// What every device has, of streams and of products with a vector.
inline constexpr EntryRow kStreams[] = {
    {Kernel::kRead, Dtype::kU32, Dtype::kU32, "read_u32"},
    {Kernel::kCopy, Dtype::kU32, Dtype::kU32, "copy_u32"},
    {Kernel::kTriad, Dtype::kFp32, Dtype::kFp32, "triad_fp32"},
};
inline constexpr EntryRow kGemvs[] = {
    {Kernel::kGemv, Dtype::kFp32, Dtype::kFp32, "gemv_fp32"},
    {Kernel::kGemv, Dtype::kFp16, Dtype::kFp32, "gemv_fp16"},
    {Kernel::kGemv, Dtype::kQ4, Dtype::kFp32, "gemv_q4"},
};
[[nodiscard]] Variant OwnOf(std::string name, const EntryRow& row, std::string_view source,
                            std::string_view options, const Geometry& geometry);
// chain.cl in work-groups of so many work-items, of so many accumulators each.
[[nodiscard]] Variant Chain(std::string_view options, std::uint32_t items, std::uint32_t each);
// A product that has B packed into a workspace of B's size first, by the step before its own.
[[nodiscard]] Variant WithPackedB(Variant product, Step pack);

// Whether `features` has this one.
[[nodiscard]] bool Has(std::span<const std::string> features, std::string_view feature);

}  // namespace kernels::opencl
