// SPDX-License-Identifier: MIT
// What is made of what libamdhip64 says of its devices: an RX 7900 XTX (48 pairs of compute units) at
// 0000:03:00.0, an MI210 (104 units) at 0000:04:00.0.
#include <gtest/gtest.h>

#include <cstring>

#include "probe/hip/hip_api.h"

namespace probe::hip {
namespace {

bool IsRdna(int device) { return device == 0; }

Api TwoCards() {
  Api api;
  api.hipGetDeviceCount = [](int* count) -> int { return *count = 2, kHipSuccess; };
  api.hipRuntimeGetVersion = [](int* version) -> int { return *version = 60241133, kHipSuccess; };
  api.hipDeviceGet = [](HipDevice* handle, int device) -> int { return *handle = device, kHipSuccess; };
  api.hipDeviceGetName = [](char* name, int, HipDevice) -> int { return *name = '\0', kHipSuccess; };
  api.hipDeviceTotalMem = [](std::size_t* bytes, HipDevice) -> int { return *bytes = 1, kHipSuccess; };
  api.hipDeviceGetPCIBusId = [](char* text, int, int device) -> int {
    return std::strcpy(text, IsRdna(device) ? "0000:03:00.0" : "0000:04:00.0"), kHipSuccess;
  };
  api.hipGetDevicePropertiesR0600 = [](HipProperties* out, int device) -> int {
    const char* target = IsRdna(device) ? "gfx1100" : "gfx90a:sramecc+:xnack-";
    return std::strcpy(out->bytes.data() + kHipArchitectureOffset6, target), kHipSuccess;
  };
  api.hipDeviceGetAttribute = [](int* value, HipAttribute attribute, int device) -> int {
    const bool units = attribute == kHipMultiprocessors || attribute == kHipPhysicalMultiprocessors;
    if (!units) return 1;
    return *value = IsRdna(device) ? 48 : 104, kHipSuccess;
  };
  return api;
}

std::vector<std::uint32_t> Units(const std::vector<amd::KfdNode>& nodes, const char* wgp_mode = nullptr) {
  system::Environment environment;
  if (wgp_mode != nullptr) environment.Set("GPU_ENABLE_WGP_MODE", wgp_mode);
  std::vector<std::uint32_t> units;
  const auto devices = ReadDevices(TwoCards(), nodes, environment);
  for (const RuntimeDevice& device : *devices) units.push_back(device.compute_units.value_or(0));
  return units;
}

using Counts = std::vector<std::uint32_t>;

TEST(HipComputeUnits, AreThoseThatTheKernelCounts) {
  amd::KfdNode navi, aldebaran;
  navi.address = {0, 3, 0, 0};
  navi.compute_units = 96;
  aldebaran.address = {0, 4, 0, 0};
  aldebaran.compute_units = 103;
  EXPECT_EQ(Units({navi, aldebaran}), (Counts{96, 103}));
  EXPECT_EQ(Units({navi, aldebaran}, "0"), (Counts{96, 103}));
}

TEST(HipComputeUnits, AreTwiceThePairsOfRdnaWhereNoKernelTells) {
  EXPECT_EQ(Units({}), (Counts{96, 104}));
  EXPECT_EQ(Units({}, "1"), (Counts{96, 104}));
  EXPECT_EQ(Units({}, "0"), (Counts{48, 104})) << "then HIP counts units";
}

TEST(HipDevice, HasWhatTheKernelKnowsOfItsDiesAndCaches) {
  amd::KfdNode node;
  node.address = {0, 4, 0, 0};
  node.xcc_count = 6;
  node.l3_bytes = 256U << 20U;
  const auto devices = ReadDevices(TwoCards(), {node}, {});
  EXPECT_EQ(*FindFact((*devices)[1].facts, "xcc_count"), "6");
  EXPECT_EQ(*FindFact((*devices)[1].facts, "l3_bytes"), "268435456");
  EXPECT_EQ(FindFact((*devices)[0].facts, "l3_bytes"), nullptr);
}

TEST(HipDevice, WithoutAnAddressIsTheNodeInItsPlace) {
  Api api = TwoCards();
  api.hipDeviceGetPCIBusId = [](char* text, int, int device) -> int {
    return IsRdna(device) ? 1 : (std::strcpy(text, "0000:04:00.0"), kHipSuccess);
  };
  amd::KfdNode navi, aldebaran;
  navi.address = {0, 3, 0, 0};
  aldebaran.address = {0, 4, 0, 0};
  EXPECT_EQ((*ReadDevices(api, {navi, aldebaran}, {}))[0].identity.pci, navi.address);
  EXPECT_FALSE((*ReadDevices(api, {aldebaran, navi}, {}))[0].identity.pci) << "the other is not in its place";
  EXPECT_FALSE((*ReadDevices(api, {navi, aldebaran, navi}, {}))[0].identity.pci) << "it may be the third";
}

// Of four partitions of a card two are shown.
TEST(HipPartitions, AreThoseThatTheVariablesLeave) {
  Api api = TwoCards();
  api.hipDeviceGetPCIBusId = [](char* text, int, int) -> int {
    return std::strcpy(text, "0000:0a:00.0"), kHipSuccess;
  };
  std::vector<amd::KfdNode> nodes(4);
  for (std::uint32_t part = 0; part < 4; ++part) {
    nodes[part].address = {0, 0x0a, 0, 0};
    nodes[part].partition = part;
    nodes[part].compute_units = 38 + part;
  }
  system::Environment environment;
  environment.Set("ROCR_VISIBLE_DEVICES", "3,1");
  const auto devices = ReadDevices(api, nodes, environment);
  EXPECT_EQ((*devices)[0].identity.partition, "xcp3");
  EXPECT_EQ((*devices)[1].identity.partition, "xcp1");
  EXPECT_EQ((*devices)[0].compute_units, 41U);
}

TEST(HipDevice, OfAVirtualMachineHasTheFunctionThatTheKernelSays) {
  amd::KfdNode given;
  given.address = {0, 3, 0, 2};
  const auto devices = ReadDevices(TwoCards(), {given}, {});
  EXPECT_EQ((*devices)[0].identity.pci->function, 2U);
  EXPECT_FALSE((*devices)[0].identity.partition.has_value());
}

int version = 0;
TEST(HipDevice, IsDiscreteOnlyForARuntimeThatTellsApus) {
  Api api = TwoCards();
  api.hipRuntimeGetVersion = [](int* value) -> int { return *value = version, kHipSuccess; };
  amd::KfdNode apu;
  apu.address = {0, 3, 0, 0};
  apu.has_processor = true;
  const auto kind = [&](std::size_t device) { return (*ReadDevices(api, {apu}, {}))[device].kind; };
  version = 60241133;
  EXPECT_EQ(kind(1), DeviceKind::kDiscrete);
  version = 60140093;
  EXPECT_EQ(kind(1), DeviceKind::kUnknown);
  EXPECT_FALSE((*ReadDevices(api, {}, {}))[1].unified_memory.has_value());
  EXPECT_EQ(kind(0), DeviceKind::kIntegrated) << "as the kernel says";
}

}  // namespace
}  // namespace probe::hip
