// SPDX-License-Identifier: MIT
// The CUDA backend on a fake machine: what a test does with its first device, in a process of its own.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>

#include "backends/core/backend.h"
#include "tests/fakes/cuda/fake_machine.h"

namespace backends::cuda {
Backend Describe();
}

namespace tests {

// What `body` returned with the device of that place open; "not open: ..." if it could not be.
inline std::string WithSession(const CudaMachine& machine,
                               const std::function<std::string(backends::Session&)>& body,
                               std::size_t place = 0,
                               const std::function<void(probe::RuntimeDevice&)>& change = nullptr) {
  const auto report = machine.Survey();
  if (place >= report.devices.size()) return "no device";
  probe::RuntimeDevice device = report.devices[place];
  if (change) change(device);
  return machine.Run([&](const auto& files, const auto& environment) -> std::string {
    auto session = backends::cuda::Describe().open({device, std::nullopt, files, environment});
    if (!session) return "not open: " + probe::Describe(session.error());
    return body(**session);
  });
}

}  // namespace tests
