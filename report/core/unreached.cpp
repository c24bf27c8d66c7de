// SPDX-License-Identifier: MIT
#include "report/core/unreached.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "probe/core/hidden.h"
#include "report/core/architecture.h"
#include "report/core/devices.h"
#include "report/core/wording.h"

namespace report {
namespace {

using probe::Outcome;

// Of a card, the maker's name of its chip by the table of PCI numbers.
constexpr std::string_view kChipFact = "table_target";

// What one without a device of its own says is about the machine only where it gives a reason.
template <class Told>
bool IsFailure(const Told& told) {
  return told.outcome != Outcome::kOk && told.outcome != Outcome::kAbsent &&
         (told.outcome != Outcome::kNoDevice || told.error);
}

bool KnowsError(const RuntimeFacts& facts, const std::optional<probe::Error>& error) {
  return error && facts.errors &&
         std::any_of(facts.errors->begin(), facts.errors->end(),
                     [&](const ErrorFacts& known) { return known.name == error->name; });
}

bool IsHelper(const RuntimeFacts& facts, const probe::DriverReport& driver) {
  return facts.helpers && driver.name &&
         std::find(facts.helpers->begin(), facts.helpers->end(), *driver.name) != facts.helpers->end();
}

// Whose failure is the runtime's own, or tells more than that none of its drivers has a device.
const probe::DriverReport* FailedDriver(const RuntimeFacts& facts, const probe::ProbeReport& probe) {
  const bool ended_well = probe.outcome == Outcome::kOk || probe.outcome == Outcome::kNoDevice;
  if (ended_well && KnowsError(facts, probe.error)) return nullptr;
  const auto driver = std::find_if(probe.drivers.begin(), probe.drivers.end(), [&](const auto& one) {
    const bool is_of_all = ended_well ? one.outcome != Outcome::kNoDevice : one.outcome == probe.outcome;
    const bool is_beside = probe.outcome == Outcome::kOk && IsHelper(facts, one);
    return IsFailure(one) && is_of_all && !is_beside;
  });
  return driver == probe.drivers.end() ? nullptr : &*driver;
}

// Why the loaded driver did not take a card: its release is before the first or after the last that knows the
// architecture; else only that it did not.
probe::Error WhyLeft(const RuntimeFacts& facts, const probe::HardwareDevice& hardware,
                     const std::string& module) {
  const auto* version = probe::FindFact(hardware.facts, probe::kLeftByVersionFact);
  const auto loaded = version ? module + " " + *version : module;
  const auto as = [](std::string_view name, std::string text) {
    return probe::Error{{}, std::nullopt, std::string(name), std::move(text)};
  };
  auto left = as(probe::kLeftByDriver, fmt::format("{} is loaded and did not take it", loaded));
  const auto* chip = probe::FindFact(hardware.facts, kChipFact);
  if (!version || !chip || !facts.target) return left;
  const auto* known = DriversOf(*facts.target, ArchitectureText(*facts.target, *chip, Reader::kPeople));
  if (!known) return left;
  if (known->first && CompareVersions(*version, *known->first) < 0)
    return as("driver_too_old",
              fmt::format("it needs driver {} or newer, and {} is loaded", *known->first, loaded));
  if (known->below && CompareVersions(*version, *known->below) >= 0)
    return as("driver_too_new",
              fmt::format("it needs a driver before {}, and {} is loaded", *known->below, loaded));
  return left;
}

// Of a card that the module of its maker's, which is loaded, did not bind: nothing is to be installed or
// loaded for it.
std::optional<OwnCause> LeftByDriver(const Tables& tables, const probe::HardwareDevice& hardware,
                                     std::uint32_t vendor) {
  const auto* module = probe::FindFact(hardware.facts, probe::kLeftByFact);
  if (!module || hardware.kernel_driver) return std::nullopt;
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (!IsMakersOwn(facts, vendor)) continue;
    auto error = WhyLeft(facts, hardware, *module);
    if (KnowsError(facts, error)) return OwnCause{&facts, std::move(error)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> HeldForGuest(const probe::PhysicalDevice& device) {
  if (!device.hardware || !device.hardware->kernel_driver) return std::nullopt;
  const auto& driver = *device.hardware->kernel_driver;
  const bool holds = driver.find("vfio") != std::string::npos || driver == "pci-stub" || driver == "pciback";
  return holds ? std::optional(driver) : std::nullopt;
}

std::optional<OwnCause> CauseOf(const Tables& tables, const probe::PhysicalDevice& device) {
  const auto vendor = VendorOf(device);
  if (!device.hardware || !vendor) return std::nullopt;
  if (auto left = LeftByDriver(tables, *device.hardware, *vendor)) return left;
  const auto* name = probe::FindFact(device.hardware->facts, probe::kUnreachedErrorFact);
  const auto* text = probe::FindFact(device.hardware->facts, probe::kUnreachedTextFact);
  if (name == nullptr || text == nullptr) return std::nullopt;
  const probe::Error error{{}, std::nullopt, *name, *text};
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (IsMakersOwn(facts, *vendor) && KnowsError(facts, error)) return OwnCause{&facts, error};
  }
  return std::nullopt;
}

std::optional<MakersFailure> FailureOfMakers(const Tables& tables, const Report& report,
                                             const probe::PhysicalDevice& device) {
  const auto vendor = VendorOf(device);
  const bool is_bound = device.hardware && device.hardware->kernel_driver;
  if (!vendor) return std::nullopt;
  for (const probe::ProbeReport& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (!facts || !IsMakersOwn(*facts, *vendor)) continue;
    const auto* driver = FailedDriver(*facts, probe);
    if (!driver && !IsFailure(probe)) continue;
    const auto outcome = driver ? driver->outcome : probe.outcome;
    const bool is_known = KnowsError(*facts, driver ? driver->error : probe.error);
    if (is_bound || (is_known && outcome != Outcome::kHidden)) return MakersFailure{&probe, driver};
  }
  return std::nullopt;
}

std::string FailureText(const Tables& tables, const MakersFailure& failure) {
  return failure.driver ? OutcomeText(tables, failure.probe->module, *failure.driver)
                        : OutcomeText(tables, *failure.probe);
}

}  // namespace report
