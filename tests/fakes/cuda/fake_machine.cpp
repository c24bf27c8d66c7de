// SPDX-License-Identifier: MIT
#include "tests/fakes/cuda/fake_machine.h"

#include <fmt/format.h>

#include <filesystem>

#include "probe/core/module.h"

namespace probe::cuda {
Module Describe();
}

namespace tests {

namespace machines {

std::string Gpu(std::string_view name, int number, int capability, std::string_view more) {
  return fmt::format(
      R"({{"name": "{}", "uuid": "{:032x}", "pci": "0000:{:02x}:00.0", "memory_total_bytes": 1073741824,
    "compute_units": 4, "attributes": {{"capability": {}}}{}}})",
      name, number + 0x100, number, capability, more);
}

std::string Of(std::string_view gpus, std::string_view more) {
  return fmt::format(R"({{"driver_version": "580.65.06", "devices": [{}]{}}})", gpus, more);
}

}  // namespace machines

CudaMachine::CudaMachine(std::string_view scenario) {
  Library("libcuda.so.1", FAKE_CUDA_LIBRARY);
  Library("libnvidia-ml.so.1", FAKE_NVML_LIBRARY);
  // Also so that one that is really installed is not found.
  Library("libcublasLt.so.13", FAKE_CUBLASLT_LIBRARY);
  Library("libnccl.so.2", FAKE_NCCL_LIBRARY);
  Library("libnvidia-ptxjitcompiler.so.1", FAKE_COMPILER_LIBRARY);
  variables_ = {{"WHICHGPU_LIBRARY_PATH", tree_.Directory("/lib")},
                {"WHICHGPU_FAKE_SCENARIO", tree_.Write("/scenario.json", scenario)}};
}

CudaMachine& CudaMachine::Set(const std::string& variable, const std::string& value) {
  variables_[variable] = value;
  return *this;
}

CudaMachine& CudaMachine::Library(std::string_view soname, const std::string& file) {
  const std::string path = "/lib/" + std::string(soname);
  std::filesystem::remove(tree_.At(path));
  if (!file.empty()) tree_.Link(path, file);
  return *this;
}

std::string CudaMachine::Before(const std::string& folder, std::string_view soname,
                                std::string_view scenario) {
  const std::string file = fmt::format("{}/{}", folder, soname);
  variables_["WHICHGPU_LIBRARY_PATH"] = tree_.Directory(folder) + ":" + variables_["WHICHGPU_LIBRARY_PATH"];
  std::filesystem::copy_file(tree_.At(fmt::format("/lib/{}", soname)), tree_.At(file));
  if (!scenario.empty()) tree_.Write(file + ".scenario.json", scenario);
  return tree_.At(file);
}

std::string CudaMachine::Run(const ProcessBody& body) const { return RunWith(variables_, body); }

probe::ProbeReport CudaMachine::Survey() const { return SurveyWith(variables_, probe::cuda::Describe()); }

std::string FactOf(const probe::RuntimeDevice& device, std::string_view key) {
  for (const auto& fact : device.facts) {
    if (fact.key == key) return fact.value;
  }
  return {};
}

}  // namespace tests
