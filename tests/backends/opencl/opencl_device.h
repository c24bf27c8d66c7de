// SPDX-License-Identifier: MIT
// PoCL's device, opened as the program opens it, for tests that compute. One a process.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/core/backend.h"
#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"

namespace backends::opencl {
Backend Describe();
}

namespace tests {

// The first device of the manifest, as the probe reports it; the name is empty where there is none.
[[nodiscard]] probe::RuntimeDevice FindOpenClDevice(
    const std::string& manifest = "/etc/OpenCL/vendors/pocl.icd");

[[nodiscard]] probe::Result<std::unique_ptr<backends::Session>> OpenOpenCl(
    const probe::RuntimeDevice& device,
    const probe::system::Environment& environment = probe::system::Environment::OfProcess(),
    const std::optional<probe::Processor>& processor = std::nullopt);

// What the backend offers for a device with these limits.
[[nodiscard]] std::vector<kernels::Variant> OpenClVariants(const backends::Limits& limits);

}  // namespace tests
