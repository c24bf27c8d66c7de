// SPDX-License-Identifier: MIT
// What the makers' OpenCL drivers say of their devices by extensions of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <string>

#include "probe/core/report.h"
#include "probe/opencl/opencl_api.h"
#include "probe/unify/unify.h"

namespace probe::opencl {
namespace {

using testing::ElementsAre;

// A device's answers by what is asked, as their bytes; what is not here it does not know.
class Told {
 public:
  Told(std::string_view name, std::string_view extensions) {
    Text(CL_DEVICE_NAME, name).Text(CL_DEVICE_EXTENSIONS, extensions);
    Put(CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_GPU});
  }
  Told& Text(cl_device_info what, std::string_view text) {
    answers_[what] = std::string(text) + '\0';
    return *this;
  }
  template <class T>
  Told& Put(cl_device_info what, const T& value) {
    answers_[what] = {reinterpret_cast<const char*>(&value), sizeof value};
    return *this;
  }

  [[nodiscard]] RuntimeDevice Read() {
    Api api;
    api.clGetDeviceInfo = Answer;
    api.clGetPlatformInfo = [](cl_platform_id, cl_platform_info, std::size_t, void*, std::size_t*) -> cl_int {
      return CL_INVALID_VALUE;
    };
    return ReadDevice(api, nullptr, reinterpret_cast<cl_device_id>(this), 0);
  }

 private:
  static cl_int Answer(cl_device_id id, cl_device_info what, std::size_t room, void* to,
                       std::size_t* needed) {
    const auto& answers = reinterpret_cast<const Told*>(id)->answers_;
    const auto answer = answers.find(what);
    if (answer == answers.end()) return CL_INVALID_VALUE;
    const std::string& bytes = answer->second;
    if (needed != nullptr) *needed = bytes.size();
    if (to != nullptr && room < bytes.size()) return CL_INVALID_VALUE;
    if (to != nullptr) std::memcpy(to, bytes.data(), bytes.size());
    return CL_SUCCESS;
  }

  std::map<cl_device_info, std::string> answers_;
};

std::string FactOf(const RuntimeDevice& device, std::string_view key) {
  const std::string* value = FindFact(device.facts, key);
  return value != nullptr ? *value : "";
}

constexpr std::string_view kOfIntel = "cl_khr_fp16 cl_intel_device_attribute_query";

cl_uint Packed(std::uint32_t architecture, std::uint32_t release, std::uint32_t revision) {
  return architecture << 22U | release << 14U | revision;
}

Told Arc(std::string_view extensions = kOfIntel) {
  Told device("Intel(R) Arc(TM) A770 Graphics", extensions);
  device.Put(CL_DEVICE_VENDOR_ID, cl_uint{0x8086}).Put(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{512});
  device.Put(CL_DEVICE_IP_VERSION_INTEL, Packed(12, 55, 8)).Put(CL_DEVICE_ID_INTEL, cl_uint{0x56a0});
  device.Put(CL_DEVICE_NUM_SLICES_INTEL, cl_uint{8})
      .Put(CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL, cl_uint{4});
  return device;
}

std::uint32_t AmdUnits(const char* name, cl_uint units, cl_uint simds) {
  Told device(name, simds == 0 ? "cl_khr_fp16" : "cl_khr_fp16 cl_amd_device_attribute_query");
  device.Put(CL_DEVICE_MAX_COMPUTE_UNITS, units);
  if (simds != 0) device.Put(CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD, simds);
  return device.Read().compute_units.value_or(0);
}

TEST(AmdOpenCl, CountsPairsOfComputeUnitsOnRdnaUnlessItsSimdsSayOtherwise) {
  EXPECT_EQ(AmdUnits("gfx1100", 48, 4), 96U);
  EXPECT_EQ(AmdUnits("gfx1100", 96, 2), 96U) << "GPU_ENABLE_WGP_MODE=0";
  EXPECT_EQ(AmdUnits("gfx90a:sramecc+:xnack-", 104, 4), 104U);
  EXPECT_EQ(AmdUnits("gfx1100", 96, 0), 96U) << "another driver, without AMD's extension";
}

TEST(IntelOpenCl, NamesTheReleaseAsLevelZeroDoes) {
  const auto of = [](cl_uint version) {
    return Arc().Put(CL_DEVICE_IP_VERSION_INTEL, version).Read().architecture;
  };
  EXPECT_EQ(of(Packed(12, 55, 8)), "ip-12.55");
  EXPECT_EQ(of(Packed(20, 1, 4)), "ip-20.1");
  EXPECT_EQ(of(Packed(9, 0, 9)), "ip-9.0");
  EXPECT_EQ(of(Packed(35, 10, 0)), "ip-35.10") << "newer than every table";
  EXPECT_EQ(of(12U << 16U | 7U << 8U | 1U), std::nullopt) << "what drivers before 2023 told of any DG2";
  EXPECT_EQ(of(0), std::nullopt);
}

TEST(IntelOpenCl, CountsExecutionUnitsAndTellsXeCores) {
  const auto device = Arc().Read();
  EXPECT_EQ(device.compute_units, 512U);
  EXPECT_EQ(FactOf(device, "xe_cores"), "32");
  EXPECT_EQ(FactOf(device, "compute_unit"), "") << "what the table has";
  ASSERT_TRUE(device.identity.ids.has_value());
  EXPECT_EQ(device.identity.ids->device, 0x56a0U);
  const auto absurd = Arc().Put(CL_DEVICE_NUM_SLICES_INTEL, cl_uint{0xffffffff}).Read();
  EXPECT_EQ(FactOf(absurd, "xe_cores"), "");
}

TEST(IntelOpenCl, ByMesaCountsSubSlices) {
  const auto device = Arc("cl_khr_fp16").Put(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{32}).Read();
  EXPECT_EQ(FactOf(device, "compute_unit"), "sub-slice");
  EXPECT_EQ(device.architecture, std::nullopt);
  auto processor = Arc("cl_khr_fp16").Put(CL_DEVICE_TYPE, cl_device_type{CL_DEVICE_TYPE_CPU}).Read();
  EXPECT_EQ(FactOf(processor, "compute_unit"), "");
}

TEST(IntelOpenCl, TellsMatrixUnitsAndSubgroups) {
  const std::string more = " cl_intel_required_subgroup_size cl_intel_subgroup_matrix_multiply_accumulate";
  const std::array<std::size_t, 3> sizes = {32, 8, 16};
  auto device = Arc(std::string(kOfIntel) + more).Put(CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizes).Read();
  EXPECT_THAT(device.matrix_units, ElementsAre("fp16/fp32", "bf16/fp32", "int8/int32"));
  EXPECT_EQ(FactOf(device, "subgroup_sizes"), "8 16 32");
  EXPECT_EQ(FactOf(device, "product_extensions"), "cl_intel_subgroup_matrix_multiply_accumulate");
  device = Arc(std::string(kOfIntel) + more + more + "_tf32").Read();
  EXPECT_THAT(device.matrix_units, testing::Contains("tf32/fp32"));
  EXPECT_TRUE(Arc().Read().matrix_units.empty());
}

TEST(OtherOpenCl, TellsTheExtensionsForProducts) {
  const auto told = [](std::string_view extensions) {
    return FactOf(Told("GPU", extensions).Read(), "product_extensions");
  };
  EXPECT_EQ(told("cl_khr_fp16 cl_qcom_dot_product8 cl_qcom_perf_hint cl_qcom_ml_ops"),
            "cl_qcom_dot_product8 cl_qcom_ml_ops");
  EXPECT_EQ(told("cl_arm_matrix_multiply cl_khr_fp16"), "cl_arm_matrix_multiply");
  EXPECT_EQ(told("cl_khr_fp16"), "");
}

// By which OpenCL's view of a card joins the one on the bus.
TEST(OpenClIdentity, IsToldByTheExtensionThatTheDriverHas) {
  constexpr cl_device_info kNvBus = 0x4008, kNvSlot = 0x4009, kNvDomain = 0x400A;
  const PciAddress at{0, 0x41, 0x1c, 1};
  auto khronos = Told("GPU", "cl_khr_pci_bus_info cl_khr_device_uuid");
  khronos.Put(CL_DEVICE_PCI_BUS_INFO_KHR, cl_device_pci_bus_info_khr{0, 0x41, 0x1c, 1});
  khronos.Put(CL_DEVICE_UUID_KHR, Uuid{1, 2, 3});
  auto nvidia = Told("GPU", "cl_nv_device_attribute_query");
  nvidia.Put(kNvBus, cl_uint{0x41}).Put(kNvSlot, cl_uint{0x1c << 3U | 1U}).Put(kNvDomain, cl_uint{0});
  auto amd = Told("gfx1100", "cl_amd_device_attribute_query");
  cl_device_topology_amd topology{};
  topology.pcie.type = CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD;
  topology.pcie.bus = 0x41;
  topology.pcie.device = 0x1c;
  topology.pcie.function = 1;
  amd.Put(CL_DEVICE_TOPOLOGY_AMD, topology);
  EXPECT_EQ(khronos.Read().identity.uuid, (Uuid{1, 2, 3}));
  for (Told* told : {&khronos, &nvidia, &amd}) {
    ProbeReport bus, opencl;
    bus.module = "sysfs";
    bus.hardware.emplace_back();
    bus.hardware.front().identity.pci = at;
    bus.hardware.front().kind = DeviceKind::kDiscrete;
    opencl.module = "opencl";
    opencl.devices = {told->Read()};
    EXPECT_EQ(opencl.devices.front().identity.pci, at);
    const std::array reports = {bus, opencl};
    std::size_t cards = 0;
    for (const auto& device : unify::Unify(reports)) {
      if (device.kind != DeviceKind::kDiscrete) continue;
      ++cards;
      EXPECT_EQ(device.views.size(), 1U);
    }
    EXPECT_EQ(cards, 1U);
  }
}

}  // namespace
}  // namespace probe::opencl
