// SPDX-License-Identifier: MIT
#include "report/assume/assume.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "report/assume/known_card.h"
#include "report/assume/words.h"
#include "report/core/architecture.h"

namespace report::assume {
namespace {

constexpr std::string_view kAssumed = "assumed";
constexpr std::string_view kProcessors = "cpu";

probe::Error Said(std::string text) {
  return probe::Error{"", std::nullopt, "", "--assume: " + std::move(text)};
}

// The row of the device's own architecture, else of the nearest whose code runs on it: 5.2 is supported as
// long as 5.0, but 7.5 longer than 7.0.
const ArchitectureDrivers* RowOf(const TargetFacts& target, std::string_view device) {
  const ArchitectureDrivers* nearest = nullptr;
  for (const ArchitectureDrivers& row : *target.drivers) {
    if (!HasCodeFor(target, {row.architecture}, device)) continue;
    if (!nearest || CompareVersions(row.architecture, nearest->architecture) > 0) nearest = &row;
  }
  return nearest;
}

// What the maker's drivers never supported.
std::optional<std::string> Impossible(const Words& words) {
  if (!words.of || !words.driver || !words.of->target->drivers) return std::nullopt;
  const auto device = ArchitectureText(*words.of->target, words.architecture, Reader::kPeople);
  const auto* row = RowOf(*words.of->target, device);
  if (!row) return std::nullopt;
  if (row->first && CompareVersions(*words.driver, *row->first) < 0)
    return fmt::format("no driver before {} knows {} {}, and {} is assumed", *row->first,
                       words.of->target->key, device, *words.driver);
  if (row->below && CompareVersions(*words.driver, *row->below) >= 0)
    return fmt::format("{} {} has no driver from {} on, and {} is assumed", words.of->target->key, device,
                       *row->below, *words.driver);
  return std::nullopt;
}

// The maker whose architecture the text has, where it names none.
std::optional<std::uint32_t> VendorOf(const Words& words) {
  if (words.vendor || !words.of || !words.of->vendor) return words.vendor;
  return probe::ParseNumber<std::uint32_t>(*words.of->vendor, 16);
}

// Its maker's own, where the text does not say what is installed. Those for another maker's GPUs alone reach
// others of the machine.
std::vector<std::pair<std::string, std::string>> RuntimesOf(const Tables& tables, const Words& words,
                                                            std::uint32_t vendor) {
  std::vector<std::pair<std::string, std::string>> own;
  if (words.runtimes) {
    std::copy_if(words.runtimes->begin(), words.runtimes->end(), std::back_inserter(own),
                 [&](const auto& one) {
                   const auto* facts = Find(tables, one.first);
                   return !facts || !facts->vendor || IsOfVendor(*facts, vendor);
                 });
    return own;
  }
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (IsOfVendor(facts, vendor)) own.emplace_back(facts.name, "");
  }
  return own;
}

probe::View ViewOf(const Tables& tables, const Words& words, const probe::PhysicalDevice& device,
                   const std::pair<std::string, std::string>& runtime, std::uint32_t ordinal) {
  probe::View view;
  view.matched_by = "pci";
  view.device.runtime = runtime.first;
  view.device.driver = kAssumed;
  view.device.ordinal = ordinal;
  view.device.identity = device.hardware->identity;
  view.device.name = device.name;
  view.device.kind = device.kind;
  view.device.driver_version = words.driver;
  if (!runtime.second.empty()) view.device.api_version = runtime.second;
  view.device.memory_total_bytes = words.memory_bytes;
  view.device.unified_memory = words.unified;
  const auto* facts = Find(tables, runtime.first);
  if (facts && facts->target && words.of && facts->name == words.of->name)
    view.device.architecture = words.architecture;
  return view;
}

probe::PhysicalDevice DeviceOf(const Tables& tables, const Words& words, std::uint32_t number) {
  probe::PhysicalDevice device;
  const auto vendor = *VendorOf(words);
  const probe::PciAddress address{0, number, 0, 0};
  device.id = "pci:" + probe::ToString(address);
  device.vendor = std::string(probe::VendorName(vendor));
  device.name = words.name ? *words.name
                           : fmt::format("{} {}", *device.vendor,
                                         words.architecture ? *words.architecture : std::string("GPU"));
  device.kind = words.kind.value_or(probe::DeviceKind::kDiscrete);
  device.memory.total_bytes = words.memory_bytes;
  device.hardware.emplace();
  device.hardware->source = kAssumed;
  device.hardware->name = device.name;
  device.hardware->vendor = device.vendor;
  device.hardware->kind = device.kind;
  device.hardware->identity.pci = address;
  device.hardware->identity.ids = words.ids ? *words.ids : probe::PciIds{vendor, 0, {}, {}, {}};
  device.hardware->kernel_driver = kAssumed;
  device.hardware->architecture = words.architecture;
  device.hardware->memory_total_bytes = words.memory_bytes;
  for (const auto& runtime : RuntimesOf(tables, words, vendor)) {
    if (runtime.first != kProcessors)
      device.views.push_back(ViewOf(tables, words, device, runtime, number - 1));
  }
  std::sort(device.views.begin(), device.views.end(),
            [](const auto& a, const auto& b) { return a.device.runtime < b.device.runtime; });
  return device;
}

// Of the machine: all texts that say it must agree.
template <class T>
std::optional<std::string> Agree(std::string_view key, const std::optional<T>& said, std::optional<T>& all) {
  if (!said) return std::nullopt;
  if (all && *all != *said) return fmt::format("{}: two texts say different things of one machine", key);
  all = said;
  return std::nullopt;
}

// What all texts together say of the machine as a whole.
struct Whole {
  std::optional<std::string> os;
  std::optional<std::string> machine;
  std::optional<std::string> libc;
  std::optional<bool> wsl;
  std::optional<bool> container;

  std::optional<std::string> Add(const Words& words) {
    for (auto wrong :
         {Agree("os", words.os, os), Agree("arch", words.machine, machine), Agree("glibc", words.libc, libc),
          Agree("wsl", words.wsl, wsl), Agree("container", words.container, container)}) {
      if (wrong) return wrong;
    }
    return std::nullopt;
  }
};

constexpr std::uint32_t kCommonCores = 8;

// What all but the oldest processors in use have.
std::vector<std::string> CommonFeatures(const std::optional<std::string>& machine) {
  if (machine == "aarch64") return {"neon"};
  return {"sse4.2", "avx", "f16c", "fma", "avx2"};
}

probe::PhysicalDevice Processor(const Whole& whole) {
  probe::PhysicalDevice device;
  device.id = "cpu:0";
  device.name = "processor";
  device.kind = probe::DeviceKind::kCpu;
  device.hardware.emplace();
  device.hardware->source = kAssumed;
  device.hardware->name = device.name;
  device.hardware->kind = device.kind;
  auto& processor = device.hardware->processor.emplace();
  processor.features = CommonFeatures(whole.machine);
  processor.cores = kCommonCores;
  processor.threads = kCommonCores;
  processor.usable_threads = kCommonCores;
  probe::View view;
  view.matched_by = "only_candidate";
  view.device.runtime = kProcessors;
  view.device.driver = kAssumed;
  view.device.name = device.name;
  view.device.kind = device.kind;
  device.views.push_back(std::move(view));
  return device;
}

Host HostOf(const Whole& whole) {
  Host host;
  host.system = whole.os;
  host.libc = whole.libc;
  host.architecture = whole.machine.value_or("x86_64");
  if (whole.wsl.value_or(false)) host.virtualization = "wsl2";
  if (whole.container.value_or(false)) host.container = kAssumed;
  return host;
}

// Every runtime answers or is not installed, and the bus was looked through.
std::vector<probe::ProbeReport> ProbesOf(const Tables& tables,
                                         const std::vector<probe::PhysicalDevice>& devices) {
  std::set<std::string> installed;
  for (const auto& device : devices) {
    for (const auto& view : device.views) installed.insert(view.device.runtime);
  }
  std::vector<probe::ProbeReport> probes;
  const auto add = [&](std::string_view module, probe::Outcome outcome) {
    probe::ProbeReport probe;
    probe.module = module;
    probe.outcome = outcome;
    probes.push_back(std::move(probe));
  };
  add(kBusModule, probe::Outcome::kOk);
  for (const RuntimeFacts& facts : tables.runtimes)
    add(facts.name, installed.contains(facts.name) ? probe::Outcome::kOk : probe::Outcome::kAbsent);
  return probes;
}

}  // namespace

probe::Result<Machine> Imagine(const Tables& tables, const std::vector<std::string>& texts) {
  Machine machine;
  Whole whole;
  for (const std::string& text : texts) {
    auto words = ReadWords(tables, text);
    if (!words) return words.error();
    if (const auto vendor = VendorOf(*words)) RecogniseCard(tables, *vendor, *words);
    if (auto wrong = whole.Add(*words)) return Said(*std::move(wrong));
    if (auto wrong = Impossible(*words)) return Said(*std::move(wrong));
    const auto vendor = VendorOf(*words);
    if (words->no_gpu && (words->of || words->driver || words->name))
      return Said("vendor: none has no architecture, driver or name");
    if (words->of && words->of->vendor && !IsOfVendor(*words->of, *vendor))
      return Said(
          fmt::format("{}: no GPU of {} has one", words->of->target->key, probe::VendorName(*vendor)));
    if (!vendor && (words->driver || words->name || words->memory_bytes))
      return Said("vendor: it is missing; a GPU has a maker");
    for (std::uint32_t i = 0; vendor && i < words->count; ++i) {
      const auto number = static_cast<std::uint32_t>(machine.devices.size()) + 1;
      machine.devices.push_back(DeviceOf(tables, *words, number));
    }
  }
  machine.devices.insert(machine.devices.begin(), Processor(whole));
  machine.probes = ProbesOf(tables, machine.devices);
  machine.host = HostOf(whole);
  return machine;
}

}  // namespace report::assume
