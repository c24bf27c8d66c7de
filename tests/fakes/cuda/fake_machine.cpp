// SPDX-License-Identifier: MIT
#include "tests/fakes/cuda/fake_machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "probe/core/codec.h"
#include "probe/core/fields.h"
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

std::string CudaMachine::Run(
    const std::function<std::string(const probe::system::FileSystem&, const probe::system::Environment&)>&
        body) const {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
    const auto files = probe::system::FileSystem::Open("/");
    const std::string text = body(*files, probe::system::Environment(variables_));
    for (std::size_t at = 0; at < text.size();) {
      const auto written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) _exit(3);
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

probe::ProbeReport CudaMachine::Survey() const {
  const std::string text = Run([](const auto& files, const auto& environment) {
    probe::ProbeReport report;
    report.module = "cuda";
    probe::cuda::Describe().probe({files, environment, std::nullopt,
                                   [&](const probe::ProbeEvent& event) { probe::Apply(event, report); }});
    probe::Conclude(report);
    return probe::ToText(probe::Encode(report));
  });
  const auto json = probe::ParseJson(text);
  if (!json) {
    ADD_FAILURE() << "the probe died";
    return {};
  }
  auto report = probe::Decode<probe::ProbeReport>(*json);
  if (!report) ADD_FAILURE() << probe::Describe(report.error());
  return report ? *std::move(report) : probe::ProbeReport{};
}

std::string FactOf(const probe::RuntimeDevice& device, std::string_view key) {
  for (const auto& fact : device.facts) {
    if (fact.key == key) return fact.value;
  }
  return {};
}

}  // namespace tests
