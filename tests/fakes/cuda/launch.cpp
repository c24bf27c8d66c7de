// SPDX-License-Identifier: MIT
// cuLaunchKernel of the fake: checks the launch as a driver does, computes it from its arguments, then spoils
// the results if the scenario says so.
#include "tests/fakes/common/launch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

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
  constexpr std::array kFamilies = {"gemm_", "wgmma_", "scaled_", "turing_", "volta_"};
  return std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](const char* family) { return entry.starts_with(family); });
}

// Every buffer of a launch may be its output.
void Spoil(const Device& device, const Entry& entry, const std::vector<std::uint64_t>& values,
           double product_s) {
  std::vector<std::span<std::byte>> outputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (entry.parameter_bytes[i] == sizeof(nv::CuPointer) && !entry.name.starts_with("fill")) {
      outputs.push_back(MemoryAt(values[i]));
    }
  }
  Launch(device, outputs, product_s);
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
  if ((entry.required_threads != 0 && threads > entry.required_threads) ||
      threads > slot->gpu->max_workgroup_size || shared_bytes > entry.max_dynamic_shared_bytes) {
    return kLaunchOutOfResources;
  }
  if (IsLost(*slot->gpu)) return Broken() = kLaunchFailed;
  const auto is_one_of = [&](const std::string& names) {
    return !names.empty() && entry.name.starts_with(names);
  };
  if (is_one_of(slot->gpu->crashing_kernels)) std::abort();
  if (is_one_of(slot->gpu->hanging_kernels)) std::this_thread::sleep_for(std::chrono::hours(1));
  if (is_one_of(slot->gpu->faulting_kernels)) {
    Broken() = kIllegalAddress;  // the launch itself is fine: whoever waits for it learns it
    return kSuccess;
  }
  fakes::KernelLaunch launch{entry.name, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {}};
  for (std::size_t i = 0; i < entry.parameter_bytes.size(); ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, arguments[i], entry.parameter_bytes[i]);
    launch.values.push_back(value);
  }
  const auto start = std::chrono::steady_clock::now();
  switch (fakes::Compute(launch)) {
    case fakes::Computed::kDone:
      break;
    case fakes::Computed::kRefused:
      return kInvalidValue;
    case fakes::Computed::kOutOfBounds:
      return Broken() = kIllegalAddress;
  }
  const std::chrono::duration<double> computed = std::chrono::steady_clock::now() - start;
  const double product_s = IsProduct(entry.name) ? computed.count() : 0;
  Spoil(*slot->gpu, entry, launch.values, product_s);
  return kSuccess;
}
