// SPDX-License-Identifier: MIT
#include "backends/core/sharing.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "probe/core/load.h"
#include "probe/core/vendor.h"
#include "probe/system/card_sensors.h"
#include "probe/system/pcie_link.h"

namespace backends {
namespace {

std::string SizeText(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024;
  return bytes < kKiB * kKiB ? std::to_string(bytes / kKiB) + " KiB"
                             : std::to_string(bytes / kKiB / kKiB) + " MiB";
}

}  // namespace

unsigned PercentWhenFound(const probe::RuntimeDevice& device) {
  const std::string* fact = probe::FindFact(device.facts, probe::kUtilizationFact);
  unsigned percent = 0;
  if (fact != nullptr) std::from_chars(fact->data(), fact->data() + fact->size(), percent);
  return percent;
}

std::string LoadOfOthers(const probe::RuntimeDevice& device) {
  return probe::BusyText(PercentWhenFound(device));
}

DeviceState StateOfCard(const probe::RuntimeDevice& device, const probe::system::FileSystem& files) {
  DeviceState state;
  if (!device.identity.pci) return state;
  const std::string card = "/sys/bus/pci/devices/" + ToString(*device.identity.pci);
  auto causes = probe::ThrottledBy(files, card);
  if (causes && *causes != "none") state.throttled_by = *std::move(causes);
  const auto maker = files.ReadNumber(card + "/vendor");
  const auto* vendor = maker ? probe::FindVendor(static_cast<std::uint32_t>(*maker)) : nullptr;
  const bool may_be_inner = vendor != nullptr && vendor->shows_inner_link;
  const auto sensors = probe::system::ReadCardSensors(files, card);
  state.temperature_c = sensors.temperature_c;
  state.power_w = sensors.power_w;
  if (const auto link = probe::system::ReadCardLink(files, card, may_be_inner); !link.internal)
    state.pcie = link.link;
  return state;
}

void ShareWith(std::string others, OthersWork work, Limits& limits) {
  limits.shared_percent = work == OthersWork::kNone ? kIdleMemoryPercent : kBusyMemoryPercent;
  const auto free_bytes = static_cast<double>(limits.memory_free_bytes.value_or(limits.max_buffer_bytes));
  limits.memory_free_bytes = static_cast<std::uint64_t>(free_bytes * limits.shared_percent / 100);
  limits.max_buffer_bytes = std::min(limits.max_buffer_bytes, *limits.memory_free_bytes);
  limits.free_beside_others_bytes = static_cast<std::uint64_t>(free_bytes);
  limits.shared_with = std::move(others);
  limits.disturbed = work == OthersWork::kSeen;
}

std::string WhyLeftToOthers(const Limits& limits, std::uint64_t needed_bytes) {
  const std::uint64_t most = limits.memory_free_bytes.value_or(0);
  return SizeText(limits.free_beside_others_bytes) + " are free, of which " + SizeText(most) + " (" +
         std::to_string(limits.shared_percent) + " %) are used at most beside others (" + limits.shared_with +
         "), and " + SizeText(needed_bytes) + " are needed" +
         (needed_bytes <= most ? " beside what other figures hold" : "");
}

std::string WhyFull(std::uint64_t free_bytes, std::uint64_t all_bytes, std::uint64_t needed_bytes) {
  return SizeText(free_bytes) + " of " + SizeText(all_bytes) + " are free, and " + SizeText(needed_bytes) +
         " are needed; who holds the rest can not be seen";
}

probe::Status Allocations::Check(std::string_view call, std::uint64_t bytes) const {
  // What they leave may be less than the device's own bound on a buffer.
  const bool by_others =
      !limits_.shared_with.empty() && limits_.max_buffer_bytes >= limits_.memory_free_bytes.value_or(0);
  if (bytes == 0 || (bytes > limits_.max_buffer_bytes && !by_others)) {
    return probe::Error{std::string(call), std::nullopt, "too large",
                        std::to_string(bytes) + " bytes; this device takes buffers of 1 to " +
                            std::to_string(limits_.max_buffer_bytes)};
  }
  if (bytes > AllowedBytes()) {
    return probe::Own(probe::OwnError::kLeftToOthers, "", WhyLeftToOthers(limits_, bytes_ + bytes));
  }
  return probe::Ok();
}

std::uint64_t Allocations::AllowedBytes() const {
  if (limits_.shared_with.empty()) return UINT64_MAX;
  const std::uint64_t most = limits_.memory_free_bytes.value_or(0);
  return most - std::min(most, bytes_);
}

}  // namespace backends
