// SPDX-License-Identifier: MIT
#include "tests/report/generated.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "report/core/devices.h"
#include "tests/report/machines.h"

namespace report::testing {
namespace {

using backends::Measurement;
using kernels::Dtype;
using kernels::Kernel;
using probe::DeviceKind;

void AddFigures(Report& report, const std::string& id, const std::string& runtime, const std::string& driver,
                double fp32, double read, Dice& dice) {
  std::vector<Measurement*> added;
  const auto add = [&](Kernel kernel, double rate, Dtype dtype) -> Measurement& {
    auto& m = Measure(report, id, runtime, driver, kernel, rate, dtype);
    const double width = dice.OneIn(4) ? dice.Between(0.1, 0.8) : dice.Between(0.002, 0.05);
    m.ci95 = {1 - width, 1 + width};
    if (width > 0.1) m.quality = backends::Quality::kNoisy;
    if (dice.OneIn(20)) {
      m.status = backends::MeasurementStatus::kWrongResult;
      m.verified = false;
    }
    return m;
  };
  add(Kernel::kGemm, fp32, Dtype::kFp32);
  if (dice.OneIn(2)) add(Kernel::kGemm, fp32 * dice.LogBetween(0.3, 8), Dtype::kFp16);
  if (dice.OneIn(3))
    add(Kernel::kGemm, fp32 * dice.LogBetween(0.3, 8), Dtype::kFp16).shape =
        kernels::Problem{kPromptRows, 4096, 4096, 0, 0};
  add(Kernel::kRead, read, Dtype::kU32);
  if (dice.OneIn(10)) report.measurements.pop_back();
}

}  // namespace

Report Generated(unsigned seed) {
  Dice dice(seed);
  Report report;
  auto cpu = Cpu();
  AddView(cpu, "cpu", "native", DeviceKind::kCpu);
  const double host_read = dice.LogBetween(10e9, 500e9);
  const double host_fp32 = dice.LogBetween(50e9, 5e12);
  const int gpus = dice.Below(4);
  for (int i = 0; i < gpus; ++i) {
    const auto kind = dice.OneIn(3) ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
    auto gpu = Gpu(fmt::format("0000:{:02x}:00.0", i + 1), fmt::format("GPU {}", dice.Below(3)), kind,
                   dice.LogBetween(0.3, 80));
    constexpr std::array<std::uint32_t, 4> kVendors = {0x10de, 0x1002, 0x8086, 0x1234};
    gpu.hardware->identity.ids =
        probe::PciIds{kVendors.at(static_cast<std::size_t>(dice.Below(4))), 1, {}, {}, {}};
    constexpr std::array<const char*, 4> kRuntimes = {"cuda", "hip", "vulkan", "opencl"};
    std::vector<std::pair<std::string, std::string>> ways;
    const double fp32 = dice.LogBetween(100e9, 100e12);
    const double read = dice.LogBetween(20e9, 5e12);
    for (const char* runtime : kRuntimes) {
      const int drivers = dice.OneIn(2) ? 0 : dice.OneIn(6) ? 2 : 1;
      for (int driver = 0; driver < drivers; ++driver) {
        ways.emplace_back(runtime, fmt::format("Driver {}", driver));
        auto& view = AddView(gpu, runtime, ways.back().second, kind);
        if (dice.OneIn(2)) view.device.matrix_units = {"fp16/fp32"};
      }
    }
    for (const auto& [runtime, driver] : ways) {
      const double scale = dice.OneIn(3) ? dice.Between(0.94, 1.06) : dice.LogBetween(0.2, 2);
      AddFigures(report, gpu.id, runtime, driver, fp32 * scale, read * scale, dice);
    }
    report.devices.push_back(std::move(gpu));
  }
  report.devices.push_back(cpu);
  AddFigures(report, "cpu:0", "cpu", "native", host_fp32, host_read, dice);
  if (dice.OneIn(2))
    Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, host_read * dice.Between(0.3, 1.1), Dtype::kQ4);
  if (dice.OneIn(4)) {
    Measure(report, "cpu:0", "cpu", "native", Kernel::kGemm, host_fp32 * dice.Between(1, 8), Dtype::kBf16)
        .implementation = "own:amx";
  }
  return report;
}

}  // namespace report::testing
