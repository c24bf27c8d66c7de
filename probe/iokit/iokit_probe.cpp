// SPDX-License-Identifier: MIT
// What macOS's registry of devices has of a Mac: its GPUs, on the PCI bus and in the chip, each with the
// number by which Metal names it too; its Neural Engine; and whether it runs on its battery.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "probe/core/module.h"
#include "probe/core/number_facts.h"
#include "probe/core/other_devices.h"
#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "probe/core/power.h"
#include "probe/core/vendor_names.h"
#include "probe/iokit/iokit_api.h"
#include "probe/system/frameworks.h"

namespace probe::iokit {
namespace {

constexpr std::uint32_t kDisplayClass = 0x03;  // the first of the three bytes of PCI's class code
constexpr int kMostSteps = 8;                  // from an accelerator up to its place on the bus
constexpr std::uint64_t kMostCores = 4096;     // no chip's GPU has as many

void AddFact(HardwareDevice& device, std::string_view key, std::string value) {
  device.facts.push_back({std::string(key), std::move(value)});
}

std::optional<std::uint32_t> Small(std::optional<std::uint64_t> number) {
  if (!number || *number > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

bool IsDisplay(const Entry& entry) {
  const auto code = entry.Number("class-code");
  return code && *code >> 16U == kDisplayClass && entry.Number("vendor-id") && entry.Number("device-id");
}

// "1:0:0", or of a bridge "1:0:0(2:2)": bus, device and function, in decimals.
std::optional<PciAddress> AddressOf(const Entry& entry) {
  const auto text = entry.Text("pcidebug");
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const auto bus = ParseNumber<std::uint32_t>(TakeUpTo(rest, ':'));
  const auto device = ParseNumber<std::uint32_t>(TakeUpTo(rest, ':'));
  const auto function = ParseNumber<std::uint32_t>(TakeUpTo(rest, '('));
  if (!bus || !device || !function || *bus > 255 || *device > 31 || *function > 7) return std::nullopt;
  return PciAddress{0, *bus, *device, *function};
}

PciIds IdsOf(const Entry& entry) {
  PciIds ids;
  ids.vendor = Small(entry.Number("vendor-id")).value_or(0);
  ids.device = Small(entry.Number("device-id")).value_or(0);
  ids.subsystem_vendor = Small(entry.Number("subsystem-vendor-id"));
  ids.subsystem_device = Small(entry.Number("subsystem-id"));
  ids.revision = Small(entry.Number("revision-id"));
  return ids;
}

// Registers of PCI Express that the system keeps as properties (PCI Express Base Specification 6.0, 7.5.3):
// the generation in the four lowest bits, the lanes in the six above them.
void ReadLink(const Entry& entry, HardwareDevice& out) {
  constexpr std::uint64_t kGeneration = 0xf, kLanes = 0x3f;
  const auto take = [&](const char* key, auto& generation, auto& lanes) {
    const auto bits = entry.Number(key);
    if (!bits || (*bits & kGeneration) == 0 || (*bits >> 4U & kLanes) == 0) return false;
    generation = static_cast<std::uint32_t>(*bits & kGeneration);
    lanes = static_cast<std::uint32_t>(*bits >> 4U & kLanes);
    return true;
  };
  PcieLink link;
  const bool is_now = take("IOPCIExpressLinkStatus", link.generation, link.lanes);
  if (take("IOPCIExpressLinkCapabilities", link.max_generation, link.max_lanes) || is_now) out.pcie = link;
}

// The memory of a card's own; what a GPU in a processor calls so is the machine's.
std::optional<std::uint64_t> VramOf(const Entry& entry) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20U;  // MB
  if (const auto megabytes = entry.Number("VRAM,totalMB"); megabytes && *megabytes > 0 && *megabytes < kMost)
    return *megabytes << 20U;
  const auto bytes = entry.Number("VRAM,totalsize");
  return bytes && *bytes > 0 ? bytes : std::nullopt;
}

// A GPU by its function of the bus.
HardwareDevice OnBus(const Entry& entry) {
  HardwareDevice out;
  out.source = "iokit";
  out.identity.ids = IdsOf(entry);
  out.identity.pci = AddressOf(entry);
  const auto facts = FindPciFacts(*out.identity.ids);
  const VendorNames* maker = FindVendorNames(out.identity.ids->vendor);
  if (maker != nullptr) out.vendor = maker->name;
  out.kind = facts ? facts->kind : maker != nullptr ? maker->kind : DeviceKind::kUnknown;
  if (const auto model = entry.Text("model")) {
    out.name = *model;
    AddFact(out, "name_basis", "driver");
  } else if (facts) {
    out.name = facts->name;
    AddFact(out, "name_basis", facts->one_product ? "pci_table" : "pci_table_family");
  } else {
    out.name = fmt::format("{} device {:04x}:{:04x}", out.vendor.value_or("PCI"), out.identity.ids->vendor,
                           out.identity.ids->device);
    AddFact(out, "name_basis", "ids");
  }
  if (facts && !facts->architecture.empty())
    AddFact(out, "architecture_family", std::string(facts->architecture));
  if (facts && !facts->target.empty()) AddFact(out, "table_target", std::string(facts->target));
  ReadLink(entry, out);
  if (out.kind != DeviceKind::kIntegrated) out.vram_bytes = VramOf(entry);
  if (const auto tunnelled = entry.Flag("IOPCITunnelled")) out.removable = *tunnelled;
  return out;
}

// One in the chip, which is on no bus.
HardwareDevice InChip(const Entry& accelerator) {
  HardwareDevice out;
  out.source = "iokit";
  out.name = accelerator.Text("model").value_or("Apple GPU");
  out.vendor = "Apple";
  out.kind = DeviceKind::kIntegrated;
  AddFact(out, "name_basis", "driver");
  return out;
}

// The nearest function of a display that the entry hangs from.
std::optional<Entry> DisplayAbove(const Entry& entry) {
  auto above = entry.Parent();
  for (int step = 0; above && step < kMostSteps && !IsDisplay(*above); ++step) above = above->Parent();
  return above && IsDisplay(*above) ? std::move(above) : std::nullopt;
}

// What its driver has made of a GPU.
HardwareDevice WithDriver(const Entry& accelerator, const std::optional<Entry>& on_bus) {
  HardwareDevice out = on_bus ? OnBus(*on_bus) : InChip(accelerator);
  if (const auto id = accelerator.Id()) AddFact(out, kRegistryFact, fmt::format("{:#x}", *id));
  out.kernel_driver = accelerator.Text("CFBundleIdentifier");
  const auto cores = accelerator.Number("gpu-core-count");
  if (cores && *cores > 0 && *cores <= kMostCores) AddFact(out, "gpu_cores", fmt::to_string(*cores));
  const bool has_own = on_bus && out.kind != DeviceKind::kIntegrated;
  if (has_own && !out.vram_bytes) out.vram_bytes = VramOf(accelerator);
  return out;
}

// First those that a driver serves; of the bus those, too, that none does.
void AddGpus(const Api& api, const ProbeSink& sink) {
  std::set<std::uint64_t> seen;
  bool is_first_of_chip = true;
  for (const Entry& accelerator : EntriesOf(api, "IOAccelerator")) {
    const auto on_bus = DisplayAbove(accelerator);
    if (const auto id = on_bus ? on_bus->Id() : std::nullopt) seen.insert(*id);
    auto gpu = WithDriver(accelerator, on_bus);
    if (!on_bus && std::exchange(is_first_of_chip, false)) AddFact(gpu, "platform_device", "gpu");
    sink(std::move(gpu));
  }
  for (const Entry& function : EntriesOf(api, "IOPCIDevice")) {
    const auto id = function.Id();
    if (IsDisplay(function) && !(id && seen.contains(*id))) sink(OnBus(function));
  }
}

// By the class of its driver, which has kept its name from the first chip on.
void AddNeuralEngine(const Api& api, const ProbeSink& sink) {
  constexpr const char* kDriver = "H11ANEIn";
  const OtherDevice* other = FindOtherByDriver(kDriver);
  if (other == nullptr || EntriesOf(api, kDriver).empty()) return;
  HardwareDevice out;
  out.source = "iokit";
  out.name = other->name;
  out.vendor = other->vendor;
  out.kind = KindOf(other->what);
  out.kernel_driver = kDriver;
  AddFact(out, "name_basis", "device_table");
  AddFact(out, "platform_device", "ane");
  sink(std::move(out));
}

void AddPower(const Api& api, const ProbeSink& sink) {
  for (const Entry& battery : EntriesOf(api, "AppleSmartBattery")) {
    const auto is_supplied = battery.Flag("ExternalConnected");
    if (!is_supplied || !battery.Flag("BatteryInstalled").value_or(false)) continue;
    HardwareDevice host;
    host.source = "iokit";
    host.kind = DeviceKind::kCpu;
    AddFact(host, kPowerSourceFact, *is_supplied ? "mains" : "battery");
    return sink(std::move(host));
  }
}

void Probe(const ProbeContext& context) {
  context.sink(StageEntered{Stage::kLoad});
  const auto api = OpenApi(context.files, context.environment);
  if (!api) {
    const auto outcome = api.error().Is(OwnError::kAbsent) ? Outcome::kAbsent : Outcome::kFailed;
    return context.sink(Failure{outcome, api.error()});
  }
  context.sink(StageEntered{Stage::kEnumerate});
  AddGpus(*api, context.sink);
  AddNeuralEngine(*api, context.sink);
  AddPower(*api, context.sink);
}

}  // namespace

Module Describe();

Module Describe() {
  Module module;
  module.name = "iokit";
  module.title = "IOKit";
  module.kind = ModuleKind::kHardware;
  module.libraries = {&system::kIoKitName, 1};
  module.probe = Probe;
  return module;
}

}  // namespace probe::iokit
