// SPDX-License-Identifier: MIT
// Every product of a runtime's first device at one shape, own kernels and libraries alike, where a report
// tries those alone that may be the fastest: gpu_products RUNTIME M N K [OUTPUT_TYPE...]. A line of JSON
// each: rates by the device's events, the median of batches of about 30 ms and how far they are apart, and
// whether the product is right.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "backends/core/workload.h"
#include "backends/registry.h"
#include "probe/core/parse.h"
#include "probe/registry.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace {

constexpr double kBatchSeconds = 0.030;
constexpr int kBatches = 7;

struct Device {
  probe::RuntimeDevice device;
  const backends::Backend* backend = nullptr;
};

int Fail(const std::string& why) {
  (void)std::fprintf(stderr, "gpu_products: %s\n", why.c_str());
  return 2;
}

// The first device of a runtime that it shows.
probe::Result<Device> FirstOf(std::string_view runtime, const probe::system::FileSystem& files,
                              const probe::system::Environment& environment) {
  const auto backends = backends::Backends();
  const auto backend = std::find_if(backends.begin(), backends.end(),
                                    [&](const backends::Backend& one) { return one.runtime == runtime; });
  const auto modules = probe::Modules();
  const auto module = std::find_if(modules.begin(), modules.end(),
                                   [&](const probe::Module& one) { return one.name == runtime; });
  if (backend == backends.end() || module == modules.end())
    return probe::Error{"find", std::nullopt, "unknown", fmt::format("there is no runtime {}", runtime)};
  probe::ProbeReport report;
  module->probe({files, environment, std::nullopt,
                 [&](const probe::ProbeEvent& event) { probe::Apply(event, report); }});
  probe::Conclude(report);
  if (report.error) return *report.error;
  if (report.devices.empty())
    return probe::Error{"find", std::nullopt, "none", fmt::format("{} shows no device", runtime)};
  return Device{report.devices.front(), &*backend};
}

// Of one product: nothing where it can not run there.
std::string Row(backends::Session& session, const std::vector<kernels::Variant>& all,
                const kernels::Variant& variant, const kernels::Problem& problem) {
  const auto says = [&](const std::string& rest) {
    return fmt::format(R"({{"implementation": "{}", "in": "{}", "acc": "{}", "shape": "{}x{}x{}", {}}})",
                       variant.name, kernels::Row(variant.in).name, kernels::Row(variant.acc).name, problem.m,
                       problem.n, problem.k, rest);
  };
  const auto failed = [&](const probe::Error& error) {
    return says(fmt::format(R"("error": "{}")", probe::Describe(error)));
  };
  backends::OperandWriter writer(session, all);
  const auto loaded = backends::Load(session, variant);
  if (!loaded) return failed(loaded.error());
  auto workload = backends::Workload::Create(session, writer, *loaded, {.problem = problem});
  if (!workload) return failed(workload.error());
  if (const auto status = workload->Prepare(7, 0); !status) return failed(status.error());
  if (const auto first = workload->Run(1); !first) return failed(first.error());
  const auto verdict = workload->Verify();
  if (!verdict) return failed(verdict.error());
  const auto second = workload->Run(3);
  if (!second) return failed(second.error());
  const double once_s = second->device_s.value_or(second->wall_s) / 3;
  const auto repeats = static_cast<std::uint32_t>(std::clamp(kBatchSeconds / once_s, 1.0, 1000.0));
  std::vector<double> times_s;
  for (int i = 0; i < kBatches; ++i) {
    const auto timing = workload->Run(repeats);
    if (!timing) return failed(timing.error());
    times_s.push_back(timing->device_s.value_or(timing->wall_s) / repeats);
  }
  std::sort(times_s.begin(), times_s.end());
  const double median_s = times_s[times_s.size() / 2];
  return says(fmt::format(R"("rate": {:.5g}, "spread": {:.3f}, "verified": {})", workload->work() / median_s,
                          (times_s.back() - times_s.front()) / median_s, verdict->right));
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) return Fail("gpu_products RUNTIME M N K [TYPE...]");
  kernels::Problem problem;
  for (int i = 0; i < 3; ++i) {
    const auto number = probe::ParseNumber<std::uint32_t>(words[i + 2]);
    if (!number || *number == 0)
      return Fail(fmt::format("{} is no number of rows, columns or products", words[i + 2]));
    (i == 0 ? problem.m : i == 1 ? problem.n : problem.k) = *number;
  }
  const std::vector<std::string> types(words + 5, words + count);
  const auto files = probe::system::FileSystem::Open("/");
  if (!files) return Fail(probe::Describe(files.error()));
  const auto environment = probe::system::Environment::OfProcess();
  const auto found = FirstOf(words[1], *files, environment);
  if (!found) return Fail(probe::Describe(found.error()));
  const backends::OpenRequest request{found->device, std::nullopt, *files, environment};
  const auto session = found->backend->open(request);
  if (!session) return Fail(probe::Describe(session.error()));
  auto all = found->backend->variants((*session)->limits());
  if (found->backend->libraries) {
    for (auto& variant : found->backend->libraries(request)) all.push_back(std::move(variant));
  }
  for (const auto& variant : all) {
    const bool wanted =
        types.empty() || std::find(types.begin(), types.end(), kernels::Row(variant.in).name) != types.end();
    if (variant.kernel != kernels::Kernel::kGemm || !wanted || !variant.left_out.empty() ||
        !backends::MissingFeature(variant, (*session)->limits()).empty() ||
        !backends::Misfit(variant, {.problem = problem}, (*session)->limits()).empty())
      continue;
    fmt::print("{}\n", Row(**session, all, variant, problem));
    (void)std::fflush(stdout);
  }
  return 0;
}
