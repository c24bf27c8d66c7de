// SPDX-License-Identifier: MIT
#include "tests/fakes/common/fake_fixture.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace fs = std::filesystem;

std::vector<Runtime> AllRuntimes() {
  return {{"Vulkan", FAKE_VULKAN_CLIENT, FAKE_VULKAN_LIBRARY, ".json", "VK_DRIVER_FILES", false},
          {"OpenCL", FAKE_OPENCL_CLIENT, FAKE_OPENCL_LIBRARY, ".icd", "OCL_ICD_VENDORS", true}};
}

FakeDriver::FakeDriver() {
  std::string pattern = (fs::temp_directory_path() / "fake_driver_XXXXXX").string();
  directory_ = mkdtemp(pattern.data());
  const std::string library = directory_ + "/libfake.so";
  fs::copy_file(GetParam().library, library);
  std::ofstream manifest(directory_ + "/fake" + GetParam().manifest_suffix);
  if (GetParam().registers_folder) {
    manifest << library << '\n';
  } else {
    manifest << R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" << library
             << R"(", "api_version": "1.3.0"}})";
  }
}

FakeDriver::~FakeDriver() { fs::remove_all(directory_); }

void FakeDriver::SetScenario(const std::string& json) const {
  std::ofstream(directory_ + "/libfake.so" + kScenarioSuffix) << json;
}

ChildRun FakeDriver::Client(const std::string& mode) const {
  const Runtime& runtime = GetParam();
  ChildRun run;
  run.arguments = {runtime.client, mode};
  run.directory = directory_;
  const std::string manifest = directory_ + "/fake" + runtime.manifest_suffix;
  run.environment[runtime.registered_by] = runtime.registers_folder ? directory_ : manifest;
  run.environment.emplace("NODEVICE_SELECT", "1");  // switches Mesa's implicit layer off
  return run;
}

std::string Value(const ChildEnd& end, const std::string& key) {
  std::istringstream lines(end.out.head);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key + "=")) return line.substr(key.size() + 1);
  }
  return "";
}

}  // namespace fakes
