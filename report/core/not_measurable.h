// SPDX-License-Identifier: MIT
// How it is said of a device that nothing measures here why that is, and what could use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "probe/core/device.h"

namespace report {

// nullopt of what a runtime reaches, and of what one here is for. Also of a device that was read from a
// report of a version that did not tell it.
[[nodiscard]] std::optional<probe::NotMeasurable> WhyNotMeasurable(const probe::PhysicalDevice& device);

// "NPU", "FPGA card"; "" of what another table names as well, by its kind.
[[nodiscard]] std::string_view PurposeText(const probe::NotMeasurable& why);

// "openvino (device NPU), onnxruntime (...)"; "" where none of the programs that this version knows can.
[[nodiscard]] std::string ProgramsText(const probe::NotMeasurable& why);

// "it computes by its SDK, which this version does not measure; no kernel driver is bound to it: it wants
// its_driver"
[[nodiscard]] std::string ReasonText(const probe::PhysicalDevice& device, const probe::NotMeasurable& why);

// The same, with "; what can use it: openvino (device NPU)" behind it.
[[nodiscard]] std::string NotMeasurableText(const probe::PhysicalDevice& device,
                                            const probe::NotMeasurable& why);

// Whether it is known to be of no use to a program that computes: a transcoder, a compression engine.
[[nodiscard]] bool ComputesNothing(const probe::NotMeasurable& why);

// Whether it wants a driver of the kernel's that is not bound to it.
[[nodiscard]] bool LacksKernelDriver(const probe::PhysicalDevice& device, const probe::NotMeasurable& why);

}  // namespace report
