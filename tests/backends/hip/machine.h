// SPDX-License-Identifier: MIT
// A machine with the fake ROCm libraries, and what a test does there with the HIP backend's devices.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "backends/core/backend.h"
#include "tests/backends/core/open_device.h"
#include "tests/fakes/common/fake_machine.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::hip {
Module Describe();
}
namespace backends::hip {
Backend Describe();
}

namespace tests {

// A GPU of a scenario (tests/fakes/common/scenario.h, tests/fakes/hip/machine.h); `gfx` as the kernel has it:
// 90402 is gfx942.
inline std::string HipGpu(int number, int gfx, std::string_view attributes = "", std::string_view more = "") {
  return fmt::format(
      R"({{"name": "GPU {0}", "uuid": "{1:032x}", "pci": "0000:{0:02x}:00.0", "memory_total_bytes": 1073741824,
      "compute_units": 4, "attributes": {{"gfx": {2}{3}}}{4}}})",
      number, number + 0x100, gfx, attributes, more);
}

class HipMachine {
 public:
  explicit HipMachine(std::string_view gpus, std::string_view more = "") {
    Library("libamdhip64.so.6", FAKE_HIP_LIBRARY);
    Library("libhiprtc.so.6", FAKE_HIPRTC_LIBRARY);
    variables_ = {{"WHICHGPU_LIBRARY_PATH", tree_.At("/lib")},
                  {"WHICHGPU_FAKE_SCENARIO",
                   tree_.Write("/scenario.json", fmt::format(R"({{"devices": [{}]{}}})", gpus, more))}};
  }

  // Another file by that name; an empty one leaves it out.
  HipMachine& Library(const std::string& soname, const std::string& file) {
    std::filesystem::remove(tree_.At("/lib/" + soname));
    if (!file.empty()) tree_.Link("/lib/" + soname, file);
    return *this;
  }

  // See WithDevice.
  [[nodiscard]] std::string With(const SessionBody& body, std::size_t place = 0,
                                 const DeviceChange& change = nullptr) const {
    return WithDevice(variables_, SurveyWith(variables_, probe::hip::Describe()), backends::hip::Describe(),
                      body, place, change);
  }

 private:
  probe::system::TemporaryTree tree_;
  Variables variables_;
};

}  // namespace tests
