// SPDX-License-Identifier: MIT
#include "report/core/unreached.h"

#include <algorithm>

#include "probe/core/hidden.h"
#include "report/core/devices.h"
#include "report/core/wording.h"

namespace report {
namespace {

using probe::Outcome;

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
  const auto* name = probe::FindFact(device.hardware->facts, probe::kUnreachedErrorFact);
  const auto* text = probe::FindFact(device.hardware->facts, probe::kUnreachedTextFact);
  if (name == nullptr || text == nullptr) return std::nullopt;
  const probe::Error error{{}, std::nullopt, *name, *text};
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (IsOfVendor(facts, *vendor) && KnowsError(facts, error)) return OwnCause{&facts, error};
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
    if (!facts || !IsOfVendor(*facts, *vendor)) continue;
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
