// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include "probe/core/hidden.h"
#include "probe/core/number_facts.h"
#include "probe/core/other_devices.h"
#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "probe/core/text.h"
#include "probe/core/vendor_names.h"
#include "probe/sysfs/card.h"
#include "probe/sysfs/nodes.h"
#include "probe/sysfs/pci_function.h"
#include "probe/sysfs/platform.h"
#include "probe/system/filesystem.h"
#include "probe/system/node_access.h"
#include "probe/system/pcie_link.h"

namespace probe::sysfs {
namespace {

using system::FileSystem;

constexpr std::uint32_t kAcceleratorClass = 0x12;

void AddFact(HardwareDevice& device, std::string_view key, std::string value) {
  if (!value.empty()) device.facts.push_back({std::string(key), std::move(value)});
}

void SetFact(HardwareDevice& device, std::string_view key, std::string_view value) {
  std::erase_if(device.facts, [&](const Fact& fact) { return fact.key == key; });
  AddFact(device, key, std::string(value));
}

const OtherDevice* OtherOf(const PciFunction& function) {
  return function.ids ? FindOtherByPci(*function.ids, function.class_code, function.driver) : nullptr;
}

std::string FallbackName(const Card& card, std::string_view vendor) {
  const PciFunction& function = card.function;
  const std::string prefix = vendor.empty() ? "PCI" : std::string(vendor);
  if (!function.ids) {
    const auto node = card.node_names.empty() ? std::string() : " " + card.node_names.front();
    return "unidentified " + (vendor.empty() ? std::string() : prefix + " ") + "device" + node;
  }
  char numbers[16];
  std::snprintf(numbers, sizeof numbers, "%04x:%04x", function.ids->vendor, function.ids->device);
  // The maker of an FPGA is seldom that of the board.
  const OtherDevice* other = OtherOf(function);
  if (other != nullptr && other->what == Purpose::kFpga)
    return std::string(other->name).append(" (").append(numbers).append(")");
  return prefix + " device " + numbers;
}

// The best name, and where it is from: a table row for one product, the product's own memory, the driver, a
// table row for several products, the numbers.
void SetName(const FileSystem& files, const Card& card, const std::optional<PciFacts>& facts,
             HardwareDevice& device) {
  const auto set = [&](std::string name, std::string_view basis) {
    device.name = std::move(name);
    AddFact(device, "name_basis", std::string(basis));
  };
  if (facts && facts->one_product) return set(std::string(facts->name), "pci_table");
  if (!card.function.directory.empty()) {
    const auto product = files.ReadLine(card.function.directory + "/product_name");
    const std::string clean = product ? CleanText(*product, 128) : std::string();
    if (!clean.empty()) return set(clean, "product_memory");
  }
  if (card.listed && !card.listed->told.name.empty()) return set(card.listed->told.name, "driver");
  if (facts) return set(std::string(facts->name), "pci_table_family");
  set(FallbackName(card, device.vendor.value_or("")), "ids");
}

// Kind where the table has no row: what the vendor builds, and the class.
DeviceKind GuessKind(const PciFunction& function) {
  const OtherDevice* other = OtherOf(function);
  if (other != nullptr) return KindOf(other->what);
  const Vendor* vendor = FindVendor(function.vendor);
  if (function.IsClass(kAcceleratorClass) && (vendor == nullptr || !vendor->computes_by_gpus))
    return DeviceKind::kAccelerator;
  if (vendor != nullptr && vendor->guess_kind != nullptr) return vendor->guess_kind(function.address);
  const VendorNames* names = function.vendor ? FindVendorNames(*function.vendor) : nullptr;
  return names != nullptr ? names->kind : DeviceKind::kUnknown;
}

void SetIdentity(const FileSystem& files, const Card& card, HardwareDevice& device) {
  const PciFunction& function = card.function;
  device.identity.pci = function.address;
  device.identity.ids = function.ids;
  if (card.listed) device.identity.uuid = card.listed->told.identity.uuid;
  device.kernel_driver = function.driver;
  const auto facts = function.ids ? FindPciFacts(*function.ids) : std::nullopt;
  const auto vendor = function.vendor ? VendorName(*function.vendor) : std::string_view();
  if (!vendor.empty()) device.vendor = vendor;
  device.kind = facts ? facts->kind : GuessKind(function);
  SetName(files, card, facts, device);
  if (facts) {
    AddFact(device, "architecture_family", std::string(facts->architecture));
    AddFact(device, "table_target", std::string(facts->target));
  }
}

// What is on no PCI bus is told by its node of the device tree and by its kernel driver.
void SetPlatformIdentity(const Card& card, HardwareDevice& device) {
  if (card.function.ids) return;
  const PlatformDriver* row = card.function.driver ? FindPlatformDriver(*card.function.driver) : nullptr;
  if (row != nullptr) {
    device.name = row->name;
    device.kind = row->kind;
    if (!row->vendor.empty()) device.vendor = row->vendor;
    if (OnlyDraws(card)) {
      device.name = std::string(row->vendor) + " display controller";
      device.kind = DeviceKind::kVirtual;
    }
  } else if (card.function.driver) {
    device.name = "device of kernel driver " + *card.function.driver;
  }
  const bool is_new = row == nullptr && card.function.driver;
  const OtherDevice* other = is_new ? FindOtherByDriver(*card.function.driver) : card.other;
  if (other != nullptr) {
    device.name = other->name;
    device.kind = KindOf(other->what);
    device.vendor = other->vendor;
    SetFact(device, "name_basis", "device_table");
  }
  if (!card.soc) return;
  device.name = card.soc->name;
  device.vendor = card.soc->vendor;
  device.kind = DeviceKind::kIntegrated;
  SetFact(device, "name_basis", card.soc->one_product ? "device_tree" : "device_tree_family");
  AddFact(device, "architecture_family", std::string(card.soc->family));
  AddFact(device, "table_target", std::string(card.soc->target));
}

// Nodes of what no runtime here reaches. They are not opened just to look: some of these drivers start the
// device then, or give it to one process at a time.
void SetOtherNodes(const FileSystem& files, const Card& card, HardwareDevice& device) {
  std::string nodes;
  const auto add = [&](std::string path) {
    std::replace(path.begin(), path.end(), '!', '/');  // as the kernel writes it in names (linux, fs/sysfs)
    nodes.append(nodes.empty() ? "" : " ").append("/dev/").append(CleanText(path, 64));
  };
  const PciFunction& function = card.function;
  const OtherDevice* other = OtherOf(function);
  for (auto classes = other != nullptr ? other->classes : std::string_view(); !classes.empty();) {
    const auto folder = std::string("/").append(TakeUpTo(classes, ' '));
    for (std::string& name : files.List(function.directory + folder)) add(std::move(name));
  }
  if (!card.misc_node.empty()) add(card.misc_node);
  AddFact(device, "device_nodes", std::move(nodes));
}

void SetNodes(const FileSystem& files, const Card& card, HardwareDevice& device) {
  for (const std::string& name : card.node_names) {
    if (const auto number = DrmNumber(files, card.function.directory, name))
      AddFact(device, IsDisplayNode(name) ? kDisplayNodeFact : kRenderNodeFact, *number);
    if (IsDisplayNode(name)) {
      AddFact(device, "drm_card", name);
    } else if (IsAcceleratorNode(name)) {
      device.nodes.push_back(system::CheckNodeUnopened(files, DevicePath(name)));
    } else {
      device.nodes.push_back(system::CheckNode(files, DevicePath(name)));
    }
  }
  if (!card.function.address && card.function.driver) {
    for (std::string& path : OwnNodes(files, card))
      device.nodes.push_back(system::CheckNode(files, std::move(path)));
  }
  SetOtherNodes(files, card, device);
  if (!card.listed) return;
  const auto& own = card.listed->told.nodes;
  device.nodes.insert(device.nodes.end(), own.begin(), own.end());
}

void SetPlace(const FileSystem& files, const Card& card, HardwareDevice& device) {
  const std::string& directory = card.function.directory;
  if (directory.empty()) return;
  const Vendor* vendor = FindVendor(card.function.vendor);
  const system::CardLink link =
      system::ReadCardLink(files, directory, vendor != nullptr && vendor->shows_inner_link);
  if (!link.internal) {
    device.pcie = link.link;
  } else {
    AddFact(device, "pcie_internal_link", "yes");
  }
  const auto numa = files.ReadNumber(directory + "/numa_node");  // -1, no node, is no number here
  if (numa && *numa < 65536) device.numa_node = static_cast<std::uint32_t>(*numa);
  const auto removable = files.ReadLine(directory + "/removable");
  if (removable == "removable" || removable == "fixed") device.removable = removable == "removable";
}

// What the makers' kernel drivers tell: first those that list the card, then all by the card's own files.
void AddDriverFacts(const FileSystem& files, const Card& card, HardwareDevice& device) {
  if (card.listed) {
    const HardwareDevice& told = card.listed->told;
    if (told.architecture) device.architecture = told.architecture;
    // Of a GPU without its own, it is host memory that the driver lends.
    if (told.vram_bytes && device.kind == DeviceKind::kDiscrete) device.vram_bytes = told.vram_bytes;
    device.facts.insert(device.facts.end(), told.facts.begin(), told.facts.end());
  }
  auto clock_max_mhz = card.listed ? card.listed->clock_max_mhz : std::nullopt;
  const std::string& directory = card.function.directory;
  if (!directory.empty()) {
    const std::string driver = card.function.driver.value_or("");
    const CardFiles own{directory, card.node_names, driver};
    for (const Vendor& vendor : Vendors()) {
      if (vendor.describe != nullptr) vendor.describe(files, own, device);
    }
    const auto status = files.ReadLine(directory + "/power/runtime_status");
    AddFact(device, "runtime_status", status ? CleanText(*status, 128) : std::string());
    std::optional<std::uint64_t> of_files;
    for (const Vendor& vendor : Vendors()) {
      if (vendor.describe_state != nullptr) vendor.describe_state(files, own, device);
      if (vendor.clock_max_mhz != nullptr && !of_files) of_files = vendor.clock_max_mhz(files, own);
    }
    if (of_files) clock_max_mhz = of_files;
    AddFact(device, "throttled", ThrottledBy(files, directory).value_or(""));
  }
  constexpr std::uint64_t kFastestMhz = 100'000;  // beyond it is no clock
  if (clock_max_mhz && *clock_max_mhz > 0 && *clock_max_mhz < kFastestMhz)
    AddFact(device, "clock_max_hz", std::to_string(*clock_max_mhz * 1000000));
}

// What is missing where hardware computes with another kernel driver, or with none.
void AddComputeDriver(const Card& card, HardwareDevice& device) {
  if (device.kind == DeviceKind::kVirtual || !card.function.driver) return;
  const PlatformDriver* row = FindPlatformDriver(*card.function.driver, card.function.address.has_value());
  if (row == nullptr) return;
  AddFact(device, "compute_driver", std::string(row->computes_with));
  AddFact(device, "no_runtime", std::string(row->no_runtime));
}

// A module that is loaded binds every card that it knows and can start: one without a driver beside it is not
// mended by loading it.
void AddLeftBy(const FileSystem& files, const Card& card, HardwareDevice& device) {
  const bool is_gpu = device.kind == DeviceKind::kDiscrete || device.kind == DeviceKind::kIntegrated;
  const Vendor* vendor = FindVendor(card.function.vendor);
  if (!is_gpu || !card.function.address || card.function.driver || vendor == nullptr ||
      vendor->kernel_module.empty())
    return;
  const std::string module = "/sys/module/" + std::string(vendor->kernel_module);
  const auto state = files.ReadLine(module + "/initstate");  // built into the kernel it has none
  if (!files.Exists(module) || state.value_or("live") != "live") return;
  AddFact(device, kLeftByFact, std::string(vendor->kernel_module));
  const auto version = files.ReadLine(module + "/version");
  AddFact(device, kLeftByVersionFact, version ? CleanText(*version, 64) : std::string());
}

}  // namespace

HardwareDevice DescribeCard(const FileSystem& files, const Card& card) {
  HardwareDevice device;
  device.source = "sysfs";
  SetIdentity(files, card, device);
  SetPlatformIdentity(card, device);
  SetNodes(files, card, device);
  SetPlace(files, card, device);
  AddDriverFacts(files, card, device);
  AddComputeDriver(card, device);
  AddLeftBy(files, card, device);
  if (card.function.class_code) {
    char text[16];
    std::snprintf(text, sizeof text, "%06x", *card.function.class_code);
    AddFact(device, "pci_class", text);
  }
  if (!card.usb_id.empty()) {
    AddFact(device, kUsbIdFact, card.usb_id);
    AddFact(device, kUsbDeviceFact, CleanText(LastComponent(card.function.directory), 64));
  } else if (!card.misc_node.empty()) {
    AddFact(device, kMiscFact, card.misc_node);
  } else if (!card.function.address && !card.function.directory.empty()) {
    const auto real = files.Resolve(card.function.directory);
    AddFact(device, "platform_device", CleanText(LastComponent(real.value_or(card.function.directory)), 128));
  }
  for (const std::string& driver : card.display_drivers) AddFact(device, "display_driver", driver);
  return device;
}

}  // namespace probe::sysfs
