// SPDX-License-Identifier: MIT
// Reports of made-up machines, and their unification checked in every order of reports and devices.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "probe/core/fields.h"
#include "probe/unify/unify.h"

namespace tests {

using probe::DeviceKind;

inline constexpr std::uint64_t kGiB = 1ULL << 30U;

inline probe::Uuid MakeUuid(std::uint8_t seed) {
  probe::Uuid uuid{};
  uuid.fill(seed);
  return uuid;
}

inline probe::HardwareDevice Hardware(std::string_view pci, std::uint32_t vendor, std::uint32_t device,
                                      DeviceKind kind = DeviceKind::kDiscrete) {
  probe::HardwareDevice out;
  out.source = "sysfs";
  out.identity.pci = probe::ParsePciAddress(pci);
  out.identity.ids = probe::PciIds{vendor, device, {}, {}, {}};
  out.name = "Card";
  out.kind = kind;
  return out;
}

inline probe::HardwareDevice Host(std::uint64_t memory = 16 * kGiB) {
  probe::HardwareDevice out;
  out.source = "cpu";
  out.name = "Host processor";
  out.vendor = "Intel";
  out.kind = DeviceKind::kCpu;
  out.memory_total_bytes = memory;
  out.memory_free_bytes = memory / 2;
  out.processor.emplace();
  return out;
}

inline probe::RuntimeDevice Device(std::string_view runtime, std::string_view driver,
                                   std::uint32_t ordinal = 0, DeviceKind kind = DeviceKind::kDiscrete) {
  probe::RuntimeDevice out;
  out.runtime = runtime;
  out.driver = driver;
  out.ordinal = ordinal;
  out.name = "Card";
  out.kind = kind;
  return out;
}

inline probe::RuntimeDevice At(probe::RuntimeDevice device, std::string_view pci,
                               std::uint32_t vendor = 0x10de, std::uint32_t number = 0x2684) {
  device.identity.pci = probe::ParsePciAddress(pci);
  device.identity.ids = probe::PciIds{vendor, number, {}, {}, {}};
  return device;
}

// One report a module, in the order in which the modules first appear.
class Machine {
 public:
  Machine& Add(probe::HardwareDevice hardware) {
    Report(hardware.source).hardware.push_back(std::move(hardware));
    return *this;
  }
  Machine& Add(probe::RuntimeDevice device) {
    Report(device.runtime).devices.push_back(std::move(device));
    return *this;
  }
  probe::ProbeReport& Report(std::string_view module) {
    for (auto& report : reports_) {
      if (report.module == module) return report;
    }
    auto& report = reports_.emplace_back();
    report.module = module;
    return report;
  }

  // The result, after a check that every order of the reports and a reversal of their devices give the same.
  std::vector<probe::PhysicalDevice> Unify() {
    const auto result = probe::unify::Unify(reports_);
    std::vector<std::size_t> order(reports_.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      std::vector<probe::ProbeReport> shuffled;
      shuffled.reserve(order.size());
      for (const std::size_t i : order) shuffled.push_back(reports_[i]);
      EXPECT_EQ(Text(probe::unify::Unify(shuffled)), Text(result));
      for (auto& report : shuffled) {
        std::reverse(report.devices.begin(), report.devices.end());
        std::reverse(report.hardware.begin(), report.hardware.end());
      }
      EXPECT_EQ(Text(probe::unify::Unify(shuffled)), Text(result));
    } while (std::next_permutation(order.begin(), order.end()));
    return result;
  }

 private:
  static std::string Text(const std::vector<probe::PhysicalDevice>& devices) {
    return probe::ToText(probe::Encode(devices), 1);
  }
  std::vector<probe::ProbeReport> reports_;
};

inline std::vector<std::string> Ids(const std::vector<probe::PhysicalDevice>& devices) {
  std::vector<std::string> ids;
  ids.reserve(devices.size());
  for (const auto& device : devices) ids.push_back(device.id);
  return ids;
}

// "runtime/driver/ordinal by matched_by" of each view.
inline std::vector<std::string> Views(const probe::PhysicalDevice& device) {
  std::vector<std::string> out;
  out.reserve(device.views.size());
  for (const auto& view : device.views) {
    out.push_back(view.device.runtime + "/" + view.device.driver + "/" + std::to_string(view.device.ordinal) +
                  " by " + view.matched_by);
  }
  return out;
}

}  // namespace tests
