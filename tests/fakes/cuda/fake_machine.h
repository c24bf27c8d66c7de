// SPDX-License-Identifier: MIT
// A machine with the fake CUDA libraries for tests in C++: a folder of libraries under the driver's names, a
// scenario, and what runs there (tests/fakes/common/fake_machine.h).
#pragma once

#include <string>
#include <string_view>

#include "probe/core/device.h"
#include "probe/core/report.h"
#include "tests/fakes/common/fake_machine.h"
#include "tests/probe/system/temporary_tree.h"

namespace tests {

// Scenarios of machines (tests/fakes/common/scenario.h, tests/fakes/cuda/machine.h).
namespace machines {
[[nodiscard]] std::string Gpu(std::string_view name, int number, int capability, std::string_view more = "");
[[nodiscard]] std::string Of(std::string_view gpus, std::string_view more = "");
}  // namespace machines

class CudaMachine {
 public:
  // Without a scenario: one good GPU.
  explicit CudaMachine(std::string_view scenario = "{}");

  CudaMachine& Set(const std::string& variable, const std::string& value);
  // Another file as libcuda.so.1 or libnvidia-ml.so.1; an empty name leaves it out.
  CudaMachine& Library(std::string_view soname, const std::string& file);
  // A folder with a copy of one of the libraries, and a scenario of its own if that is not empty; it is
  // searched before the others. Returns the copy's path.
  std::string Before(const std::string& folder, std::string_view soname, std::string_view scenario = "");
  [[nodiscard]] const probe::system::TemporaryTree& tree() const { return tree_; }
  [[nodiscard]] const Variables& variables() const { return variables_; }

  // Runs `body` in a process with this machine's variables and returns what it returned; "" if the process
  // died.
  [[nodiscard]] std::string Run(const ProcessBody& body) const;
  // The CUDA module's report.
  [[nodiscard]] probe::ProbeReport Survey() const;

 private:
  probe::system::TemporaryTree tree_;
  Variables variables_;
};

// The value of a fact, or "".
[[nodiscard]] std::string FactOf(const probe::RuntimeDevice& device, std::string_view key);

}  // namespace tests
