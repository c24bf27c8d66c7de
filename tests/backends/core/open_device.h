// SPDX-License-Identifier: MIT
// What a test does with a device of a machine with fakes while it is open.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "backends/core/backend.h"
#include "tests/fakes/common/fake_machine.h"

namespace tests {

using SessionBody = std::function<std::string(backends::Session&)>;
using DeviceChange = std::function<void(probe::RuntimeDevice&)>;

// "ok", or the error's own words.
template <class T>
std::string Say(const probe::Result<T>& result) {
  return result ? "ok" : probe::Describe(result.error());
}

// What `body` returned, in a process of its own, with the device of that place of the report open; "not open:
// ..." if it could not be. `change` makes another device of what is asked for.
inline std::string WithDevice(const Variables& variables, const probe::ProbeReport& report,
                              const backends::Backend& backend, const SessionBody& body,
                              std::size_t place = 0, const DeviceChange& change = nullptr) {
  if (place >= report.devices.size()) return "no device";
  probe::RuntimeDevice device = report.devices[place];
  if (change) change(device);
  return RunWith(variables, [&](const auto& files, const auto& environment) -> std::string {
    auto session = backend.open({device, std::nullopt, files, environment});
    if (!session) return "not open: " + probe::Describe(session.error());
    return body(**session);
  });
}

}  // namespace tests
