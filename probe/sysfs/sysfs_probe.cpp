// SPDX-License-Identifier: MIT
// Graphics cards, accelerators and NPUs as the kernel lists them, without any runtime: the PCI bus, the DRM
// and accel classes, the platform bus and what makers' kernel drivers list, joined by PCI address or by their
// directory.
#include <algorithm>
#include <map>
#include <set>

#include "probe/core/module.h"
#include "probe/core/other_devices.h"
#include "probe/core/pci_table.h"
#include "probe/sysfs/card.h"
#include "probe/sysfs/nodes.h"
#include "probe/sysfs/platform.h"

namespace probe::sysfs {
namespace {

using system::FileSystem;

constexpr std::string_view kPciDevices = "/sys/bus/pci/devices";
constexpr std::uint32_t kDisplay = 0x03;
constexpr std::uint32_t kSignalProcessing = 0x11;  // where one maker's NPU is filed
constexpr std::uint32_t kAccelerator = 0x12;

struct Machine {
  std::map<PciAddress, Card> cards;
  std::vector<Card> others;  // not on a PCI bus
};

bool IsCompute(const PciFunction& function) {
  if (function.IsClass(kDisplay) || function.IsClass(kAccelerator)) return true;
  // Some makers file theirs as a system peripheral, a co-processor, or as nothing that the bus has a class
  // for.
  return function.ids && (FindPciFacts(*function.ids) ||
                          FindOtherByPci(*function.ids, function.class_code, function.driver) != nullptr);
}

// One read tells most functions of the bus apart, a second one those of makers that have none.
bool IsWorthReading(const FileSystem& files, const std::string& directory) {
  const auto code = files.ReadNumber(directory + "/class");
  const auto base = code ? *code >> 16U : kDisplay;
  if (base == kDisplay || base == kAccelerator || base == kSignalProcessing) return true;
  if (base <= 0xff && NeverComputes(static_cast<std::uint32_t>(base))) return false;
  const auto vendor = files.ReadNumber(directory + "/vendor");
  return !vendor || (*vendor <= 0xffff && MakesOthers(static_cast<std::uint32_t>(*vendor)));
}

const OtherDevice* FpgaOf(const PciFunction& function) {
  const auto* other =
      function.ids ? FindOtherByPci(*function.ids, function.class_code, function.driver) : nullptr;
  return other != nullptr && other->what == Purpose::kFpga ? other : nullptr;
}

// An FPGA card has a function for its management and one for its users, by which it computes: it is counted
// once, by the last.
void JoinFpgaFunctions(std::map<PciAddress, Card>& cards) {
  std::erase_if(cards, [&](const auto& entry) {
    const auto& [address, card] = entry;
    if (FpgaOf(card.function) == nullptr) return false;
    const auto next = cards.upper_bound(address);
    return next != cards.end() && next->first.domain == address.domain && next->first.bus == address.bus &&
           next->first.device == address.device && FpgaOf(next->second.function) != nullptr;
  });
}

// False where there is no bus to list.
bool AddFromBus(const FileSystem& files, Machine& machine) {
  const auto names = files.List(kPciDevices);
  for (const std::string& name : names) {
    const std::string directory = std::string(kPciDevices) + "/" + name;
    if (!IsWorthReading(files, directory)) continue;
    PciFunction function = ReadPciFunction(files, directory);
    if (!function.address || !IsCompute(function)) continue;
    Card& card = machine.cards[*function.address];
    card.function = std::move(function);
    card.node_names = NodeNames(files, directory);
  }
  return !names.empty();
}

// Some devices hang below a virtio device of their PCI function.
PciFunction ReadClassFunction(const FileSystem& files, const std::string& directory) {
  PciFunction function = ReadPciFunction(files, directory);
  const auto real = files.Resolve(directory);
  if (function.address || !real || !LastComponent(*real).starts_with("virtio")) return function;
  PciFunction parent = ReadPciFunction(files, real->substr(0, real->rfind('/')));
  return parent.address ? parent : function;
}

bool IsPartition(const FileSystem& files, const std::string& directory) {
  const auto real = files.Resolve(directory);
  return real && std::any_of(Vendors().begin(), Vendors().end(), [&](const Vendor& vendor) {
           return !vendor.partition_device.empty() &&
                  LastComponent(*real).starts_with(vendor.partition_device);
         });
}

void AddFromClasses(const FileSystem& files, Machine& machine) {
  for (ClassDevice& device : ReadClassDevices(files)) {
    if (IsPartition(files, device.directory)) continue;
    PciFunction function = ReadClassFunction(files, device.directory);
    if (!function.address) {
      Card& card = machine.others.emplace_back();
      card.function = std::move(function);
      card.node_names = std::move(device.names);
      continue;
    }
    const auto [entry, is_new] = machine.cards.try_emplace(*function.address);
    if (is_new) entry->second.function = std::move(function);
    if (is_new || entry->second.node_names.size() < device.names.size())
      entry->second.node_names = device.names;
  }
}

void AddFromVendors(const FileSystem& files, Machine& machine) {
  std::set<PciAddress> known;
  for (const auto& [address, card] : machine.cards) known.insert(address);
  for (const Vendor& vendor : Vendors()) {
    if (vendor.list == nullptr) continue;
    for (ListedCard& listed : vendor.list(files, known)) {
      const auto [entry, is_new] = machine.cards.try_emplace(listed.address);
      PciFunction& function = entry->second.function;
      if (is_new) {
        function.address = listed.address;
        function.driver = listed.driver;
      }
      if (!function.vendor) function.vendor = listed.vendor;
      if (!function.ids) function.ids = listed.ids;
      entry->second.listed = std::move(listed);
    }
  }
}

void Probe(const ProbeContext& context) {
  context.sink(StageEntered{Stage::kEnumerate});
  Machine machine;
  const bool listed = AddFromBus(context.files, machine);
  AddFromClasses(context.files, machine);
  AddFromPlatform(context.files, machine.others);
  AddFromUsb(context.files, machine.others);
  AddFromMisc(context.files, machine.others);
  AddFromVendors(context.files, machine);
  JoinFpgaFunctions(machine.cards);
  for (const auto& [address, card] : machine.cards) context.sink(DescribeCard(context.files, card));
  for (const Card& card : machine.others) context.sink(DescribeCard(context.files, card));
  // That there is no card says something of the machine only where its bus could be looked at.
  if (!listed && machine.cards.empty() && machine.others.empty()) {
    const bool has_sysfs = !context.files.List("/sys/class").empty();
    const Error error{"list " + std::string(kPciDevices), std::nullopt,
                      std::string(has_sysfs ? "no_bus" : NameOf(OwnError::kNoSysfs)),
                      has_sysfs ? "no PCI bus is listed" : "there is nothing in /sys"};
    context.sink(Failure{Outcome::kNoDevice, error});
  }
}

}  // namespace

Module Describe() {
  Module module;
  module.name = "sysfs";
  module.title = "sysfs";
  module.kind = ModuleKind::kHardware;
  module.loads_vendor_code = false;
  module.probe = Probe;
  return module;
}

}  // namespace probe::sysfs
