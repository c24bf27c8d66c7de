// SPDX-License-Identifier: MIT
#include "probe/nvidia/nvidia.h"

#include <algorithm>
#include <array>
#include <string>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor.h"
#include "probe/system/filesystem.h"
#include "probe/system/this_process.h"
#include "probe/system/wsl.h"

namespace probe::nvidia {

Vendor Describe();

namespace {

using system::FileSystem;

constexpr std::string_view kGpus = "/proc/driver/nvidia/gpus";
constexpr std::string_view kDev = "/dev/";
constexpr std::string_view kDevices = "/sys/bus/pci/devices/";

// Of the kernel's host1x and memory drivers, on JetPack of all ages; newer ones have a folder of GPUs.
bool IsTegraNode(const std::string& name) {
  return name.starts_with("nvhost") || name == "nvmap" || name == "nvgpu";
}

void ReadBus(const FileSystem& files, Signs& signs) {
  const auto names = files.List(kDevices);
  signs.bus_shown = !names.empty();
  for (const std::string& name : names) {
    const std::string directory = std::string(kDevices) + name;
    const auto kind = files.ReadNumber(directory + "/class").value_or(0) >> 8U;
    const auto base = kind >> 8U;
    const bool computes = base == 0x03 || base == 0x12;  // display, processing accelerator
    const bool joins = kind == 0x0680;                   // other bridge, as NVSwitch calls itself
    if ((!computes && !joins) || files.ReadNumber(directory + "/vendor") != kPciNumber) continue;
    (computes ? signs.card_on_bus : signs.nvswitch) = true;
    const auto address = computes ? ParsePciAddress(name) : std::nullopt;
    const bool is_bound = files.ReadLink(directory + "/driver").value_or("").ends_with("/nvidia") ||
                          files.ReadLine(directory + "/uevent") == "DRIVER=nvidia";
    if (address && is_bound) signs.bound.push_back(*address);
  }
}

// Its kernel module calls a card that it does not know by no name of its own.
bool IsPlaceholder(std::string_view model) { return model.empty() || model.ends_with("Graphics Device"); }

// /dev/nvidia<minor> is not opened, because that initialises the GPU and can take seconds: what holds for the
// control node is said of it.
std::vector<DeviceNode> NodesOf(const FileSystem& files, std::optional<std::uint32_t> minor) {
  std::vector<DeviceNode> nodes;
  DeviceNode control = system::CheckNode(files, "/dev/nvidiactl");
  if (minor) {
    DeviceNode own;
    own.path = "/dev/nvidia" + std::to_string(*minor);
    own.exists = files.Exists(own.path);
    own.openable = own.exists && control.openable;
    if (own.exists) own.open_error = control.open_error;
    if (control.open_to && own.exists) own.open_to = system::OpenTo(files, own.path);
    nodes.push_back(std::move(own));
  }
  nodes.push_back(std::move(control));
  nodes.push_back(system::CheckNode(files, "/dev/nvidia-uvm"));
  return nodes;
}

// One file /proc/driver/nvidia/gpus/<address>/information.
HardwareDevice ReadInformation(const FileSystem& files, std::string_view text) {
  HardwareDevice out;
  std::optional<std::uint32_t> minor;  // of /dev/nvidia<minor>
  while (!text.empty()) {
    std::string_view line = TakeUpTo(text, '\n');
    const auto key = TakeUpTo(line, ':');
    const std::string value = CleanText(line, 128);
    if (key == "Model" && !IsPlaceholder(value)) out.name = value;
    if (key == "GPU UUID" && value.starts_with("GPU-"))
      out.identity.uuid = ParseUuid(std::string_view(value).substr(4));
    if (key == "Device Minor") minor = ParseNumber<std::uint32_t>(value);
  }
  out.nodes = NodesOf(files, minor);
  return out;
}

std::vector<ListedCard> List(const FileSystem& files, const std::set<PciAddress>& /*known*/) {
  std::vector<ListedCard> out;
  for (const std::string& name : files.List(kGpus)) {
    const auto address = ParsePciAddress(name);
    const auto text = files.Read(std::string(kGpus).append("/").append(name).append("/information"), 4096);
    if (!address || !text) continue;
    out.push_back({.address = *address,
                   .vendor = kPciNumber,
                   .ids = {},
                   .driver = "nvidia",
                   .told = ReadInformation(files, *text),
                   .clock_max_mhz = {}});
  }
  return out;
}

std::string VersionText(std::uint32_t packed) {  // as 10.8.8.6 bits, of which the last say nothing
  return std::to_string(packed >> 22U) + "." + std::to_string((packed >> 14U) & 0xffU) + "." +
         std::to_string((packed >> 6U) & 0xffU);
}

// Where nothing shows a GPU, its libraries would make their control node for root all the same, by themselves
// or by nvidia-modprobe.
void KeepFromMakingNodes(const FileSystem& files) {
  if (files.live() && !MayHaveGpu(ReadSigns(files))) system::GiveUpMakingNodes();
}

}  // namespace

bool IsGpuNode(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  return name.starts_with(kPrefix) && IsDigits(name.substr(kPrefix.size()));
}

Signs ReadSigns(const FileSystem& files) {
  Signs signs;
  ReadBus(files, signs);
  signs.gpus = files.List(kGpus).size();
  const auto nodes = files.List("/dev");
  signs.gpu_node = std::any_of(nodes.begin(), nodes.end(), IsGpuNode);
  const auto is_switch = [](const std::string& name) { return name.starts_with("nvidia-nvswitch"); };
  signs.nvswitch = signs.nvswitch || std::any_of(nodes.begin(), nodes.end(), is_switch);
  signs.tegra = std::any_of(nodes.begin(), nodes.end(), IsTegraNode);
  signs.wsl = files.Exists(system::kWslGpuNode);
  return signs;
}

std::vector<PciAddress> GpuAddresses(const FileSystem& files) {
  std::vector<PciAddress> out;
  for (const std::string& name : files.List(kGpus)) {
    if (const auto address = ParsePciAddress(name)) out.push_back(*address);
  }
  return out.empty() ? ReadSigns(files).bound : out;
}

std::vector<FileGpu> GivenGpus(const FileSystem& files) {
  std::vector<FileGpu> out;
  for (ListedCard& card : List(files, {})) {
    const auto& nodes = card.told.nodes;
    const bool is_missing = std::any_of(nodes.begin(), nodes.end(), [](const DeviceNode& node) {
      return !node.exists && IsGpuNode(std::string_view(node.path).substr(kDev.size()));
    });
    if (!is_missing) out.push_back({card.address, std::move(card.told.name), card.told.identity.uuid});
  }
  if (out.empty() && files.List(kGpus).empty()) {
    const auto bound = ReadSigns(files).bound;
    const auto nodes = files.List(kDev);
    const auto given = std::count_if(nodes.begin(), nodes.end(), IsGpuNode);
    if (static_cast<std::size_t>(given) < bound.size()) return {};
    for (const PciAddress& address : bound) out.push_back({address, {}, {}});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return out;
}

bool MayHaveGpu(const Signs& signs) {
  return signs.card_on_bus || signs.gpus > 0 || signs.gpu_node || signs.wsl || signs.tegra;
}

Vendor Describe() {
  static constexpr std::array<std::string_view, 1> kVersionFiles = {"/proc/driver/nvidia/version"};
  Vendor vendor;
  vendor.pci_number = kPciNumber;
  vendor.computes_by_gpus = true;
  vendor.list = List;
  // Its integrated GPUs are in the table of PCI numbers.
  vendor.guess_kind = [](const std::optional<PciAddress>&) { return DeviceKind::kDiscrete; };
  vendor.guard_process = KeepFromMakingNodes;
  vendor.kernel_module = "nvidia";
  vendor.version_files = kVersionFiles;
  vendor.sleeping_nodes = "nvidia";
  vendor.version_text = VersionText;
  return vendor;
}

}  // namespace probe::nvidia
