// SPDX-License-Identifier: MIT
// A fake driver in a scratch folder of its own, with a scenario, used by its client through the real loader.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/fakes/common/child_process.h"

namespace fakes {

// What differs between the runtimes' fakes.
struct Runtime {
  const char* name;
  const char* client;
  const char* library;
  const char* manifest_suffix;
  const char* registered_by;  // the variable that names the manifest, or its folder
  bool registers_folder;
};
// For the tests' names.
inline void PrintTo(const Runtime& runtime, std::ostream* out) { *out << runtime.name; }

class FakeDriver : public testing::TestWithParam<Runtime> {
 public:
  FakeDriver();
  ~FakeDriver() override;

  // Writes the scenario beside the library.
  void SetScenario(const std::string& json) const;
  [[nodiscard]] ChildRun Client(const std::string& mode) const;
  [[nodiscard]] ChildEnd Run(const std::string& mode) const { return RunChild(Client(mode)); }
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
};

// The value of a `key=value` line of the client, empty if there is none.
[[nodiscard]] std::string Value(const ChildEnd& end, const std::string& key);

#define FAKE_RUNTIMES(suite)                                          \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(AllRuntimes()), \
                           [](const auto& tested) { return std::string(tested.param.name); })
[[nodiscard]] std::vector<Runtime> AllRuntimes();

}  // namespace fakes
