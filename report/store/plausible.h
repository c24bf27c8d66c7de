// SPDX-License-Identifier: MIT
// What decoding alone does not catch in a file: values of the right type that no run of this tool can have
// written. Each function names the place, as decoding does, and says nothing of a sound value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backends/core/measurement.h"
#include "probe/core/report.h"
#include "report/core/report.h"

namespace report {

// "created: expected a time like 2026-01-31T12:00:00Z"
[[nodiscard]] std::optional<std::string> OddTime(const std::string& path, const std::string& text);
[[nodiscard]] std::optional<std::string> OddDeviceId(const std::string& path, const std::string& id);
// What a report says beside its measurements: ids of devices, and words that are no enums of ours.
[[nodiscard]] std::optional<std::string> OddAnswer(const Report& report);
// Of a measurement's rate.
[[nodiscard]] std::string_view UnitOf(const backends::Measurement& measurement);
[[nodiscard]] std::optional<std::string> OddProbe(const std::string& path, const probe::ProbeReport& probe);
[[nodiscard]] std::optional<std::string> OddMeasurement(const std::string& path,
                                                        const backends::Measurement& measurement);
// Of the measurements' places among each other: each is of a way that a device has, and each way has a figure
// once.
[[nodiscard]] std::optional<std::string> OddPlaces(std::span<const probe::PhysicalDevice> devices,
                                                   std::span<const backends::Measurement> measurements);

}  // namespace report
