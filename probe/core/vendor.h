// SPDX-License-Identifier: MIT
// What shared code has to know of one maker's hardware and kernel drivers and can not read from the kernel's
// own interfaces: one constant of functions and names a maker. The registry is generated from the list
// VENDORS in the root CMakeLists.txt; no shared code names a maker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"

namespace probe::system {
class FileSystem;
}  // namespace probe::system

namespace probe {

// The places where the kernel's files of one card lie.
struct CardFiles {
  const std::string& directory;                // of sysfs; not empty
  const std::vector<std::string>& node_names;  // card0, renderD128
  std::string_view driver;                     // empty: none is bound
};

// A card that a maker's kernel driver lists by itself, beside the bus and the kernel's classes of devices.
struct ListedCard {
  PciAddress address;
  std::optional<std::uint32_t> vendor;
  std::optional<PciIds> ids;
  std::string driver;
  // What the driver tells: the product's name, UUID, nodes, architecture, facts, and in vram_bytes the memory
  // of a card that has its own.
  HardwareDevice told;
  std::optional<std::uint64_t> clock_max_mhz;
};

// A number that identifies one chip: what follows `prefix`, if it is so many of these digits.
struct ChipNumber {
  std::string_view prefix;
  std::string_view digits;
  std::size_t fewest, most;
};

struct Vendor {
  std::uint32_t pci_number = 0;
  // `known`: the addresses of the cards that the bus and the classes of devices show.
  std::vector<ListedCard> (*list)(const system::FileSystem&, const std::set<PciAddress>& known) = nullptr;
  // Its accelerators (PCI class 12) are its GPUs for computing.
  bool computes_by_gpus = false;
  // What a display device of this maker is that no table lists.
  DeviceKind (*guess_kind)(const std::optional<PciAddress>&) = nullptr;
  // Memory and facts in the words of its kernel drivers, added to the device; called for every card.
  void (*describe)(const system::FileSystem&, const CardFiles&, HardwareDevice&) = nullptr;
  // The same for what changes by the moment.
  void (*describe_state)(const system::FileSystem&, const CardFiles&, HardwareDevice&) = nullptr;
  std::optional<std::uint64_t> (*clock_max_mhz)(const system::FileSystem&, const CardFiles&) = nullptr;
  // What holds the clock back of the card with this directory of sysfs, such as "power, temperature", or
  // "none"; nullopt where its driver does not tell.
  std::optional<std::string> (*throttled_by)(const system::FileSystem&,
                                             const std::string& directory) = nullptr;
  // Beginning of the names of platform devices that are a part of a card that is listed itself.
  std::string_view partition_device;
  // Its cards show a link inside the card of the first generation and one lane where the slot's can not be
  // seen.
  bool shows_inner_link = false;

  // Called in a child process before it loads any library: keeps those of this maker from changing the
  // machine.
  void (*guard_process)(const system::FileSystem&) = nullptr;
  // The kernel's module by which its cards compute, as /sys/module names it; empty where there are several.
  std::string_view kernel_module;
  // The driver of its processors' clock for which the governor "powersave" is the usual way and follows the
  // load, so that a preference counts in its place; empty where there is none.
  std::string_view preference_driver;
  // Files of which a change is a change of its driver.
  std::span<const std::string_view> version_files;
  // Beginning of the names below /dev that may not be opened just to look, since that wakes a card.
  std::string_view sleeping_nodes;
  // Names below /dev through which its GPUs are reached, which may be opened.
  std::span<const std::string_view> nodes;
  std::span<const ChipNumber> chip_numbers;
  // Of a version that its drivers pack into a number in a way of their own.
  std::string (*version_text)(std::uint32_t packed) = nullptr;
};

// In the order of the build's list.
[[nodiscard]] std::span<const Vendor> Vendors();
// nullptr for a number of none of them.
[[nodiscard]] const Vendor* FindVendor(std::optional<std::uint32_t> pci_number);

// What holds the card's clock back, by whichever maker's driver tells; see Vendor::throttled_by.
[[nodiscard]] std::optional<std::string> ThrottledBy(const system::FileSystem& files,
                                                     const std::string& directory);

}  // namespace probe
