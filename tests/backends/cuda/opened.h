// SPDX-License-Identifier: MIT
// The CUDA backend on a fake machine: what a test does with its first device, in a process of its own.
#pragma once

#include <string>

#include "tests/backends/core/open_device.h"
#include "tests/fakes/cuda/fake_machine.h"

namespace backends::cuda {
Backend Describe();
}

namespace tests {

// See WithDevice.
inline std::string WithSession(const CudaMachine& machine, const SessionBody& body, std::size_t place = 0,
                               const DeviceChange& change = nullptr) {
  return WithDevice(machine.variables(), machine.Survey(), backends::cuda::Describe(), body, place, change);
}

}  // namespace tests
