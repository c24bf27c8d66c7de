// SPDX-License-Identifier: MIT
// cl_intel_device_attribute_query, and the extensions for sub-groups, which PoCL and Mesa have too.
#include <algorithm>
#include <array>

#include "probe/opencl/opencl_vendors.h"

namespace probe::opencl::intel {

VendorQueries Describe();

namespace {

constexpr std::size_t kMaxSubgroupSizes = 32;

// IP versions: architecture in bits 31:22, release in 21:14, revision in 5:0
// (https://github.com/intel/compute-runtime, third_party/aot_config_headers/platforms.h).
struct IpRow {
  std::uint32_t architecture, first_release, last_release;
  std::string_view name;
};
constexpr std::array kIpRows = {
    IpRow{8, 0, 255, "gen8"},    IpRow{9, 0, 255, "gen9"},    IpRow{11, 0, 255, "gen11"},
    IpRow{12, 0, 10, "xe-lp"},   IpRow{12, 50, 50, "xe-hp"},  IpRow{12, 55, 57, "xe-hpg"},
    IpRow{12, 60, 61, "xe-hpc"}, IpRow{12, 70, 74, "xe-lpg"}, IpRow{20, 0, 255, "xe2"},
    IpRow{30, 0, 255, "xe3"},
};

std::optional<std::string> Architecture(const Reader& reader) {
  const auto ip = reader.Value<cl_uint>(CL_DEVICE_IP_VERSION_INTEL);
  if (!ip) return std::nullopt;
  const std::uint32_t architecture = *ip >> 22U;
  const std::uint32_t release = (*ip >> 14U) & 0xffU;
  for (const auto& row : kIpRows) {
    if (row.architecture == architecture && row.first_release <= release && release <= row.last_release) {
      return std::string(row.name);
    }
  }
  return std::nullopt;
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
  queries.matrix_units = MatrixUnits;
  return queries;
}

}  // namespace probe::opencl::intel
