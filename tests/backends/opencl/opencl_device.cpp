// SPDX-License-Identifier: MIT
#include "tests/backends/opencl/opencl_device.h"

#include "probe/core/module.h"
#include "probe/system/filesystem.h"

namespace probe::opencl {
Module Describe();
}

namespace tests {
namespace {

const probe::system::FileSystem& Files() {
  static const auto files = probe::system::FileSystem::Open("/");
  return *files;
}

}  // namespace

probe::RuntimeDevice FindOpenClDevice(const std::string& manifest) {
  probe::ProbeReport report;
  const auto environment = probe::system::Environment::OfProcess();
  probe::opencl::Describe().probe(
      {Files(), environment, manifest, [&](const probe::ProbeEvent& event) { Apply(event, report); }});
  return report.devices.empty() ? probe::RuntimeDevice{} : report.devices.front();
}

probe::Result<std::unique_ptr<backends::Session>> OpenOpenCl(
    const probe::RuntimeDevice& device, const probe::system::Environment& environment,
    const std::optional<probe::Processor>& processor) {
  return backends::opencl::Describe().open({device, processor, Files(), environment});
}

std::vector<kernels::Variant> OpenClVariants(const backends::Limits& limits) {
  return backends::opencl::Describe().variants(limits);
}

}  // namespace tests
