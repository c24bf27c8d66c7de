// SPDX-License-Identifier: MIT
// What the fake says of its platform and devices.
#include <algorithm>

#include "tests/fakes/opencl/objects.h"

namespace fakes::opencl {
namespace {

std::array<std::uint32_t, 2> Version() {
  return Current().api_version.value_or(std::array<std::uint32_t, 2>{3, 0});
}

std::string VersionText() { return std::to_string(Version()[0]) + "." + std::to_string(Version()[1]); }

// `OpenCL <major>.<minor> <anything>` is what the specification asks for.
std::string PlatformVersion() { return "OpenCL " + VersionText() + " fake"; }

Answers DescribePlatform() {
  return {
      {CL_PLATFORM_PROFILE, Text("FULL_PROFILE")},
      {CL_PLATFORM_VERSION, Text(PlatformVersion())},
      {CL_PLATFORM_NAME, Text(Current().driver_name)},
      {CL_PLATFORM_VENDOR, Text("Fake Vendor")},
      {CL_PLATFORM_EXTENSIONS, Text("cl_khr_icd")},
      {CL_PLATFORM_ICD_SUFFIX_KHR, Text("FAKE")},
      {CL_PLATFORM_NUMERIC_VERSION, Bytes(CL_MAKE_VERSION(Version()[0], Version()[1], 0U))},
      {CL_PLATFORM_HOST_TIMER_RESOLUTION, Bytes(cl_ulong{0})},
  };
}

std::string Extensions(const fakes::Device& facts) {
  std::string list = "cl_khr_global_int32_base_atomics cl_khr_byte_addressable_store cl_khr_device_uuid";
  if (facts.pci) list += " cl_khr_pci_bus_info";
  if (facts.fp16) list += " cl_khr_fp16";
  if (facts.fp64) list += " cl_khr_fp64";
  return list;
}

cl_device_type Type(DeviceType type) {
  switch (type) {
    case DeviceType::kCpu:
      return CL_DEVICE_TYPE_CPU;
    case DeviceType::kOther:
      return CL_DEVICE_TYPE_ACCELERATOR;
    case DeviceType::kIntegrated:
    case DeviceType::kDiscrete:
    case DeviceType::kVirtual:
      break;
  }
  return CL_DEVICE_TYPE_GPU;
}

void DescribeIdentity(const fakes::Device& facts, Answers& out) {
  out[CL_DEVICE_TYPE] = Bytes(Type(facts.type));
  out[CL_DEVICE_VENDOR_ID] = Bytes(cl_uint{facts.vendor_id});
  out[CL_DEVICE_NAME] = Text(facts.name);
  out[CL_DEVICE_VENDOR] = Text(facts.vendor);
  out[CL_DRIVER_VERSION] = Text(Current().driver_version);
  out[CL_DEVICE_PROFILE] = Text("FULL_PROFILE");
  out[CL_DEVICE_VERSION] = Text(PlatformVersion());
  out[CL_DEVICE_NUMERIC_VERSION] = Bytes(CL_MAKE_VERSION(Version()[0], Version()[1], 0U));
  out[CL_DEVICE_OPENCL_C_VERSION] = Text("OpenCL C 1.2 fake");
  out[CL_DEVICE_EXTENSIONS] = Text(Extensions(facts));
  out[CL_DEVICE_PLATFORM] = Bytes(To<cl_platform_id>(&ThePlatform()));
  out[CL_DEVICE_PARENT_DEVICE] = Bytes(cl_device_id{nullptr});
  out[CL_DEVICE_REFERENCE_COUNT] = Bytes(cl_uint{1});
  out[CL_DEVICE_UUID_KHR] = Bytes(facts.uuid);
  out[CL_DRIVER_UUID_KHR] = Bytes(facts.driver_uuid);
  out[CL_DEVICE_LUID_VALID_KHR] = Bytes(cl_bool{CL_FALSE});
  if (facts.pci) {
    out[CL_DEVICE_PCI_BUS_INFO_KHR] = Bytes(cl_device_pci_bus_info_khr{
        facts.pci->domain, facts.pci->bus, facts.pci->device, facts.pci->function});
  }
}

void DescribeMemory(const fakes::Device& facts, Answers& out) {
  out[CL_DEVICE_GLOBAL_MEM_SIZE] = Bytes(cl_ulong{facts.memory_total_bytes});
  out[CL_DEVICE_MAX_MEM_ALLOC_SIZE] = Bytes(cl_ulong{facts.max_buffer_bytes});
  out[CL_DEVICE_GLOBAL_MEM_CACHE_TYPE] = Bytes(cl_device_mem_cache_type{CL_READ_WRITE_CACHE});
  out[CL_DEVICE_GLOBAL_MEM_CACHE_SIZE] = Bytes(cl_ulong{4U << 20U});
  out[CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE] = Bytes(cl_uint{64});
  out[CL_DEVICE_LOCAL_MEM_TYPE] = Bytes(cl_device_local_mem_type{CL_LOCAL});
  out[CL_DEVICE_LOCAL_MEM_SIZE] = Bytes(cl_ulong{facts.shared_memory_bytes});
  out[CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE] = Bytes(cl_ulong{65536});
  out[CL_DEVICE_MAX_CONSTANT_ARGS] = Bytes(cl_uint{8});
  out[CL_DEVICE_MEM_BASE_ADDR_ALIGN] = Bytes(cl_uint{1024});
  out[CL_DEVICE_HOST_UNIFIED_MEMORY] = Bytes(facts.unified_memory ? cl_bool{CL_TRUE} : cl_bool{CL_FALSE});
  out[CL_DEVICE_ERROR_CORRECTION_SUPPORT] = Bytes(cl_bool{CL_FALSE});
  out[CL_DEVICE_SVM_CAPABILITIES] = Bytes(cl_device_svm_capabilities{0});
  out[CL_DEVICE_IMAGE_SUPPORT] = Bytes(cl_bool{CL_FALSE});
}

void DescribeExecution(const fakes::Device& facts, Answers& out) {
  constexpr cl_device_fp_config kSingleConfig = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA;
  out[CL_DEVICE_MAX_COMPUTE_UNITS] = Bytes(cl_uint{facts.compute_units});
  out[CL_DEVICE_MAX_CLOCK_FREQUENCY] = Bytes(cl_uint{facts.clock_mhz});
  out[CL_DEVICE_MAX_WORK_GROUP_SIZE] = Bytes(std::size_t{facts.max_workgroup_size});
  out[CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS] = Bytes(cl_uint{3});
  out[CL_DEVICE_MAX_WORK_ITEM_SIZES] = Bytes(std::vector<std::size_t>(3, facts.max_workgroup_size));
  out[CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE] = Bytes(std::size_t{facts.subgroup_width});
  out[CL_DEVICE_MAX_PARAMETER_SIZE] = Bytes(std::size_t{1024});
  out[CL_DEVICE_ADDRESS_BITS] = Bytes(cl_uint{64});
  out[CL_DEVICE_ENDIAN_LITTLE] = Bytes(cl_bool{CL_TRUE});
  out[CL_DEVICE_AVAILABLE] = Bytes(cl_bool{CL_TRUE});
  out[CL_DEVICE_COMPILER_AVAILABLE] = Bytes(cl_bool{CL_TRUE});
  out[CL_DEVICE_LINKER_AVAILABLE] = Bytes(cl_bool{CL_FALSE});
  out[CL_DEVICE_EXECUTION_CAPABILITIES] = Bytes(cl_device_exec_capabilities{CL_EXEC_KERNEL});
  out[CL_DEVICE_QUEUE_PROPERTIES] = Bytes(cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
  out[CL_DEVICE_PROFILING_TIMER_RESOLUTION] = Bytes(std::size_t{1});
  out[CL_DEVICE_SINGLE_FP_CONFIG] = Bytes(kSingleConfig);
  out[CL_DEVICE_DOUBLE_FP_CONFIG] = Bytes(facts.fp64 ? kSingleConfig : cl_device_fp_config{0});
  out[CL_DEVICE_HALF_FP_CONFIG] = Bytes(facts.fp16 ? kSingleConfig : cl_device_fp_config{0});
  out[CL_DEVICE_PARTITION_MAX_SUB_DEVICES] = Bytes(cl_uint{0});
  out[CL_DEVICE_BUILT_IN_KERNELS] = Text("");
}

void DescribeVectors(const fakes::Device& facts, Answers& out) {
  const auto put = [&](std::initializer_list<int> widths, bool supported) {
    for (const int width : widths) out[static_cast<cl_uint>(width)] = Bytes(cl_uint{supported ? 1U : 0U});
  };
  put({CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
       CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
       CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
       CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
       CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT},
      true);
  put({CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE}, facts.fp64);
  put({CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF}, facts.fp16);
}

Answers DescribeDevice(const fakes::Device& facts) {
  Answers out;
  DescribeIdentity(facts, out);
  DescribeMemory(facts, out);
  DescribeExecution(facts, out);
  DescribeVectors(facts, out);
  return out;
}

cl_int CL_API_CALL GetPlatformIds(cl_uint space, cl_platform_id* platforms, cl_uint* count) {
  if (count != nullptr) *count = 1;
  if (platforms != nullptr && space > 0) platforms[0] = To<cl_platform_id>(&ThePlatform());
  return CL_SUCCESS;
}

cl_int CL_API_CALL GetPlatformInfo(cl_platform_id, cl_platform_info parameter, std::size_t space, void* value,
                                   std::size_t* needed) {
  return Reply(DescribePlatform(), parameter, space, value, needed);
}

cl_int CL_API_CALL GetDeviceIds(cl_platform_id, cl_device_type type, cl_uint space, cl_device_id* out,
                                cl_uint* count) {
  if (const cl_int error = At(Point::kEnumerate); error != CL_SUCCESS) return error;
  cl_uint found = 0;
  for (const auto& device : Devices()) {
    const bool wanted = (type & (Type(device->facts.type) | CL_DEVICE_TYPE_DEFAULT)) != 0;
    if (!wanted) continue;
    if (out != nullptr && found < space) out[found] = To<cl_device_id>(device.get());
    ++found;
  }
  if (count != nullptr) *count = found;
  return found == 0 ? CL_DEVICE_NOT_FOUND : CL_SUCCESS;
}

cl_int CL_API_CALL GetDeviceInfo(cl_device_id handle, cl_device_info parameter, std::size_t space,
                                 void* value, std::size_t* needed) {
  const Device& device = *From<Device>(handle);
  if (const cl_int error = At(Point::kProperties, device.index); error != CL_SUCCESS) return error;
  return Reply(DescribeDevice(device.facts), parameter, space, value, needed);
}

cl_int CL_API_CALL Keep(cl_device_id) { return CL_SUCCESS; }

}  // namespace

Platform& ThePlatform() {
  static Platform platform;
  return platform;
}

std::span<const std::unique_ptr<Device>> Devices() {
  static const auto devices = [] {
    std::vector<std::unique_ptr<Device>> list;
    list.reserve(Current().devices.size());
    for (std::uint32_t i = 0; i < Current().devices.size(); ++i) list.push_back(std::make_unique<Device>(i));
    return list;
  }();
  return devices;
}

void AddPlatform(cl_icd_dispatch& table) {
  table.clGetPlatformIDs = GetPlatformIds;
  table.clGetPlatformInfo = GetPlatformInfo;
  table.clGetDeviceIDs = GetDeviceIds;
  table.clGetDeviceInfo = GetDeviceInfo;
  table.clRetainDevice = Keep;
  table.clReleaseDevice = Keep;
}

}  // namespace fakes::opencl
