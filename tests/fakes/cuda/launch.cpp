// SPDX-License-Identifier: MIT
// cuLaunchKernel of the fake: checks the launch as a driver does, computes it from its arguments, then spoils
// the results if the scenario says so.
#include "tests/fakes/common/launch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string_view>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/kernels.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/cuda/state.h"

namespace fakes::cuda {
namespace {

std::uint32_t launches = 0;

bool IsLost(const Device& device) {
  return device.lost_after_launches && launches++ >= *device.lost_after_launches;
}

bool IsProduct(std::string_view entry) {
  constexpr std::array kFamilies = {"gemm_", "wgmma_", "tma_", "umma_", "scaled_", "turing_", "volta_"};
  return std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](const char* family) { return entry.starts_with(family); });
}

// Every buffer of a launch may be its output.
void Spoil(const Device& device, const Entry& entry, const std::vector<std::uint64_t>& values,
           const fakes::Work& work) {
  std::vector<std::span<std::byte>> outputs;
  for (std::size_t i = 0; device.results != Results::kNone && i < values.size(); ++i) {
    if (entry.parameter_bytes[i] == sizeof(nv::CuPointer) && !entry.name.starts_with("fill")) {
      outputs.push_back(MemoryAt(values[i]));
    }
  }
  Launch(device, outputs, work);
}

// The address in a tensor map that the device could follow: encoded here, and not yet changed.
std::uint64_t Mapped(const void* argument, fakes::KernelLaunch& launch) {
  TensorMap map{};
  std::memcpy(&map, argument, sizeof map);
  if (map.magic != kTensorMapMagic || reinterpret_cast<std::uintptr_t>(argument) % 64 != 0) return 0;
  launch.maps.push_back({map.rows, map.row_bytes, map.box_rows});
  return map.address;
}

}  // namespace
}  // namespace fakes::cuda

using namespace fakes::cuda;  // NOLINT: the entry points below are C

FAKE_CUDA cuLaunchKernel(nv::CuFunction function, unsigned int grid_x, unsigned int grid_y,
                         unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                         unsigned int block_z, unsigned int shared_bytes, nv::CuStream, void** arguments,
                         void**) {
  const Slot* slot = CurrentSlot();
  if (slot == nullptr) return kInvalidContext;
  if (Broken() != kSuccess) return Broken();
  if (const int code = Ready(fakes::Point::kLaunch, slot->index); code != kSuccess) return code;
  const auto& entry = *reinterpret_cast<const Entry*>(function);
  const std::uint64_t threads = std::uint64_t{block_x} * block_y * block_z;
  if (threads == 0 || grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > 65535 || grid_z > 65535) {
    return kInvalidValue;
  }
  if (shared_bytes > 0 && entry.shared_percent < Get(*slot->gpu, "least_shared_percent", -1))
    return kLaunchOutOfResources;
  if (grid_x % entry.cluster != 0) return kInvalidClusterSize;
  if ((entry.required_threads != 0 && threads > entry.required_threads) ||
      threads > slot->gpu->max_workgroup_size || shared_bytes > entry.max_dynamic_shared_bytes) {
    return kLaunchOutOfResources;
  }
  if (IsLost(*slot->gpu)) return Broken() = kLaunchFailed;
  if (entry.faults || fakes::Faults(*slot->gpu, entry.name)) {
    Broken() = kIllegalAddress;  // the launch itself is fine: whoever waits for it learns it
    return kSuccess;
  }
  fakes::KernelLaunch launch{entry.name, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}};
  for (std::size_t i = 0; i < entry.parameter_bytes.size(); ++i) {
    std::uint64_t value = 0;
    if (entry.parameter_bytes[i] == kTensorMapBytes) {
      value = Mapped(arguments[i], launch);
    } else {
      std::memcpy(&value, arguments[i], entry.parameter_bytes[i]);
    }
    launch.values.push_back(value);
  }
  fakes::Work work{std::chrono::steady_clock::now(), 0, IsProduct(entry.name)};
  switch (fakes::Compute(launch, work.processor_s)) {
    case fakes::Computed::kDone:
      break;
    case fakes::Computed::kRefused:
      return kInvalidValue;
    case fakes::Computed::kOutOfBounds:
      return Broken() = kIllegalAddress;
  }
  Spoil(*slot->gpu, entry, launch.values, work);
  return kSuccess;
}

// PTX ISA and CUDA Driver API, "Tensor Map Object Management": what the kernels here rely on, and nothing
// else.
FAKE_CUDA cuTensorMapEncodeTiled(nv::CuTensorMap* map, nv::CuMapType type, std::uint32_t rank, void* address,
                                 const std::uint64_t* edges, const std::uint64_t* strides,
                                 const std::uint32_t* box, const std::uint32_t* steps,
                                 nv::CuMapInterleave interleave, nv::CuMapSwizzle swizzle,
                                 nv::CuMapPromotion promotion, nv::CuMapFill fill) {
  const bool taken = type == nv::kCuMapBytes && rank == 2 && steps[0] == 1 && steps[1] == 1 &&
                     interleave == nv::kCuMapNoInterleave && swizzle == nv::kCuMapSwizzle128 &&
                     promotion == nv::kCuMapPromote256 && fill == nv::kCuMapFillZero && box[0] == 128 &&
                     box[1] > 0 && box[1] <= 256;
  const auto from = reinterpret_cast<std::uintptr_t>(address);
  if (!taken || from % 16 != 0 || reinterpret_cast<std::uintptr_t>(map) % 64 != 0 || edges[0] == 0 ||
      edges[1] == 0 || strides[0] % 16 != 0 || strides[0] != edges[0])
    return kInvalidValue;
  const TensorMap encoded{kTensorMapMagic, from, edges[1], edges[0], box[1]};
  std::memcpy(map, &encoded, sizeof encoded);
  return kSuccess;
}
