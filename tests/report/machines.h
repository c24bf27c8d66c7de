// SPDX-License-Identifier: MIT
// Machines as the pure half of the program sees them: what was probed, joined and measured, before anything
// is decided. Built from facts, none recorded.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::testing {

// The build's tables with a "cuda" row, so that a tie between unequally mature runtimes can be shown.
[[nodiscard]] Tables TestTables();

struct Machine {
  std::string_view name;
  Report (*build)();
};
// All below, by name.
[[nodiscard]] std::span<const Machine> Machines();

[[nodiscard]] Report Processor();              // one processor reached natively, by PoCL and by llvmpipe
[[nodiscard]] Report DiscreteAndIntegrated();  // an RTX 4090 (cuda, vulkan) beside an AMD iGPU (vulkan)
[[nodiscard]] Report TwoCards();               // equal cards that copy to each other, by two libraries
[[nodiscard]] Report Phantom();                // an OpenCL driver claims an Arc GPU and computes nonsense
[[nodiscard]] Report BrokenDriver();    // an AMD card whose Vulkan driver crashes and whose node is denied
[[nodiscard]] Report Tie();             // three runtimes within 2 % on one GPU
[[nodiscard]] Report Nothing();         // no runtime, nothing measured, nothing known
[[nodiscard]] Report SlowIntegrated();  // an iGPU that the processor beats
[[nodiscard]] Report Server();          // management graphics, a small card that the model does not fit
[[nodiscard]] Report Hostile();         // every driver string tries to break the output; wide characters

// Runs the decisions over it: scores, recommendations for inference and training, findings.
[[nodiscard]] Report Decided(Report report);

// Building blocks.
[[nodiscard]] probe::PhysicalDevice Cpu(std::string name = "Intel(R) Xeon(R) Processor");
[[nodiscard]] probe::PhysicalDevice Gpu(const std::string& pci, std::string name, probe::DeviceKind kind,
                                        double gib);
probe::View& AddView(probe::PhysicalDevice& device, std::string runtime, std::string driver,
                     probe::DeviceKind kind);
// A verified figure of the last view added to the device.
backends::Measurement& Measure(Report& report, std::string_view device_id, std::string_view runtime,
                               std::string_view driver, kernels::Kernel kernel, double rate,
                               kernels::Dtype dtype = kernels::Dtype::kFp32);
[[nodiscard]] probe::ProbeReport Probe(std::string module, probe::Outcome outcome, probe::Stage stage);

}  // namespace report::testing
