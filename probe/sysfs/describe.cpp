// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include "probe/core/text.h"
#include "probe/sysfs/card.h"
#include "probe/sysfs/nodes.h"
#include "probe/sysfs/pci_table.h"
#include "probe/sysfs/pcie_link.h"
#include "probe/system/device_node.h"

namespace probe::sysfs {
namespace {

using system::FileSystem;

constexpr std::uint32_t kAcceleratorClass = 0x12;

// GPUs that are no PCI device, and displays that no hardware stands behind, by their kernel driver.
struct DriverRow {
  std::string_view driver;
  std::string_view name;
  std::string_view vendor;
  DeviceKind kind;
};
constexpr std::array kDrivers = {
    DriverRow{"asahi", "Apple GPU", "Apple", DeviceKind::kIntegrated},
    DriverRow{"etnaviv", "Vivante GPU", "Vivante", DeviceKind::kIntegrated},
    DriverRow{"lima", "Arm Mali Utgard GPU", "Arm", DeviceKind::kIntegrated},
    DriverRow{"panfrost", "Arm Mali GPU", "Arm", DeviceKind::kIntegrated},
    DriverRow{"panthor", "Arm Mali Valhall GPU", "Arm", DeviceKind::kIntegrated},
    DriverRow{"msm", "Qualcomm Adreno GPU", "Qualcomm", DeviceKind::kIntegrated},
    DriverRow{"msm_dpu", "Qualcomm Adreno GPU", "Qualcomm", DeviceKind::kIntegrated},
    DriverRow{"powervr", "Imagination PowerVR GPU", "Imagination", DeviceKind::kIntegrated},
    DriverRow{"v3d", "Broadcom VideoCore GPU", "Broadcom", DeviceKind::kIntegrated},
    DriverRow{"vc4-drm", "Broadcom VideoCore display", "Broadcom", DeviceKind::kVirtual},
    DriverRow{"gk20a", "NVIDIA Tegra GPU", "NVIDIA", DeviceKind::kIntegrated},
    DriverRow{"gv11b", "NVIDIA Tegra GPU", "NVIDIA", DeviceKind::kIntegrated},
    DriverRow{"ga10b", "NVIDIA Tegra GPU", "NVIDIA", DeviceKind::kIntegrated},
    DriverRow{"tegra-host1x", "NVIDIA Tegra display", "NVIDIA", DeviceKind::kVirtual},
    DriverRow{"hyperv_drm", "Hyper-V virtual display", "Microsoft", DeviceKind::kVirtual},
    DriverRow{"virtio_gpu", "virtio virtual display", "Red Hat", DeviceKind::kVirtual},
    DriverRow{"simple-framebuffer", "firmware framebuffer", "", DeviceKind::kVirtual},
    DriverRow{"simpledrm", "firmware framebuffer", "", DeviceKind::kVirtual},
    DriverRow{"efi-framebuffer", "firmware framebuffer", "", DeviceKind::kVirtual},
    DriverRow{"vkms", "kernel's virtual display", "", DeviceKind::kVirtual},
    DriverRow{"vgem", "kernel's virtual display", "", DeviceKind::kVirtual},
    DriverRow{"evdi", "DisplayLink virtual display", "", DeviceKind::kVirtual},
    DriverRow{"udl", "DisplayLink USB display", "", DeviceKind::kVirtual}};

void AddFact(HardwareDevice& device, std::string_view key, std::string value) {
  if (!value.empty()) device.facts.push_back({std::string(key), std::move(value)});
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

void ApplyDriverRow(const Card& card, HardwareDevice& device) {
  if (card.function.ids || !card.function.driver) return;
  for (const DriverRow& row : kDrivers) {
    if (row.driver != *card.function.driver) continue;
    device.name = row.name;
    device.kind = row.kind;
    if (!row.vendor.empty()) device.vendor = row.vendor;
    return;
  }
  device.name = "device of kernel driver " + *card.function.driver;
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
    if (IsDisplayNode(name)) {
      AddFact(device, "drm_card", name);
    } else {
      device.nodes.push_back(system::CheckNode(files, DevicePath(name)));
    }
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

// Kernel drivers of cards that a newer one would make compute: the fact "compute_driver" says what is
// missing.
struct OldDriverRow {
  std::string_view driver;
  std::string_view text;
};
constexpr std::array kOldDrivers = {
    OldDriverRow{"radeon", "none: radeon draws only; Vulkan and ROCm want amdgpu"},
    OldDriverRow{"nouveau", "none: nouveau draws only; CUDA wants nvidia"}};

void AddComputeDriver(HardwareDevice& device) {
  for (const OldDriverRow& row : kOldDrivers) {
    if (device.kernel_driver == row.driver) AddFact(device, "compute_driver", std::string(row.text));
  }
}

}  // namespace

HardwareDevice DescribeCard(const FileSystem& files, const Card& card) {
  HardwareDevice device;
  device.source = "sysfs";
  SetIdentity(files, card, device);
  ApplyDriverRow(card, device);
  SetNodes(files, card, device);
  SetPlace(files, card, device);
  AddKfdFacts(card.kfd, device);
  AddDriverFacts(files, card, device);
  AddComputeDriver(device);
  if (card.function.class_code) {
    char text[16];
    std::snprintf(text, sizeof text, "%06x", *card.function.class_code);
    AddFact(device, "pci_class", text);
  }
  if (!card.function.address && !card.function.directory.empty()) {
    const auto real = files.Resolve(card.function.directory);
    AddFact(device, "platform_device", CleanText(LastComponent(real.value_or(card.function.directory)), 128));
  }
  return device;
}

}  // namespace probe::sysfs
