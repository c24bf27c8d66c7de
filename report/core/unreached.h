// SPDX-License-Identifier: MIT
// Why no runtime reaches a GPU that is here, where neither a variable nor a missing runtime is the reason.
#pragma once

#include <optional>
#include <string>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report {

// The kernel driver that keeps the GPU for a virtual machine; nullopt where none does.
[[nodiscard]] std::optional<std::string> HeldForGuest(const probe::PhysicalDevice& device);

// What its maker's runtime told of this very GPU beside those that it shows (probe::UnreachedHardware), or
// that the kernel's driver is loaded and did not take it, where its table has the error.
struct OwnCause {
  const RuntimeFacts* runtime = nullptr;
  probe::Error error;
};
[[nodiscard]] std::optional<OwnCause> CauseOf(const Tables& tables, const probe::PhysicalDevice& device);

// What became of the runtime that the GPU's maker made for it.
struct MakersFailure {
  const probe::ProbeReport* probe = nullptr;
  const probe::DriverReport* driver = nullptr;  // of that runtime, where one of its drivers failed alone
};
// Of a runtime that is installed and ended badly, or knows why it has no device; nullopt for none. Where no
// kernel driver has the GPU only an error that the tables know says more than that.
[[nodiscard]] std::optional<MakersFailure> FailureOfMakers(const Tables& tables, const Report& report,
                                                           const probe::PhysicalDevice& device);
[[nodiscard]] std::string FailureText(const Tables& tables, const MakersFailure& failure);

}  // namespace report
