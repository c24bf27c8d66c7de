// SPDX-License-Identifier: MIT
// Modules and launches of the fake libamdhip64: a code object is that of the fake compiler and of this
// device's target; a launch is checked as a driver checks it, computed from its arguments, then spoiled if
// the scenario says so.
#include <cstring>
#include <memory>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/kernels.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/hip/program.h"
#include "tests/fakes/hip/state.h"

namespace fakes::hip {
namespace {

std::uint32_t launches = 0;

bool IsLost(const Device& device) {
  return device.lost_after_launches && launches++ >= *device.lost_after_launches;
}

// kernels/hip: a work-group's waves have 8 chains of 16x16; a step is 64 bytes of k on CDNA (of fp8 on CDNA 4
// an instruction's 128), an instruction's on RDNA.
MatrixUnit UnitOf(const Slot& slot, const std::string& entry) {
  const bool cdna4 = Get(*slot.gpu, "gfx", 110000) / 100 == 905;
  if (!IsRdna(slot)) return {64, 8 * 256, entry == "chain_fp8" && cdna4 ? 128U : 64U};
  const bool narrow = entry == "chain_int8" && Get(*slot.gpu, "gfx", 110000) < 120000;
  return {32, 8 * 256, narrow ? 16U : 32U};
}

// Every buffer of a launch may be its output.
void Spoil(const Device& device, const Entry& entry, const std::vector<std::uint64_t>& values) {
  std::vector<std::span<std::byte>> outputs;
  for (std::size_t i = 0; device.results != Results::kNone && i < values.size(); ++i) {
    if (entry.parameter_bytes[i] == sizeof(void*) && !entry.name.starts_with("fill")) {
      outputs.push_back(MemoryAt(values[i]));
    }
  }
  Launch(device, outputs);
}

}  // namespace
}  // namespace fakes::hip

using namespace fakes::hip;  // NOLINT: the entry points below are C

FAKE_HIP hipModuleLoadData(rt::HipModule* module, const void* image) {
  if (CurrentSlot() == nullptr) return Fail(kNoDevice);
  if (Broken() != kSuccess) return Broken();
  auto program = ReadCode(image);
  if (!program) return Fail(kInvalidImage);
  if (program->target != TargetOf(*CurrentSlot())) return Fail(kNoBinaryForGpu);
  *module = reinterpret_cast<rt::HipModule>(new Program(*std::move(program)));
  return kSuccess;
}
FAKE_HIP hipModuleGetFunction(rt::HipFunction* function, rt::HipModule module, const char* name) {
  for (auto& entry : reinterpret_cast<Program*>(module)->entries) {
    if (entry.name != name) continue;
    *function = reinterpret_cast<rt::HipFunction>(&entry);
    return kSuccess;
  }
  return Fail(kNotFound);
}
FAKE_HIP hipFuncGetAttribute(int* value, int attribute, rt::HipFunction function) {
  if (attribute != rt::kHipFunctionMaxThreads) return Fail(kInvalidValue);
  *value = static_cast<int>(reinterpret_cast<const Entry*>(function)->max_threads);
  return kSuccess;
}
FAKE_HIP hipModuleLaunchKernel(rt::HipFunction function, unsigned int grid_x, unsigned int grid_y,
                               unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                               unsigned int block_z, unsigned int shared_bytes, rt::HipStream,
                               void** arguments, void**) {
  if (const int code = Usable(fakes::Point::kLaunch); code != kSuccess) return code;
  const Slot& slot = *CurrentSlot();
  const auto& entry = *reinterpret_cast<const Entry*>(function);
  const std::uint64_t threads = std::uint64_t{block_x} * block_y * block_z;
  if (threads == 0 || grid_x == 0 || grid_y == 0 || grid_z == 0) return Fail(kInvalidValue);
  if (threads > entry.max_threads || shared_bytes > 65536) return Fail(kLaunchOutOfResources);
  if (IsLost(*slot.gpu)) return Broken() = kLaunchFailed;
  if (fakes::Faults(*slot.gpu, entry.name)) {
    Broken() = kIllegalAddress;  // the launch itself is fine: whoever waits for it learns it
    return kSuccess;
  }
  fakes::KernelLaunch launch{
      entry.name, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {}, UnitOf(slot, entry.name)};
  for (std::size_t i = 0; i < entry.parameter_bytes.size(); ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, arguments[i], entry.parameter_bytes[i]);
    launch.values.push_back(value);
  }
  switch (fakes::Compute(launch)) {
    case fakes::Computed::kDone:
      break;
    case fakes::Computed::kRefused:
      return Fail(kInvalidValue);
    case fakes::Computed::kOutOfBounds:
      return Broken() = kIllegalAddress;
  }
  Spoil(*slot.gpu, entry, launch.values);
  return kSuccess;
}
