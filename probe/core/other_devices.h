// SPDX-License-Identifier: MIT
// What a machine may have that no runtime of this program reaches (data/other_devices.csv): NPUs,
// accelerators and displays, by what they are known, and what it would take to use them. Look-up only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/ids.h"

namespace probe {

// As the table has it; lists are separated by blanks.
struct OtherDevice {
  std::string_view family;
  Purpose what = Purpose::kAccelerator;
  std::string_view name;  // where no table of numbers has a better one
  std::string_view vendor;
  std::string_view pci;       // "1e52:401e", "1e52:*"
  std::string_view usb;       // likewise
  std::string_view misc;      // names below /sys/class/misc
  std::string_view drivers;   // of the kernel, the usual first
  std::string_view classes;   // folders of its sysfs directory with the names of its nodes
  std::string_view runtime;   // by what it computes; of what is virtual, what stands behind it
  std::string_view reached;   // "runtime=Title" of those here that its driver brings, separated by blanks
  std::string_view programs;  // "target=how", separated by ;
  std::string_view page;
};

// nullptr where no row has it. Of a maker that makes nothing else any function counts that computes or may,
// by its class 0xCCSSPP (nullopt: nobody tells it): not its bridges, network or sound.
[[nodiscard]] const OtherDevice* FindOtherByPci(const PciIds& ids, std::optional<std::uint32_t> class_code);
// The same; else what its kernel driver (nullopt: none is bound) says of a function that may compute, whose
// number is too new for the table.
[[nodiscard]] const OtherDevice* FindOtherByPci(const PciIds& ids, std::optional<std::uint32_t> class_code,
                                                const std::optional<std::string>& kernel_driver);
// Bridges, network cards, controllers of disks and buses: a machine has hundreds, none of which is asked
// further.
[[nodiscard]] bool NeverComputes(std::uint32_t base_class);
// Whether any row has a device of that maker on the PCI bus.
[[nodiscard]] bool MakesOthers(std::uint32_t pci_vendor);
[[nodiscard]] const OtherDevice* FindOtherByUsb(std::uint32_t vendor, std::uint32_t product);
[[nodiscard]] const OtherDevice* FindOtherByMisc(std::string_view name);
// Of what is on no PCI bus.
[[nodiscard]] const OtherDevice* FindOtherByDriver(std::string_view kernel_driver);

// "1a6e:089a".
[[nodiscard]] std::string UsbIdText(std::uint32_t vendor, std::uint32_t product);

// What a device of such a purpose is to the rest of the program.
[[nodiscard]] DeviceKind KindOf(Purpose what);

// The facts of a device on USB, and of one that is known by its node alone: its position ("1-2"), its numbers
// ("1a6e:089a") and the name of its node ("fastrpc-cdsp").
inline constexpr std::string_view kUsbDeviceFact = "usb_device";
inline constexpr std::string_view kUsbIdFact = "usb_id";
inline constexpr std::string_view kMiscFact = "misc_device";

// Why it can not be measured, and what could use it; of a device of this kind that no runtime reaches.
// nullopt of a GPU that a runtime of this program is for, of a processor and of what nobody knows. Of one
// with ReachedBy it is true only where those were asked and did not fail.
[[nodiscard]] std::optional<NotMeasurable> WhyNotMeasurable(const HardwareDevice& hardware, DeviceKind kind);
// Runtimes of this program that its own driver brings.
[[nodiscard]] std::vector<std::string_view> ReachedBy(const HardwareDevice& hardware);

}  // namespace probe
