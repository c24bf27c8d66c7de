// SPDX-License-Identifier: MIT
// A machine with the fake loader of the Unified Runtime, its survey, and what a test does there with a device
// that is open.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "backends/core/backend.h"
#include "tests/backends/core/open_device.h"
#include "tests/backends/level_zero/machine.h"
#include "tests/fakes/common/fake_machine.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::sycl {
Module Describe();
}
namespace backends::sycl {
Backend Describe();
}

namespace tests {

class SyclMachine {
 public:
  explicit SyclMachine(std::string_view devices, std::string_view more = "",
                       const std::string& library = FAKE_SYCL_LIBRARY) {
    tree_.Link("/lib/libur_loader.so.0", library);
    variables_ = {{"WHICHGPU_LIBRARY_PATH", tree_.At("/lib")},
                  {"OCL_ICD_VENDORS", tree_.At("/lib")},
                  {"WHICHGPU_FAKE_SCENARIO",
                   tree_.Write("/scenario.json", fmt::format(R"({{"devices": [{}]{}}})", devices, more))}};
  }

  SyclMachine& Set(const std::string& name, const std::string& value) {
    variables_[name] = value;
    return *this;
  }
  [[nodiscard]] const probe::system::TemporaryTree& tree() const { return tree_; }
  [[nodiscard]] probe::ProbeReport Survey() const { return SurveyWith(variables_, probe::sycl::Describe()); }
  // The variable as the survey leaves it to the libraries that it loads; "" where it takes it from them.
  [[nodiscard]] std::string VariableAfter(const char* name) const {
    return RunWith(variables_, [&](const auto& files, const auto& environment) -> std::string {
      probe::sycl::Describe().probe({files, environment, std::nullopt, [](const probe::ProbeEvent&) {}});
      const char* value = std::getenv(name);
      return value == nullptr ? "" : value;
    });
  }
  // See WithDevice.
  [[nodiscard]] std::string With(const SessionBody& body, std::size_t place = 0,
                                 const DeviceChange& change = nullptr) const {
    return WithDevice(variables_, Survey(), backends::sycl::Describe(), body, place, change);
  }

 private:
  probe::system::TemporaryTree tree_;
  Variables variables_;
};

}  // namespace tests
