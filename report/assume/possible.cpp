// SPDX-License-Identifier: MIT
#include "report/assume/possible.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "report/assume/cards.h"
#include "report/assume/known_card.h"
#include "report/core/architecture.h"
#include "report/core/impossible.h"

namespace report::assume {

Setting SettingOf(const Whole& whole) {
  const std::string_view program = whole.program ? whole.program->name : std::string_view();
  return {*whole.os, *whole.machine, whole.wsl.value_or(false), program};
}

namespace {

using Wrong = std::optional<std::string>;

constexpr std::string_view kUsualSystem = "linux";
constexpr std::string_view kUsualMachine = "x86_64";

// What the maker's drivers never supported.
Wrong WrongDriver(const Words& words) {
  if (!words.of || !words.driver || !words.of->target->drivers) return std::nullopt;
  const auto device = ArchitectureText(*words.of->target, words.architecture, Reader::kPeople);
  const auto* row = DriversOf(*words.of->target, device);
  if (!row) return std::nullopt;
  if (row->first && CompareVersions(*words.driver, *row->first) < 0)
    return fmt::format("no driver before {} knows {} {}, and {} is assumed", *row->first,
                       words.of->target->key, device, *words.driver);
  if (row->below && CompareVersions(*words.driver, *row->below) >= 0)
    return fmt::format("{} {} has no driver from {} on, and {} is assumed", words.of->target->key, device,
                       *row->below, *words.driver);
  return std::nullopt;
}

// "12" may be any of its family, and is before 13.0 alone.
bool IsBefore(std::string_view version, std::string_view other) {
  if (version.find('.') == std::string_view::npos) other = probe::TakeUpTo(other, '.');
  return CompareVersions(version, other) < 0;
}

// Of the versions that are some driver's own: the newest of those drivers up to this one, and the oldest of
// those from it on. Empty where none is known.
struct Own {
  std::string_view newest_up_to;
  std::string_view oldest_from;
};
Own OwnOf(std::string_view runtime, std::string_view driver) {
  Own found;
  for (const auto& [name, version, first, counted, own] : probe::ParseTable<5>(data::kInterfaces)) {
    if (name != runtime || own.empty() || CompareVersions(driver, counted) < 0) continue;
    auto& [newest, oldest] = found;
    if (CompareVersions(own, driver) <= 0 && (newest.empty() || IsBefore(newest, version))) newest = version;
    if (CompareVersions(own, driver) >= 0 && (oldest.empty() || IsBefore(version, oldest))) oldest = version;
  }
  return found;
}

// A version that no library tells which knows the GPU, or comes with the driver: a compatibility package
// brings a newer one, and nothing an older one.
Wrong WrongAge(const Words& words, std::string_view runtime, std::string_view version) {
  if (version.empty()) return std::nullopt;
  if (words.driver) {
    const auto own = OwnOf(runtime, *words.driver).newest_up_to;
    if (!own.empty() && IsBefore(version, own))
      return fmt::format("runtime: driver {} has {}@{} or newer, and {} is assumed", *words.driver, runtime,
                         own, version);
  }
  if (!words.of || words.of->name != runtime || !words.of->target->drivers) return std::nullopt;
  const auto device = ArchitectureText(*words.of->target, words.architecture, Reader::kPeople);
  const auto* row = DriversOf(*words.of->target, device);
  // A word names its kind itself: gfx1201.
  const auto shown = words.of->target->form == TargetForm::kWord
                         ? device
                         : fmt::format("{} {}", words.of->target->key, device);
  const auto first = row && row->api     ? std::string_view(*row->api)
                     : row && row->first ? OwnOf(runtime, *row->first).newest_up_to
                                         : std::string_view();
  if (!first.empty() && IsBefore(version, first))
    return fmt::format("runtime: {} is known from {}@{} on, and {} is assumed", shown, runtime, first,
                       version);
  const auto last = row && row->below ? OwnOf(runtime, *row->below).oldest_from : std::string_view();
  const bool is_exact = version.find('.') != std::string_view::npos;
  if (is_exact && !last.empty() && !IsBefore(version, last))
    return fmt::format("runtime: {} is known before {}@{}, and {} is assumed", shown, runtime, last, version);
  return std::nullopt;
}

// A version of a runtime that no driver has, or not the one that is said.
Wrong WrongInterface(const Tables& tables, const Words& words) {
  constexpr std::uint32_t kMostAhead = 2;  // a family beyond the one after the next is a slip of the finger
  const auto family = [](std::string_view version) {
    return probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(version, '.')).value_or(0);
  };
  for (const auto& [name, version] : words.runtimes.value_or(Installed{})) {
    std::string_view newest;
    std::string_view least;
    for (const auto& [runtime, known, driver, counted, own] : probe::ParseTable<5>(data::kInterfaces)) {
      if (runtime != name) continue;
      newest = known;
      const bool is_counted = words.driver && CompareVersions(*words.driver, counted) >= 0;
      if (is_counted && !driver.empty() && CompareVersions(version, known) >= 0) least = driver;
    }
    const bool is_ahead = !newest.empty() && family(version) > family(newest) + kMostAhead;
    if (!version.empty() && (is_ahead || family(version) == 0))
      return fmt::format("runtime: {}@{} is none{}", name, version,
                         newest.empty() ? "" : fmt::format("; the newest that is known is {}", newest));
    const auto* facts = Find(tables, name);
    const bool is_its_driver = facts && words.vendor && IsOfVendor(*facts, *words.vendor);
    if (is_its_driver && !least.empty() && CompareVersions(*words.driver, least) < 0)
      return fmt::format("runtime: no driver before {} has {}@{}, and driver {} is assumed", least, name,
                         version, *words.driver);
    if (auto wrong = WrongAge(words, name, version)) return wrong;
  }
  return std::nullopt;
}

// Of a GPU, where the text says that there is none.
Wrong WordsOfNoGpu(const Words& words) {
  if (words.of || words.driver || words.name || words.memory_bytes || words.kind || words.unified ||
      words.count)
    return "vendor: none has no architecture, driver or name, nor memory, kind, unified or count; "
           "leave them out";
  return std::nullopt;
}

template <class T>
Wrong Agree(std::string_view key, const std::optional<T>& said, std::optional<T>& all) {
  if (!said) return std::nullopt;
  if (all && *all != *said) return fmt::format("{}: two texts say different things of one machine", key);
  all = said;
  return std::nullopt;
}

// What the table may name it by, beside its maker alone: its numbers, its chip's name, and that it is part of
// a chip.
std::vector<std::string> SubjectsOf(const Words& words) {
  std::vector<std::string> all;
  if (words.ids) all.push_back(fmt::format("{:04x}:{:04x}", words.ids->vendor, words.ids->device));
  if (words.name)
    all.push_back(fmt::format("{:04x}:{}", *words.vendor, probe::Lower(WithoutMaker(words.spelling))));
  if (words.kind == probe::DeviceKind::kIntegrated)
    all.push_back(fmt::format("{:04x}:integrated", *words.vendor));
  return all;
}

// Of all devices, and of the runtimes that they are said to have; `own`: also of those that go without
// saying.
std::optional<Hindrance> WhyNot(const Tables& tables, const std::vector<Words>& devices, const Whole& whole,
                                bool own) {
  const auto setting = SettingOf(whole);
  for (const Words& words : devices) {
    if (!words.vendor) continue;
    const auto architecture =
        words.of ? ArchitectureText(*words.of->target, words.architecture, Reader::kPeople) : "";
    if (auto why = WhyImpossible(fmt::format("{:04x}", *words.vendor), architecture, setting)) return why;
    for (const std::string& subject : SubjectsOf(words)) {
      if (auto why = WhyImpossible(subject, "", setting)) return why;
    }
    for (const auto& [name, version] : words.runtimes.value_or(Installed{})) {
      if (auto why = WhyImpossible(name, "", setting)) return why;
    }
    for (const RuntimeFacts& facts : tables.runtimes) {
      if (!own || words.runtimes || !IsMakersOwn(facts, *words.vendor)) continue;
      if (auto why = WhyImpossible(facts.name, "", setting)) return why;
    }
  }
  return std::nullopt;
}

// What is said of Linux alone, of another system.
Wrong OfAnotherSystem(const Whole& whole) {
  if (!whole.os || *whole.os == kUsualSystem) return std::nullopt;
  if (whole.libc) return fmt::format("glibc: {} has none; leave it out, or say os=linux", *whole.os);
  if (whole.wsl.value_or(false)) return "wsl: it is Linux below Windows; say os=linux";
  return std::nullopt;
}

// The drivers that know all of one maker's GPUs: from `first` on, before `below`.
struct Common {
  std::string_view first;
  std::string_view below;
  std::string knows_first;  // "cc 12.0", for which no driver before `first` is
  std::string knows_below;
};

// Narrows them to those of the device; the error says which two GPUs have none in common.
Wrong Narrow(const Words& words, Common& common) {
  if (!words.of || !words.of->target || !words.of->target->drivers) return std::nullopt;
  const auto& target = *words.of->target;
  const auto device = ArchitectureText(target, words.architecture, Reader::kPeople);
  const auto* row = DriversOf(target, device);
  if (!row) return std::nullopt;
  const auto shown = fmt::format("{} {}", target.key, device);
  if (row->first && (common.first.empty() || CompareVersions(*row->first, common.first) > 0)) {
    common.first = *row->first;
    common.knows_first = shown;
  }
  if (row->below && (common.below.empty() || CompareVersions(*row->below, common.below) < 0)) {
    common.below = *row->below;
    common.knows_below = shown;
  }
  if (common.first.empty() || common.below.empty() || CompareVersions(common.first, common.below) < 0)
    return std::nullopt;
  return fmt::format("{}: no driver knows both: {} has none before {}, and {} none from {} on", target.key,
                     common.knows_first, common.first, common.knows_below, common.below);
}

}  // namespace

std::optional<std::string> Whole::Add(const Words& words) {
  for (auto wrong :
       {Agree("os", words.os, os), Agree("arch", words.machine, machine), Agree("glibc", words.libc, libc),
        Agree("wsl", words.wsl, wsl), Agree("container", words.container, container),
        Agree("ram", words.ram_bytes, ram_bytes)}) {
    if (wrong) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> Settle(const Tables& tables, const std::vector<Words>& devices, Whole& whole) {
  if (auto wrong = OfAnotherSystem(whole)) return wrong;
  using Choice = std::vector<std::string>;
  const bool is_linux = whole.libc || whole.wsl.value_or(false);
  const Choice systems = whole.os   ? Choice{*whole.os}
                         : is_linux ? Choice{std::string(kUsualSystem)}
                                    : Choice{std::string(kUsualSystem), "windows", "macos"};
  const Choice machines =
      whole.machine ? Choice{*whole.machine} : Choice{std::string(kUsualMachine), "aarch64"};
  std::optional<Hindrance> found;
  // What nobody said is not what is wrong, where something else is.
  const auto is_said = [&](std::string_view key) {
    return (key != "arch" || whole.machine) && (key != "os" || whole.os);
  };
  for (const bool own : {true, false}) {
    found.reset();
    for (const std::string& os : systems) {
      for (const std::string& machine : machines) {
        Whole tried = whole;
        tried.os = os;
        tried.machine = machine;
        auto why = WhyNot(tables, devices, tried, own);
        if (!why) {
          whole = tried;
          return std::nullopt;
        }
        if (!found || (!is_said(found->key) && is_said(why->key))) found = why;
      }
    }
  }
  return fmt::format("{}: {}", found->key, found->why);
}

std::optional<std::string> WhyNotHad(const Whole& whole, std::string_view runtime) {
  const auto why = WhyImpossible(runtime, "", SettingOf(whole));
  return why ? std::optional(std::string(why->why)) : std::nullopt;
}

std::optional<std::string> Contradiction(const Tables& tables, const Words& words) {
  if (words.no_gpu) return WordsOfNoGpu(words);
  if (words.of && words.of->vendor && !IsOfVendor(*words.of, *words.vendor))
    return fmt::format("{}: no GPU of {} has one", words.of->target->key, probe::VendorName(*words.vendor));
  if (!words.vendor && (words.driver || words.name || words.memory_bytes || words.kind || words.unified ||
                        words.count || words.runtimes))
    return "vendor: it is missing; a GPU has a maker";
  if (words.unified.value_or(false) && words.kind == probe::DeviceKind::kDiscrete)
    return fmt::format("unified: a discrete GPU has memory of its own; say {}unified=no",
                       words.of || words.name ? "" : "kind=integrated or ");
  if (words.vendor && BuildsPartsAlone(*words.vendor) && !words.unified.value_or(true))
    return fmt::format("unified: a GPU of {} always shares the processor's memory; leave it out",
                       probe::VendorName(*words.vendor));
  if (auto wrong = WrongInterface(tables, words)) return wrong;
  return WrongDriver(words);
}

std::optional<std::string> StrayRuntime(const Tables& tables, const std::vector<Words>& devices) {
  for (const Words& words : devices) {
    for (const auto& [name, version] : words.runtimes.value_or(Installed{})) {
      const auto* facts = Find(tables, name);
      const bool reaches =
          !facts || !facts->vendor || std::any_of(devices.begin(), devices.end(), [&](const Words& one) {
            return one.vendor && IsOfVendor(*facts, *one.vendor);
          });
      if (reaches) continue;
      const auto vendor = probe::ParseNumber<std::uint32_t>(*facts->vendor, 16).value_or(0);
      return fmt::format("runtime: {} is for GPUs of {} alone, and none is described", name,
                         probe::VendorName(vendor));
    }
  }
  return std::nullopt;
}

std::optional<std::string> ShareDrivers(std::vector<Words>& devices) {
  std::map<std::uint32_t, std::string> drivers;
  std::map<std::uint32_t, Common> common;
  for (const Words& words : devices) {
    if (!words.vendor) continue;
    if (auto wrong = Narrow(words, common[*words.vendor])) return wrong;
    if (!words.driver) continue;
    const auto& first = drivers.emplace(*words.vendor, *words.driver).first->second;
    if (CompareVersions(first, *words.driver) != 0)
      return fmt::format("driver: a machine has one driver for all GPUs of {}, and {} and {} are assumed",
                         probe::VendorName(*words.vendor), first, *words.driver);
  }
  for (Words& words : devices) {
    if (!words.vendor || words.driver) continue;
    if (const auto known = drivers.find(*words.vendor); known != drivers.end()) words.driver = known->second;
  }
  return std::nullopt;
}

}  // namespace report::assume
