// SPDX-License-Identifier: MIT
// A machine with the fake Level Zero loader, its survey, and what a test does there with a device that is
// open.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "backends/core/backend.h"
#include "tests/backends/core/open_device.h"
#include "tests/fakes/common/fake_machine.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::level_zero {
Module Describe();
}
namespace backends::level_zero {
Backend Describe();
}

namespace tests {

// A GPU of a scenario (tests/fakes/common/scenario.h, tests/fakes/level_zero/machine.h); `ip`: 1255 is
// release 55 of architecture 12.
inline std::string ZeGpu(int number, int ip, std::string_view attributes = "", std::string_view more = "") {
  return fmt::format(
      R"({{"name": "Arc {0}", "vendor_id": 32902, "device_id": {1}, "uuid": "{2:030x}00", "pci": "0000:{0:02x}:00.0",
      "memory_total_bytes": 268435456, "max_buffer_bytes": 134217728, "compute_units": 16, "fp16": true,
      "attributes": {{"ip": {3}{4}}}{5}}})",
      number, 0x56a0 + number, number + 0x100, ip, attributes, more);
}
// Two tiles of half the memory and of half the units.
inline constexpr std::string_view kTwoTiles =
    R"(, "partitions": [{"memory_total_bytes": 134217728, "compute_units": 8},
                        {"memory_total_bytes": 134217728, "compute_units": 8}])";

class ZeMachine {
 public:
  explicit ZeMachine(std::string_view gpus, std::string_view more = "",
                     const std::string& library = FAKE_LEVEL_ZERO_LIBRARY) {
    tree_.Link("/lib/libze_loader.so.1", library);
    variables_ = {{"WHICHGPU_LIBRARY_PATH", tree_.At("/lib")},
                  {"WHICHGPU_FAKE_SCENARIO",
                   tree_.Write("/scenario.json", fmt::format(R"({{"devices": [{}]{}}})", gpus, more))}};
  }

  ZeMachine& Set(const std::string& name, const std::string& value) {
    variables_[name] = value;
    return *this;
  }
  // Lies there; nothing loads it.
  ZeMachine& WithDriverFile() {
    tree_.Write("/lib/libze_intel_gpu.so.1", "", 0755);
    return *this;
  }
  ZeMachine& WithLibrary(const std::string& name, const std::string& file) {
    tree_.Link("/lib/" + name, file);
    return *this;
  }
  // Of the libraries of products that are there; loads none.
  [[nodiscard]] std::vector<kernels::Variant> Libraries() const {
    const auto files = probe::system::FileSystem::Open("/");
    return backends::level_zero::Describe().libraries(
        {{}, std::nullopt, *files, probe::system::Environment(variables_)});
  }
  [[nodiscard]] probe::ProbeReport Survey() const {
    return SurveyWith(variables_, probe::level_zero::Describe());
  }
  // See WithDevice.
  [[nodiscard]] std::string With(const SessionBody& body, std::size_t place = 0,
                                 const DeviceChange& change = nullptr) const {
    return WithDevice(variables_, Survey(), backends::level_zero::Describe(), body, place, change);
  }

 private:
  probe::system::TemporaryTree tree_;
  Variables variables_;
};

}  // namespace tests
