// SPDX-License-Identifier: MIT
// Intel's graphics as its kernel drivers i915 and xe show them.
#include "probe/core/vendor.h"
#include "probe/system/filesystem.h"

namespace probe::intel {

Vendor Describe();

namespace {

// The graphics of a processor always sit at 00:02.0.
DeviceKind GuessKind(const std::optional<PciAddress>& address) {
  const bool on_chip = address && address->bus == 0 && address->device == 2;
  return on_chip ? DeviceKind::kIntegrated : DeviceKind::kUnknown;
}

std::optional<std::uint64_t> ClockMaxMhz(const system::FileSystem& files, const CardFiles& card) {
  if (const auto mhz = files.ReadNumber(card.directory + "/tile0/gt0/freq0/rp0_freq")) return mhz;  // xe
  for (const std::string& name : card.node_names) {                                                 // i915
    if (const auto mhz = files.ReadNumber("/sys/class/drm/" + name + "/gt_RP0_freq_mhz")) return mhz;
  }
  return std::nullopt;
}

}  // namespace

Vendor Describe() {
  Vendor vendor;
  vendor.pci_number = 0x8086;
  vendor.guess_kind = GuessKind;
  vendor.clock_max_mhz = ClockMaxMhz;
  vendor.shows_inner_link = true;  // Arc
  // Documentation/admin-guide/pm/intel_pstate.rst, active mode; in passive mode it is called intel_cpufreq.
  vendor.preference_driver = "intel_pstate";
  return vendor;
}

}  // namespace probe::intel
