// SPDX-License-Identifier: MIT
// What the fake's devices say of themselves.
#include <cstdio>
#include <cstring>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/sycl/state.h"

namespace fakes::sycl {
namespace {

// The answer to one question, as bytes.
class Answer {
 public:
  template <class T>
  void Say(const T& value) {
    bytes_.resize(sizeof value);
    std::memcpy(bytes_.data(), &value, sizeof value);
  }
  void Say(const std::string& text) { bytes_.assign(text.c_str(), text.c_str() + text.size() + 1); }
  void Say(const std::vector<std::uint32_t>& numbers) {
    bytes_.resize(numbers.size() * sizeof(std::uint32_t));
    std::memcpy(bytes_.data(), numbers.data(), bytes_.size());
  }
  [[nodiscard]] std::uint32_t Give(std::size_t size, void* value, std::size_t* needed) const {
    if (bytes_.empty()) return kUnsupported;
    if (needed != nullptr) *needed = bytes_.size();
    if (value == nullptr) return ur::kUrSuccess;
    if (size < bytes_.size()) return kInvalidSize;
    std::memcpy(value, bytes_.data(), bytes_.size());
    return ur::kUrSuccess;
  }

 private:
  static constexpr std::uint32_t kUnsupported = 54, kInvalidSize = 49;
  std::vector<char> bytes_;
};

std::string AddressText(const PciBus& at) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", at.domain, at.bus, at.device, at.function);
  return text.data();
}

// Of a GPU alone.
void SayOfGpu(const Slot& slot, ur::UrDeviceInfo what, Answer& answer) {
  const Device& gpu = *slot.gpu;
  const auto ip = static_cast<std::uint32_t>(Get(gpu, "ip", 1255));
  switch (what) {
    case ur::kUrPciAddress:
      if (gpu.pci && Get(gpu, "no_pci", 0) == 0) answer.Say(AddressText(*gpu.pci));
      break;
    case ur::kUrIpVersion:
      answer.Say(ip / 100 << 22U | ip % 100 << 14U | 8U);
      break;
    case ur::kUrFreeBytes:
      if (gpu.memory_free_bytes) answer.Say(*gpu.memory_free_bytes);
      break;
    case ur::kUrMostParts:
      answer.Say(slot.tiles);
      break;
    default:
      break;
  }
}

void SayWords(const Slot& slot, ur::UrDeviceInfo what, Answer& answer) {
  const Device& gpu = *slot.gpu;
  const bool is_processor = IsProcessor(slot);
  switch (what) {
    case ur::kUrType:
      answer.Say(std::uint32_t{is_processor ? ur::kUrCpu : ur::kUrGpu});
      break;
    case ur::kUrVendorId:
      answer.Say(gpu.vendor_id);
      break;
    case ur::kUrDeviceId:
      answer.Say(gpu.device_id);
      break;
    case ur::kUrComputeUnits:
      answer.Say(slot.self().compute_units);
      break;
    case ur::kUrHalf:
      answer.Say(std::uint32_t{gpu.fp16 ? 63U : 0U});
      break;
    case ur::kUrDouble:
      answer.Say(std::uint32_t{gpu.fp64 ? 63U : 0U});
      break;
    case ur::kUrClockMhz:
      answer.Say(gpu.clock_mhz);
      break;
    case ur::kUrVectorWidthFloat:
      answer.Say(std::uint32_t{is_processor ? 16U : 1U});
      break;
    case ur::kUrSubgroupSizes:
      answer.Say(Get(gpu, "ip", 1255) >= 1260 ? std::vector<std::uint32_t>{32, 16}
                                              : std::vector<std::uint32_t>{32, 16, 8});
      break;
    default:
      break;
  }
}

void SayRest(const Slot& slot, ur::UrDeviceInfo what, Answer& answer) {
  const Device& gpu = *slot.gpu;
  switch (what) {
    case ur::kUrWorkGroupSize:
      answer.Say(std::size_t{gpu.max_workgroup_size});
      break;
    case ur::kUrMaxAllocation:
      answer.Say(slot.self().max_buffer_bytes);
      break;
    case ur::kUrCacheBytes:
      answer.Say(std::uint64_t{16U << 20U});
      break;
    case ur::kUrMemoryBytes:
      answer.Say(slot.self().memory_total_bytes);
      break;
    case ur::kUrLocalBytes:
      answer.Say(std::uint64_t{gpu.shared_memory_bytes});
      break;
    case ur::kUrUnifiedMemory:
      answer.Say(gpu.type == DeviceType::kIntegrated || IsProcessor(slot));
      break;
    case ur::kUrIlVersion:
      answer.Say(std::string(Get(gpu, "no_spirv", 0) != 0 ? "" : "SPIR-V_1.4"));
      break;
    case ur::kUrName:
      answer.Say(gpu.name);
      break;
    case ur::kUrDriverVersion:
      answer.Say(std::string("1.6.31294"));
      break;
    case ur::kUrRuntimeVersion:
      answer.Say(std::string("1.6"));
      break;
    case ur::kUrUuid:
      answer.Say(level_zero::UuidOf(slot));
      break;
    default:
      break;
  }
}

}  // namespace
}  // namespace fakes::sycl

using namespace fakes::sycl;  // NOLINT: the entry points below are C

FAKE_UR urDeviceGetInfo(ur::UrDevice handle, ur::UrDeviceInfo what, std::size_t size, void* value,
                        std::size_t* needed) {
  const Slot* slot = SlotOf(handle);
  if (slot == nullptr) return ur::kUrInvalidNullHandle;
  if (const auto error = fakes::Reach(fakes::Point::kProperties, slot->index))
    return static_cast<std::uint32_t>(*error);
  Answer answer;
  if (!IsProcessor(*slot)) SayOfGpu(*slot, what, answer);
  SayWords(*slot, what, answer);
  SayRest(*slot, what, answer);
  return answer.Give(size, value, needed);
}
