// SPDX-License-Identifier: MIT
#include "probe/core/other_devices.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "data/tables.h"

#include "probe/core/names.h"
#include "probe/core/parse.h"

namespace probe {
namespace {

std::span<const OtherDevice> Rows() {
  static const std::vector<OtherDevice> rows = [] {
    std::vector<OtherDevice> out;
    for (const auto& [family, name, what, vendor, pci, usb, misc, drivers, classes, runtime, reached,
                      programs, page, date, source] : ParseTable<15>(data::kOtherDevices)) {
      out.push_back({.family = family,
                     .what = ParseName<Purpose>(what).value_or(Purpose::kAccelerator),
                     .name = name,
                     .vendor = vendor,
                     .pci = pci,
                     .usb = usb,
                     .misc = misc,
                     .drivers = drivers,
                     .classes = classes,
                     .runtime = runtime,
                     .reached = reached,
                     .programs = programs,
                     .page = page});
    }
    return out;
  }();
  return rows;
}

template <class Is>
const OtherDevice* FindRow(Is is) {
  const auto rows = Rows();
  const auto row = std::find_if(rows.begin(), rows.end(), is);
  return row == rows.end() ? nullptr : &*row;
}

std::string PairText(std::uint32_t first, std::uint32_t second) {
  char text[16];
  std::snprintf(text, sizeof text, "%04x:%04x", first & 0xffffU, second & 0xffffU);
  return text;
}

// Base classes of the PCI bus: not yet defined, display, system peripheral, co-processor, signal processing,
// accelerator, and none of all.
bool MayCompute(std::optional<std::uint32_t> class_code) {
  constexpr std::array<std::uint32_t, 7> kBases = {0x00, 0x03, 0x08, 0x0b, 0x11, 0x12, 0xff};
  return !class_code || std::find(kBases.begin(), kBases.end(), *class_code >> 16U) != kBases.end();
}

// Of a kind about which no row says more: that without a name by which it could be known.
const OtherDevice* RowOfKind(DeviceKind kind) {
  return FindRow([&](const OtherDevice& row) {
    return row.vendor.empty() && row.what != Purpose::kGpu && KindOf(row.what) == kind;
  });
}

const OtherDevice* RowOf(const HardwareDevice& hardware) {
  if (const auto& ids = hardware.identity.ids) {
    const std::string* code = FindFact(hardware.facts, "pci_class");
    return FindOtherByPci(*ids, code ? ParseNumber<std::uint32_t>(*code, 16) : std::nullopt,
                          hardware.kernel_driver);
  }
  if (const std::string* usb = FindFact(hardware.facts, kUsbIdFact))
    return FindRow([&](const OtherDevice& row) { return Lists(row.usb, *usb); });
  if (const std::string* misc = FindFact(hardware.facts, kMiscFact)) return FindOtherByMisc(*misc);
  return hardware.kernel_driver ? FindOtherByDriver(*hardware.kernel_driver) : nullptr;
}

// "Vulkan and OpenCL".
std::string TitlesOf(std::string_view reached) {
  std::string titles;
  while (!reached.empty()) {
    auto title = TakeUpTo(reached, ' ');
    TakeUpTo(title, '=');
    titles.append(titles.empty() ? "" : " and ").append(title);
  }
  return titles;
}

std::string ReasonOf(const OtherDevice& row) {
  const bool computes = !row.runtime.empty();
  const std::string runtime(row.runtime);
  if (row.what == Purpose::kManagement) return "it draws a server's console and computes nothing";
  if (row.what == Purpose::kVirtual)
    return computes ? "it stands for " + runtime : "there is no hardware behind it to compute with";
  if (row.what == Purpose::kVideo)
    return computes ? "it encodes and decodes video, and computes by " + runtime +
                          ", which this version does not measure"
                    : "it encodes and decodes video, and computes nothing else";
  if (!computes && !row.vendor.empty()) return "it compresses or encrypts, and computes nothing else";
  if (!computes) return "none of the runtimes here can use it";
  if (!row.reached.empty())
    return runtime + " is not measured; " + TitlesOf(row.reached) + " of its driver would reach it";
  return "it computes by " + runtime + ", which this version does not measure";
}

}  // namespace

const OtherDevice* FindOtherByPci(const PciIds& ids, std::optional<std::uint32_t> class_code) {
  const auto own = PairText(ids.vendor, ids.device);
  if (const auto* row = FindRow([&](const OtherDevice& one) { return Lists(one.pci, own); })) return row;
  const auto all = own.substr(0, 5) + "*";
  return MayCompute(class_code) ? FindRow([&](const OtherDevice& one) { return Lists(one.pci, all); })
                                : nullptr;
}

const OtherDevice* FindOtherByPci(const PciIds& ids, std::optional<std::uint32_t> class_code,
                                  const std::optional<std::string>& kernel_driver) {
  if (const auto* row = FindOtherByPci(ids, class_code)) return row;
  return kernel_driver && MayCompute(class_code) ? FindOtherByDriver(*kernel_driver) : nullptr;
}

bool NeverComputes(std::uint32_t base_class) {
  constexpr std::array<std::uint32_t, 5> kBases = {0x02, 0x06, 0x07, 0x0c, 0x0d};
  return std::find(kBases.begin(), kBases.end(), base_class) != kBases.end();
}

bool MakesOthers(std::uint32_t pci_vendor) {
  const auto maker = PairText(pci_vendor, 0).substr(0, 5);
  return FindRow([&](const OtherDevice& one) {
           const auto place = one.pci.find(maker);
           return place != std::string_view::npos && (place == 0 || one.pci[place - 1] == ' ');
         }) != nullptr;
}

const OtherDevice* FindOtherByUsb(std::uint32_t vendor, std::uint32_t product) {
  return FindRow([own = PairText(vendor, product)](const OtherDevice& one) { return Lists(one.usb, own); });
}

const OtherDevice* FindOtherByMisc(std::string_view name) {
  return FindRow([&](const OtherDevice& one) { return Lists(one.misc, name); });
}

const OtherDevice* FindOtherByDriver(std::string_view kernel_driver) {
  return FindRow([&](const OtherDevice& one) { return Lists(one.drivers, kernel_driver); });
}

std::string UsbIdText(std::uint32_t vendor, std::uint32_t product) { return PairText(vendor, product); }

DeviceKind KindOf(Purpose what) {
  switch (what) {
    case Purpose::kGpu:
      return DeviceKind::kDiscrete;
    case Purpose::kManagement:
      return DeviceKind::kManagement;
    case Purpose::kVirtual:
      return DeviceKind::kVirtual;
    case Purpose::kNpu:
    case Purpose::kAiAccelerator:
    case Purpose::kAccelerator:
    case Purpose::kFpga:
    case Purpose::kVideo:
      return DeviceKind::kAccelerator;
  }
  return DeviceKind::kUnknown;
}

std::vector<std::string_view> ReachedBy(const HardwareDevice& hardware) {
  std::vector<std::string_view> out;
  const OtherDevice* row = RowOf(hardware);
  for (auto reached = row != nullptr ? row->reached : std::string_view(); !reached.empty();) {
    auto one = TakeUpTo(reached, ' ');
    out.push_back(TakeUpTo(one, '='));
  }
  return out;
}

std::optional<NotMeasurable> WhyNotMeasurable(const HardwareDevice& hardware, DeviceKind kind) {
  // Of a chip whose GPU is for pictures alone, by its kernel driver (data/platform_drivers.csv).
  if (const std::string* none = FindFact(hardware.facts, "no_runtime"))
    return NotMeasurable{Purpose::kGpu, std::nullopt, *none, std::nullopt, {}, {}, std::nullopt};
  const OtherDevice* row = RowOf(hardware);
  if (row == nullptr || KindOf(row->what) != kind) row = RowOfKind(kind);
  if (row == nullptr) return std::nullopt;
  NotMeasurable out;
  out.what = row->what;
  if (!row->vendor.empty()) out.family = row->family;
  out.reason = ReasonOf(*row);
  if (!row->runtime.empty() && row->what != Purpose::kVirtual) out.runtime = row->runtime;
  if (!row->page.empty()) out.page = row->page;
  for (auto drivers = row->drivers; !drivers.empty();) out.drivers.emplace_back(TakeUpTo(drivers, ' '));
  for (auto programs = row->programs; !programs.empty();) {
    auto how = TakeUpTo(programs, ';');
    std::string target(TakeUpTo(how, '='));
    out.programs.push_back({std::move(target), std::string(how)});
  }
  return out;
}

}  // namespace probe
