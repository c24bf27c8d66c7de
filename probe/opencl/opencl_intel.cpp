// SPDX-License-Identifier: MIT
// cl_intel_device_attribute_query, and the extensions for sub-groups, which PoCL and Mesa have too.
#include <algorithm>
#include <array>
#include <string>

#include "probe/intel/intel_ip.h"
#include "probe/opencl/opencl_vendors.h"

namespace probe::opencl::intel {

VendorQueries Describe();

namespace {

constexpr std::size_t kMaxSubgroupSizes = 32;

std::optional<std::string> Architecture(const Reader& reader) {
  const auto version = reader.Value<cl_uint>(CL_DEVICE_IP_VERSION_INTEL);
  return version ? probe::intel::ArchitectureOfIp(*version) : std::nullopt;
}

std::vector<std::size_t> SubgroupSizes(const Reader& reader) {
  if (!reader.Has("cl_intel_required_subgroup_size")) return {};
  std::vector<std::size_t> sizes(kMaxSubgroupSizes);
  std::size_t bytes = 0;
  const cl_int code = reader.api.clGetDeviceInfo(reader.id, CL_DEVICE_SUB_GROUP_SIZES_INTEL,
                                                 sizes.size() * sizeof(std::size_t), sizes.data(), &bytes);
  sizes.resize(code == CL_SUCCESS ? std::min(bytes / sizeof(std::size_t), sizes.size()) : 0);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

std::vector<std::string> MatrixUnits(const Reader& reader) {
  std::vector<std::string> out;
  if (reader.Has("cl_intel_subgroup_matrix_multiply_accumulate"))
    out = {"fp16/fp32", "bf16/fp32", "int8/int32"};
  if (reader.Has("cl_intel_subgroup_matrix_multiply_accumulate_tf32")) out.emplace_back("tf32/fp32");
  return out;
}

// Sub-slices, which are Xe cores since Xe, as Level Zero's view has them.
std::vector<Fact> FurtherFacts(const Reader& reader) {
  const auto slices = reader.Positive<cl_uint>(CL_DEVICE_NUM_SLICES_INTEL);
  const auto in_one = reader.Positive<cl_uint>(CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL);
  const std::uint64_t cores = std::uint64_t{slices.value_or(0)} * in_one.value_or(0);
  constexpr std::uint64_t kMost = 1U << 20U;  // no device has as many
  if (cores == 0 || cores > kMost) return {};
  return {{"xe_cores", std::to_string(cores)}};
}

// Mesa counts sub-slices (iris_screen.c: max_compute_units), this maker's own driver their execution units.
std::string_view Unit(const Reader& reader) {
  constexpr cl_uint kVendor = 0x8086;
  const auto type = reader.Value<cl_device_type>(CL_DEVICE_TYPE).value_or(0);
  const bool is_other = reader.Value<cl_uint>(CL_DEVICE_VENDOR_ID) == kVendor &&
                        (type & CL_DEVICE_TYPE_GPU) != 0 && !reader.Has("cl_intel_device_attribute_query");
  return is_other ? "sub-slice" : "";
}

constexpr std::array kWordFacts = {FactRow{"ip_version", CL_DEVICE_IP_VERSION_INTEL},
                                   FactRow{"slices", CL_DEVICE_NUM_SLICES_INTEL},
                                   FactRow{"sub_slices_per_slice", CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL},
                                   FactRow{"eus_per_sub_slice", CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL},
                                   FactRow{"threads_per_eu", CL_DEVICE_NUM_THREADS_PER_EU_INTEL}};
constexpr std::array kLongFacts = {FactRow{"feature_capabilities", CL_DEVICE_FEATURE_CAPABILITIES_INTEL}};

}  // namespace

VendorQueries Describe() {
  VendorQueries queries;
  queries.extension = "cl_intel_device_attribute_query";
  queries.device_number = CL_DEVICE_ID_INTEL;
  queries.architecture = Architecture;
  queries.word_facts = kWordFacts;
  queries.long_facts = kLongFacts;
  queries.subgroup_sizes = SubgroupSizes;
  queries.further_facts = FurtherFacts;
  queries.matrix_units = MatrixUnits;
  queries.unit = Unit;
  return queries;
}

}  // namespace probe::opencl::intel
