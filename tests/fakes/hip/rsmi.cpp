// SPDX-License-Identifier: MIT
// A fake librocm_smi64: knows every GPU, whatever the variables hide.
#include "tests/fakes/hip/state.h"

namespace fakes::hip {
namespace {

const Slot* At(std::uint32_t index) { return index < All().size() ? &All()[index] : nullptr; }

int Answer(std::uint32_t index, const char* attribute, std::uint64_t scale, std::uint64_t* value) {
  const auto known = At(index) == nullptr ? -1 : Get(*At(index)->gpu, attribute, -1);
  if (known < 0) return kNotSupported;
  *value = static_cast<std::uint64_t>(known) * scale;
  return kSuccess;
}

}  // namespace
}  // namespace fakes::hip

using namespace fakes::hip;  // NOLINT: the entry points below are C

FAKE_HIP rsmi_init(std::uint64_t) { return static_cast<int>(GetOfDriver("rsmi_init", 0)); }
FAKE_HIP rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = static_cast<std::uint32_t>(All().size());
  return kSuccess;
}
FAKE_HIP rsmi_dev_pci_id_get(std::uint32_t index, std::uint64_t* place) {
  if (At(index) == nullptr) return kInvalidValue;
  const fakes::PciBus pci = At(index)->gpu->pci.value_or(fakes::PciBus{});
  *place = std::uint64_t{pci.domain} << 32U | std::uint64_t{At(index)->part} << 28U |
           std::uint64_t{pci.bus} << 8U | std::uint64_t{pci.device} << 3U;
  return kSuccess;
}
FAKE_HIP rsmi_dev_memory_total_get(std::uint32_t index, unsigned int, std::uint64_t* bytes) {
  if (At(index) == nullptr) return kInvalidValue;
  *bytes = At(index)->self().memory_total_bytes;
  return kSuccess;
}
FAKE_HIP rsmi_dev_memory_usage_get(std::uint32_t index, unsigned int, std::uint64_t* bytes) {
  return Answer(index, "memory_used_bytes", 1, bytes);
}
FAKE_HIP rsmi_dev_busy_percent_get(std::uint32_t index, std::uint32_t* percent) {
  std::uint64_t value = 0;
  const int code = Answer(index, "busy_percent", 1, &value);
  *percent = static_cast<std::uint32_t>(value);
  return code;
}
FAKE_HIP rsmi_dev_power_ave_get(std::uint32_t index, std::uint32_t, std::uint64_t* microwatts) {
  return Answer(index, "power_mw", 1000, microwatts);
}
FAKE_HIP rsmi_dev_power_cap_get(std::uint32_t index, std::uint32_t, std::uint64_t* microwatts) {
  return Answer(index, "power_limit_mw", 1000, microwatts);
}
