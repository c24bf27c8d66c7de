// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include "probe/core/text.h"
#include "probe/sysfs/card.h"
#include "probe/sysfs/nodes.h"
#include "probe/sysfs/pci_table.h"
#include "probe/sysfs/pcie_link.h"
#include "probe/sysfs/platform.h"
#include "probe/system/filesystem.h"

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

// NVIDIA's kernel module calls a card that it does not know by no name of its own.
bool IsPlaceholder(std::string_view model) { return model.empty() || model.ends_with("Graphics Device"); }

std::string FallbackName(const Card& card, std::string_view vendor) {
  const PciFunction& function = card.function;
  const std::string prefix = vendor.empty() ? "PCI" : std::string(vendor);
  if (!function.ids) {
    const auto node = card.node_names.empty() ? std::string() : " " + card.node_names.front();
    return "unidentified " + (vendor.empty() ? std::string() : prefix + " ") + "device" + node;
  }
  char numbers[16];
  std::snprintf(numbers, sizeof numbers, "%04x:%04x", function.ids->vendor, function.ids->device);
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
  if (card.nvidia && card.nvidia->model && !IsPlaceholder(*card.nvidia->model))
    return set(*card.nvidia->model, "driver");
  if (facts) return set(std::string(facts->name), "pci_table_family");
  set(FallbackName(card, device.vendor.value_or("")), "ids");
}

// Kind where the table has no row: what the vendor builds, and the class.
DeviceKind GuessKind(const PciFunction& function) {
  if (function.IsClass(kAcceleratorClass)) return DeviceKind::kAccelerator;
  if (function.vendor == vendor_id::kNvidia)
    return DeviceKind::kDiscrete;  // its integrated GPUs are in the table
  const bool on_chip = function.address && function.address->bus == 0 && function.address->device == 2;
  if (function.vendor == vendor_id::kIntel && on_chip) return DeviceKind::kIntegrated;  // always at 00:02.0
  if (function.vendor == vendor_id::kAspeed || function.vendor == vendor_id::kMatrox)
    return DeviceKind::kManagement;
  return DeviceKind::kUnknown;
}

void SetIdentity(const FileSystem& files, const Card& card, HardwareDevice& device) {
  const PciFunction& function = card.function;
  device.identity.pci = function.address;
  device.identity.ids = function.ids;
  if (card.nvidia) device.identity.uuid = card.nvidia->uuid;
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
  if (!card.soc) return;
  device.name = card.soc->name;
  device.vendor = card.soc->vendor;
  device.kind = DeviceKind::kIntegrated;
  SetFact(device, "name_basis", card.soc->one_product ? "device_tree" : "device_tree_family");
  AddFact(device, "architecture_family", std::string(card.soc->family));
  AddFact(device, "table_target", std::string(card.soc->target));
}

// /dev/nvidia<minor> is not opened, because that initialises the GPU and can take seconds: what holds for the
// control node is said of it.
void AddNvidiaNodes(const FileSystem& files, const NvidiaInformation& nvidia, HardwareDevice& device) {
  DeviceNode control = system::CheckNode(files, "/dev/nvidiactl");
  if (nvidia.minor) {
    DeviceNode own;
    own.path = "/dev/nvidia" + std::to_string(*nvidia.minor);
    own.exists = files.Exists(own.path);
    own.openable = own.exists && control.openable;
    if (own.exists) own.open_error = control.open_error;
    device.nodes.push_back(std::move(own));
  }
  device.nodes.push_back(std::move(control));
  device.nodes.push_back(system::CheckNode(files, "/dev/nvidia-uvm"));
}

void SetNodes(const FileSystem& files, const Card& card, HardwareDevice& device) {
  for (const std::string& name : card.node_names) {
    if (const auto number = DrmNumber(files, card.function.directory, name))
      AddFact(device, IsDisplayNode(name) ? "drm_primary" : "drm_render", *number);
    if (IsDisplayNode(name)) {
      AddFact(device, "drm_card", name);
    } else {
      device.nodes.push_back(system::CheckNode(files, DevicePath(name)));
    }
  }
  if (!card.function.address && card.function.driver) {
    for (std::string& path : OwnNodes(files, *card.function.driver))
      device.nodes.push_back(system::CheckNode(files, std::move(path)));
  }
  if (!card.kfd.empty()) device.nodes.push_back(system::CheckNode(files, "/dev/kfd"));
  if (card.nvidia) AddNvidiaNodes(files, *card.nvidia, device);
}

void SetPlace(const FileSystem& files, const Card& card, HardwareDevice& device) {
  const std::string& directory = card.function.directory;
  if (directory.empty()) return;
  const CardLink link = ReadCardLink(files, directory);
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

// One node a partition: others at the same address are cards whose addresses this kernel does not tell apart.
std::vector<const system::KfdNode*> Partitions(const std::vector<system::KfdNode>& nodes) {
  std::vector<const system::KfdNode*> out;
  for (const system::KfdNode& node : nodes) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const system::KfdNode* other) {
      return other->partition == node.partition;
    });
    if (!known) out.push_back(&node);
  }
  return out;
}

void AddKfdFacts(const std::vector<system::KfdNode>& nodes, HardwareDevice& device) {
  if (nodes.empty()) return;
  const system::KfdNode& first = nodes.front();
  const auto partitions = Partitions(nodes);
  device.architecture = first.target;
  if (partitions.size() > 1) AddFact(device, "compute_partitions", std::to_string(partitions.size()));
  std::uint64_t units = 0;
  std::uint64_t bytes = 0;
  for (const system::KfdNode* node : partitions) {
    units += node->compute_units.value_or(0);
    bytes += node->memory_bytes.value_or(0);
  }
  if (units != 0) AddFact(device, "compute_units", std::to_string(units));
  // An APU's banks are host memory that the driver lends.
  if (bytes != 0 && device.kind == DeviceKind::kDiscrete) device.vram_bytes = bytes;
  if (first.wavefront_size) AddFact(device, "wavefront_size", std::to_string(*first.wavefront_size));
  if (first.xcc_count) AddFact(device, "xcc_count", std::to_string(*first.xcc_count));
  // A partition has a link to each other one of its own card and to each of the other cards.
  const std::uint64_t own = partitions.size() - 1;
  if (first.xgmi_links > own) {
    AddFact(device, "xgmi_peers", std::to_string((first.xgmi_links - own) / partitions.size()));
  }
}

// Kernel drivers of hardware that computes with another one, or with none: the fact "compute_driver" says
// what is missing.
struct DrawingDriver {
  std::string_view driver;
  bool on_pci;
  std::string_view text;
};
constexpr std::array kDrawingDrivers = {
    DrawingDriver{"radeon", true, "none: radeon draws only; Vulkan and ROCm want amdgpu"},
    DrawingDriver{"nouveau", true, "none: nouveau draws only; CUDA wants nvidia"},
    DrawingDriver{"nouveau", false, "none: nouveau draws only; CUDA wants nvgpu, which Jetson Linux has"},
    DrawingDriver{"lima", false, "none: no runtime computes on a Mali of the 300 and 400 series"},
    DrawingDriver{"vc4_v3d", false, "none: no runtime computes on a VideoCore IV"},
    DrawingDriver{"vc4-drm", false, "none: no runtime computes on a VideoCore IV"}};

void AddComputeDriver(const Card& card, HardwareDevice& device) {
  for (const DrawingDriver& row : kDrawingDrivers) {
    const bool on_pci = card.function.address.has_value();
    if (device.kernel_driver != row.driver || row.on_pci != on_pci) continue;
    if (device.kind != DeviceKind::kVirtual) AddFact(device, "compute_driver", std::string(row.text));
  }
}

}  // namespace

HardwareDevice DescribeCard(const FileSystem& files, const Card& card) {
  HardwareDevice device;
  device.source = "sysfs";
  SetIdentity(files, card, device);
  SetPlatformIdentity(card, device);
  SetNodes(files, card, device);
  SetPlace(files, card, device);
  AddKfdFacts(card.kfd, device);
  AddDriverFacts(files, card, device);
  AddComputeDriver(card, device);
  if (card.function.class_code) {
    char text[16];
    std::snprintf(text, sizeof text, "%06x", *card.function.class_code);
    AddFact(device, "pci_class", text);
  }
  if (!card.function.address && !card.function.directory.empty()) {
    const auto real = files.Resolve(card.function.directory);
    AddFact(device, "platform_device", CleanText(LastComponent(real.value_or(card.function.directory)), 128));
  }
  for (const std::string& driver : card.display_drivers) AddFact(device, "display_driver", driver);
  return device;
}

}  // namespace probe::sysfs
