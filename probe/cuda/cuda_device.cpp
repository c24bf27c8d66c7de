// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "probe/core/text.h"
#include "probe/cuda/cuda_api.h"

namespace probe::cuda {
namespace {

struct FactRow {
  std::string_view key;
  CuAttribute attribute;
};
constexpr std::array kFacts = {
    FactRow{"memory_bus_bits", kCuMemoryBusBits},
    FactRow{"l2_bytes", kCuL2Bytes},
    FactRow{"ecc", kCuEccEnabled},
    FactRow{"integrated", kCuIntegrated},
    FactRow{"kernel_timeout", kCuKernelTimeout},
    FactRow{"registers_per_block", kCuRegistersPerBlock},
    FactRow{"shared_memory_per_block_bytes", kCuSharedMemoryPerBlockOptin},
    FactRow{"shared_memory_per_multiprocessor_bytes", kCuSharedMemoryPerMultiprocessor},
    FactRow{"threads_per_multiprocessor", kCuThreadsPerMultiprocessor},
};

// What an architecture computes with, from its first compute capability on. Source: CUDA C++ Programming
// Guide, "Compute Capabilities", and PTX ISA, mma.sync: the target of each type.
struct CapabilityRow {
  int capability;  // 10 * major + minor
  std::string_view dtype;
  std::string_view matrix;  // empty: no matrix instruction
};
constexpr std::array kCapabilities = {
    CapabilityRow{20, "fp32", ""},          CapabilityRow{20, "fp64", ""},
    CapabilityRow{20, "int32", ""},         CapabilityRow{53, "fp16", ""},
    CapabilityRow{61, "int8", ""},          CapabilityRow{70, "", "fp16/fp32"},
    CapabilityRow{70, "", "fp16/fp16"},     CapabilityRow{75, "", "int8/int32"},
    CapabilityRow{80, "bf16", "bf16/fp32"}, CapabilityRow{80, "tf32", "tf32/fp32"},
    CapabilityRow{89, "fp8", "fp8/fp32"},   CapabilityRow{100, "fp4", "fp4/fp32"},
};

// Beyond these a driver does not tell a compute capability.
constexpr int kHighestMajor = 999, kHighestMinor = 9;

std::optional<std::string> UuidText(decltype(Api::cuDeviceGetUuid) query, CuDevice device,
                                    Identity& identity) {
  CuUuid uuid{};
  if (query == nullptr || query(&uuid, device) != kCuSuccess) return std::nullopt;
  Uuid bytes{};
  std::copy(uuid.bytes.begin(), uuid.bytes.end(), bytes.begin());
  if (bytes == Uuid{}) return std::nullopt;
  identity.uuid = bytes;
  return ToString(bytes);
}

// The instance's own UUID differs from the GPU's where the device is a MIG instance.
Identity IdentityOf(const Api& api, CuDevice device) {
  Identity identity;
  std::array<char, 32> text{};
  if (api.cuDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()) - 1, device) == kCuSuccess) {
    identity.pci = ParsePciAddress(text.data());
  }
  const auto whole = UuidText(api.cuDeviceGetUuid, device, identity);
  const auto own = UuidText(api.cuDeviceGetUuidOfInstance, device, identity);
  if (whole && own && *whole != *own) identity.partition = "MIG-" + *own;
  return identity;
}

std::string NameOf(const Api& api, CuDevice device) {
  std::array<char, 256> text{};
  if (api.cuDeviceGetName(text.data(), static_cast<int>(text.size()) - 1, device) != kCuSuccess)
    return "NVIDIA GPU";
  const std::string name = CleanText(text.data());
  return name.empty() ? "NVIDIA GPU" : name;
}

// Nothing for numbers that no capability can be.
void AddCapability(int major, int minor, RuntimeDevice& device) {
  if (major < 1 || major > kHighestMajor || minor < 0 || minor > kHighestMinor) return;
  device.architecture = fmt::format("sm_{}{}", major, minor);
  for (const auto& row : kCapabilities) {
    if (10 * major + minor < row.capability) continue;
    if (!row.dtype.empty()) device.dtypes.emplace_back(row.dtype);
    if (!row.matrix.empty()) device.matrix_units.emplace_back(row.matrix);
  }
}

void AddPeers(const Api& api, CuDevice device, RuntimeDevice& out) {
  const auto devices = Devices(api);
  if (api.cuDeviceCanAccessPeer == nullptr || !devices || devices->size() < 2) return;
  std::vector<std::size_t> peers;
  for (std::size_t i = 0; i < devices->size(); ++i) {
    int can = 0;
    if ((*devices)[i] != device && api.cuDeviceCanAccessPeer(&can, device, (*devices)[i]) == kCuSuccess &&
        can != 0) {
      peers.push_back(i);
    }
  }
  out.facts.push_back({"peers", peers.empty() ? "none" : fmt::format("{}", fmt::join(peers, " "))});
}

// Where only one process may compute, or none. That everybody may is not worth a word.
void AddComputeMode(const Api& api, CuDevice device, RuntimeDevice& out) {
  const int mode = Attribute(api, device, kCuComputeMode).value_or(0);
  if (mode == kCuProhibited) out.facts.push_back({"compute_mode", "prohibited"});
  if (mode == kCuExclusive) out.facts.push_back({"compute_mode", "exclusive"});
}

}  // namespace

Error ExplainNoContext(const Api& api, CuDevice device, CuResult code) {
  Error error = ErrorOf("cuDevicePrimaryCtxRetain", code);
  if (code != kCuErrorDeviceUnavailable) return error;
  const int mode = Attribute(api, device, kCuComputeMode).value_or(0);
  if (mode == kCuProhibited) {
    error.name = "compute_prohibited";
    error.text = "the device's compute mode lets no process compute on it";
  } else if (mode == kCuExclusive) {
    error.name = "compute_exclusive";
    error.text = "the device's compute mode lets one process compute on it at a time, and another one does";
  }
  return error;
}

RuntimeDevice ReadDevice(const Api& api, CuDevice id, std::uint32_t ordinal) {
  const auto get = [&](CuAttribute attribute) { return Attribute(api, id, attribute); };
  const auto positive = [&](CuAttribute attribute) -> std::optional<std::uint32_t> {
    const auto value = get(attribute);
    return value && *value > 0 ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  };
  RuntimeDevice device;
  device.runtime = "cuda";
  device.driver = "NVIDIA";
  device.ordinal = ordinal;
  device.identity = IdentityOf(api, id);
  device.name = NameOf(api, id);
  device.vendor = "NVIDIA Corporation";
  device.unified_memory = get(kCuIntegrated).value_or(0) != 0;
  device.kind = *device.unified_memory ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
  const auto major = get(kCuCapabilityMajor);
  const auto minor = get(kCuCapabilityMinor);
  if (major && minor) AddCapability(*major, *minor, device);
  int version = 0;
  if (api.cuDriverGetVersion(&version) == kCuSuccess && version > 0)
    device.api_version = VersionText(version);
  std::size_t total = 0;
  if (api.cuDeviceTotalMem(&total, id) == kCuSuccess && total > 0) device.memory_total_bytes = total;
  device.compute_units = positive(kCuMultiprocessors);
  device.subgroup_width = positive(kCuWarpSize);
  // CUDA 13's driver still answers this; a 0 means that it does not tell.
  if (const auto khz = positive(kCuClockKhz)) device.clock_max_hz = *khz * 1e3;
  if (const auto khz = positive(kCuMemoryClockKhz)) {
    device.facts.push_back({"memory_clock_hz", fmt::format("{}", std::uint64_t{*khz} * 1000)});
  }
  for (const auto& row : kFacts) {
    if (const auto value = get(row.attribute))
      device.facts.push_back({std::string(row.key), fmt::to_string(*value)});
  }
  AddComputeMode(api, id, device);
  AddPeers(api, id, device);
  return device;
}

}  // namespace probe::cuda
