// SPDX-License-Identifier: MIT
#include "tests/report/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "report/advise/advise.h"
#include "report/explain/explain.h"
#include "report/peaks/peaks.h"
#include "report/recommend/recommend.h"
#include "report/score/score.h"

namespace report::testing {
namespace {

using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;
using probe::DeviceKind;
using probe::Outcome;
using probe::Stage;

constexpr std::uint64_t kGib = 1ULL << 30U;

Report Empty() {
  Report report;
  report.tool_version = "0.1.0";
  report.command = "report";
  report.created = "2026-11-21T12:00:00Z";
  report.host.os = "Debian GNU/Linux 12 (bookworm)";
  report.host.os_release = {"debian", {}, "12", std::nullopt, "bookworm", std::nullopt};
  report.host.kernel = "Linux 6.1.0";
  report.host.architecture = "x86_64";
  report.probes.push_back(Probe("sysfs", Outcome::kOk, Stage::kDone));
  return report;
}

// The processor's native way, with the two figures that score it.
void AddNative(Report& report, double gemm, double read) {
  probe::PhysicalDevice cpu = Cpu();
  AddView(cpu, "cpu", "native", DeviceKind::kCpu).device.architecture = "x86-64-v4";
  report.devices.push_back(std::move(cpu));
  report.probes.push_back(Probe("cpu", Outcome::kOk, Stage::kDone));
  Measure(report, "cpu:0", "cpu", "native", Kernel::kGemm, gemm).implementation = "own:avx512";
  Measure(report, "cpu:0", "cpu", "native", Kernel::kRead, read, Dtype::kU32);
}

void Figures(Report& report, std::string_view id, std::string_view runtime, std::string_view driver,
             double fp32, double fp16, double read) {
  Measure(report, id, runtime, driver, Kernel::kGemm, fp32);
  if (fp16 > 0) Measure(report, id, runtime, driver, Kernel::kGemm, fp16, Dtype::kFp16);
  Measure(report, id, runtime, driver, Kernel::kRead, read, Dtype::kU32);
}

void GpuFirst(Report& report) {
  std::rotate(report.devices.begin(), report.devices.begin() + 1, report.devices.end());
}

}  // namespace

Tables TestTables() {
  auto tables = EmbeddedTables();
  if (!tables) std::abort();
  return *std::move(tables);
}

probe::PhysicalDevice Cpu(std::string name) {
  probe::PhysicalDevice cpu;
  cpu.id = "cpu:0";
  cpu.name = std::move(name);
  cpu.vendor = "Intel";
  cpu.kind = DeviceKind::kCpu;
  cpu.memory.total_bytes = 16 * kGib;
  cpu.memory.free_bytes = 12 * kGib;
  auto& hardware = cpu.hardware.emplace();
  hardware.source = "cpu";
  hardware.name = cpu.name;
  hardware.kind = DeviceKind::kCpu;
  auto& processor = hardware.processor.emplace();
  processor.cores = 2;
  processor.threads = 2;
  processor.usable_threads = 2;
  processor.features = {"avx2", "avx512f", "amx-bf16", "amx-int8"};
  return cpu;
}

probe::PhysicalDevice Gpu(const std::string& pci, std::string name, DeviceKind kind, double gib) {
  probe::PhysicalDevice gpu;
  gpu.id = "pci:" + pci;
  gpu.name = std::move(name);
  gpu.kind = kind;
  gpu.memory.total_bytes = static_cast<std::uint64_t>(gib * static_cast<double>(kGib));
  gpu.memory.free_bytes = *gpu.memory.total_bytes / 20 * 19;
  auto& hardware = gpu.hardware.emplace();
  hardware.source = "sysfs";
  hardware.identity.pci = probe::ParsePciAddress(pci);
  hardware.name = gpu.name;
  hardware.kind = kind;
  return gpu;
}

probe::View& AddView(probe::PhysicalDevice& device, std::string runtime, std::string driver,
                     DeviceKind kind) {
  auto& view = device.views.emplace_back();
  view.device.runtime = std::move(runtime);
  view.device.driver = std::move(driver);
  view.device.name = device.name;
  view.device.kind = kind;
  view.matched_by = kind == DeviceKind::kSoftware ? "software" : "pci";
  return view;
}

backends::Measurement& Measure(Report& report, std::string_view device_id, std::string_view runtime,
                               std::string_view driver, Kernel kernel, double rate, Dtype dtype) {
  auto& m = report.measurements.emplace_back();
  m.device_id = device_id;
  m.runtime = runtime;
  m.driver = driver;
  m.kernel = kernel;
  m.implementation = "own:tile";
  m.in_dtype = m.acc_dtype = dtype;
  if (dtype == Dtype::kFp16 || dtype == Dtype::kBf16) m.acc_dtype = Dtype::kFp32;
  if (kernel == Kernel::kGemm) m.shape = {1024, 1024, 1024, 0, 0};
  if (kernel == Kernel::kRead) m.shape.count = 1U << 28U;
  m.status = MeasurementStatus::kOk;
  m.rate = rate;
  m.unit = kernels::Row(kernel).unit;
  m.time_s = kernels::Work(kernel, dtype, m.shape) / rate;
  m.ci95 = {0.99, 1.01};
  m.p10_rate = rate * 1.01;
  m.best_rate = rate * 1.02;
  m.samples = 20;
  m.quality = backends::Quality::kGood;
  m.verified = true;
  m.threads = device_id == "cpu:0" ? 2 : 0;
  m.max_relative_error = 1e-6;
  return m;
}

probe::ProbeReport Probe(std::string module, Outcome outcome, Stage stage) {
  probe::ProbeReport probe;
  probe.module = std::move(module);
  probe.outcome = outcome;
  probe.stage = stage;
  probe.elapsed_s = 0.02;
  return probe;
}

Report Processor() {
  Report report = Empty();
  AddNative(report, 250e9, 27e9);
  auto& cpu = report.devices.back();
  auto& pocl = AddView(cpu, "opencl", "Portable Computing Language", DeviceKind::kSoftware).device;
  pocl.driver_version = "3.1";
  auto& llvmpipe = AddView(cpu, "vulkan", "llvmpipe", DeviceKind::kSoftware).device;
  llvmpipe.driver_version = "Mesa 22.3.6 (LLVM 15.0.6)";
  Figures(report, "cpu:0", "opencl", "Portable Computing Language", 220e9, 0, 25e9);
  Figures(report, "cpu:0", "vulkan", "llvmpipe", 27e9, 0, 17e9);
  auto& fair = report.measurements[4];
  fair.quality = backends::Quality::kFair;
  fair.ci95 = {0.96, 1.03};
  report.probes.push_back(Probe("vulkan", Outcome::kOk, Stage::kDone));
  report.probes.push_back(Probe("opencl", Outcome::kOk, Stage::kDone));
  return report;
}

Report DiscreteAndIntegrated() {
  Report report = Empty();
  AddNative(report, 1.1e12, 60e9);
  auto discrete = Gpu("0000:01:00.0", "NVIDIA GeForce RTX 4090", DeviceKind::kDiscrete, 24);
  AddView(discrete, "cuda", "NVIDIA", DeviceKind::kDiscrete).device.architecture = "sm_89";
  AddView(discrete, "vulkan", "NVIDIA", DeviceKind::kDiscrete).device.matrix_units = {"fp16/fp32"};
  auto integrated = Gpu("0000:0f:00.0", "AMD Radeon Graphics (Raphael)", DeviceKind::kIntegrated, 16);
  AddView(integrated, "vulkan", "RADV", DeviceKind::kIntegrated);
  Figures(report, discrete.id, "cuda", "NVIDIA", 58e12, 150e12, 930e9);
  Figures(report, discrete.id, "vulkan", "NVIDIA", 40e12, 110e12, 900e9);
  Figures(report, integrated.id, "vulkan", "RADV", 0.42e12, 0, 51e9);
  report.devices.insert(report.devices.begin(), {discrete, integrated});
  report.probes.push_back(Probe("cuda", Outcome::kOk, Stage::kDone));
  report.probes.push_back(Probe("vulkan", Outcome::kOk, Stage::kDone));
  report.probes.push_back(Probe("opencl", Outcome::kAbsent, Stage::kLoad));
  return report;
}

Report TwoCards() {
  Report report = Empty();
  AddNative(report, 3.0e12, 200e9);
  auto first = Gpu("0000:01:00.0", "NVIDIA H100 PCIe", DeviceKind::kDiscrete, 80);
  auto second = Gpu("0000:c1:00.0", "NVIDIA H100 PCIe", DeviceKind::kDiscrete, 80);
  for (auto* card : {&first, &second})
    AddView(*card, "cuda", "NVIDIA", DeviceKind::kDiscrete).device.architecture = "sm_90";
  report.devices.insert(report.devices.begin(), {first, second});
  Figures(report, first.id, "cuda", "NVIDIA", 48e12, 700e12, 1.8e12);
  Measure(report, first.id, "cuda", "NVIDIA", Kernel::kPeer, 24e9, Dtype::kU32).peer_id = second.id;
  Measure(report, first.id, "cuda", "NVIDIA", Kernel::kPeer, 18e9).implementation = "nccl:all_reduce";
  Measure(report, second.id, "cuda", "NVIDIA", Kernel::kGemm, 690e12, Dtype::kFp16);
  Measure(report, second.id, "cuda", "NVIDIA", Kernel::kPeer, 12e9, Dtype::kU32).peer_id = first.id;
  report.probes.push_back(Probe("cuda", Outcome::kOk, Stage::kDone));
  return report;
}

Report Phantom() {
  Report report = Empty();
  AddNative(report, 250e9, 27e9);
  probe::PhysicalDevice arc;
  arc.id = "uuid:868080a1-0856-0000-0000-000000000000";
  arc.name = "Intel(R) Arc(TM) A770 Graphics";
  arc.kind = DeviceKind::kDiscrete;
  arc.memory.total_bytes = 16 * kGib;
  AddView(arc, "opencl", "Intel(R) OpenCL HD Graphics", DeviceKind::kDiscrete).matched_by = "uuid";
  report.devices.insert(report.devices.begin(), arc);
  for (const auto kernel : {Kernel::kGemm, Kernel::kRead}) {
    auto& m = Measure(report, arc.id, "opencl", arc.views[0].device.driver, kernel, 1);
    m.status = MeasurementStatus::kWrongResult;
    m.rate = m.time_s = m.p10_rate = m.best_rate = std::nullopt;
    m.ci95 = std::nullopt;
    m.quality = std::nullopt;
    m.verified = false;
    m.stage = "verify";
    m.reason = "0 of 64 sampled entries are right";
    m.samples = 0;
  }
  report.probes.push_back(Probe("opencl", Outcome::kOk, Stage::kDone));
  report.probes.push_back(Probe("vulkan", Outcome::kNoDevice, Stage::kEnumerate));
  return report;
}

Report BrokenDriver() {
  Report report = Empty();
  AddNative(report, 250e9, 27e9);
  auto card = Gpu("0000:c1:00.0", "AMD Radeon RX 7900 XTX", DeviceKind::kDiscrete, 24);
  card.hardware->kernel_driver = "amdgpu";
  card.hardware->nodes = {{"/dev/dri/renderD128", true, false}};
  report.devices.insert(report.devices.begin(), card);
  auto vulkan = Probe("vulkan", Outcome::kCrashed, Stage::kEnumerate);
  vulkan.exit = probe::ProcessExit{std::nullopt, 11};
  auto& driver = vulkan.drivers.emplace_back();
  driver.manifest = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";
  driver.outcome = Outcome::kCrashed;
  driver.stage = Stage::kEnumerate;
  report.probes.push_back(vulkan);
  auto opencl = Probe("opencl", Outcome::kHidden, Stage::kEnumerate);
  opencl.environment = {{"OCL_ICD_VENDORS", "/nonexistent"}};
  report.probes.push_back(opencl);
  return report;
}

Report Tie() {
  Report report = Empty();
  AddNative(report, 250e9, 27e9);
  auto gpu = Gpu("0000:01:00.0", "NVIDIA GeForce RTX 3060", DeviceKind::kDiscrete, 12);
  for (const char* runtime : {"opencl", "cuda", "vulkan"})
    AddView(gpu, runtime, "NVIDIA", DeviceKind::kDiscrete);
  Figures(report, gpu.id, "cuda", "NVIDIA", 9.9e12, 25.0e12, 330e9);
  Figures(report, gpu.id, "vulkan", "NVIDIA", 9.8e12, 25.3e12, 333e9);
  Figures(report, gpu.id, "opencl", "NVIDIA", 9.8e12, 25.2e12, 335e9);
  report.devices.push_back(gpu);
  GpuFirst(report);
  for (const char* runtime : {"cuda", "vulkan", "opencl"})
    report.probes.push_back(Probe(runtime, Outcome::kOk, Stage::kDone));
  return report;
}

Report Nothing() {
  Report report = Empty();
  report.host = {};
  report.host.architecture = "x86_64";
  auto& cpu = report.devices.emplace_back();
  cpu.id = "cpu:0";
  cpu.name = "x86_64 processor";
  cpu.kind = DeviceKind::kCpu;
  report.probes.push_back(Probe("cpu", Outcome::kNoDevice, Stage::kEnumerate));
  report.probes.push_back(Probe("vulkan", Outcome::kAbsent, Stage::kLoad));
  report.probes.push_back(Probe("opencl", Outcome::kAbsent, Stage::kLoad));
  report.warnings.push_back(NotMountedWarning("/proc"));
  return report;
}

Report SlowIntegrated() {
  Report report = Empty();
  AddNative(report, 2.0e12, 70e9);
  auto gpu = Gpu("0000:00:02.0", "Intel UHD Graphics 770", DeviceKind::kIntegrated, 16);
  AddView(gpu, "vulkan", "ANV", DeviceKind::kIntegrated);
  Figures(report, gpu.id, "vulkan", "ANV", 0.3e12, 0.5e12, 25e9);
  report.measurements.back().quality = backends::Quality::kNoisy;
  report.measurements.back().ci95 = {0.8, 1.2};
  report.devices.push_back(gpu);
  GpuFirst(report);
  report.probes.push_back(Probe("vulkan", Outcome::kOk, Stage::kDone));
  report.probes.push_back(Probe("opencl", Outcome::kNoDevice, Stage::kEnumerate));
  return report;
}

Report Server() {
  Report report = Empty();
  AddNative(report, 3.0e12, 200e9);
  auto bmc = Gpu("0000:03:00.0", "ASPEED Graphics Family", DeviceKind::kManagement, 0.0625);
  bmc.hardware->kernel_driver = "ast";
  auto card = Gpu("0000:41:00.0", "NVIDIA T400", DeviceKind::kDiscrete, 4);
  card.hardware->identity.ids = probe::PciIds{0x10de, 0x1fb2, {}, {}, {}};
  AddView(card, "vulkan", "NVK", DeviceKind::kDiscrete);
  Figures(report, card.id, "vulkan", "NVK", 1.0e12, 2.0e12, 78e9);
  report.devices.insert(report.devices.begin(), {bmc, card});
  report.probes.push_back(Probe("vulkan", Outcome::kOk, Stage::kDone));
  report.probes.push_back(Probe("cuda", Outcome::kAbsent, Stage::kLoad));
  report.probes.push_back(Probe("opencl", Outcome::kTimedOut, Stage::kInit));
  return report;
}

Report Hostile() {
  Report report = Processor();
  report.devices.front().name = "\x1b[31m處理器 プロセッサー\xff\n$(reboot) '\"`;";
  report.host.os = "Evil\x1b]0;title\x07 OS \xe2\x80\xae desrever";
  for (auto& view : report.devices.front().views) {
    if (view.device.runtime == "vulkan") view.device.driver_version = std::string(3000, 'A') + "\t\x7f";
  }
  report.probes.back().outcome = Outcome::kFailed;
  report.probes.back().error = probe::Error{"clGetPlatformIDs\n", -1001, "CL_\x01", std::string(2000, '\\')};
  report.warnings.emplace_back("line one\nline two\x9b");
  return report;
}

Report Decided(Report report) {
  const Tables tables = TestTables();
  report.request = tables.reference;
  report.scores = score::ScoreAll(tables, report.devices, report.measurements,
                                  peaks::Estimated(EmbeddedPeaks(), tables, report));
  for (const Use use : {Use::kInference, Use::kTraining}) {
    if (auto answer = recommend::Recommend(tables, report, use))
      report.recommendations.push_back(*std::move(answer));
  }
  explain::Explain(tables, report);
  advise::Advise(report);
  return report;
}

std::span<const Machine> Machines() {
  static constexpr std::array kMachines = {Machine{"processor", Processor},
                                           Machine{"discrete_and_integrated", DiscreteAndIntegrated},
                                           Machine{"two_cards", TwoCards},
                                           Machine{"phantom", Phantom},
                                           Machine{"broken_driver", BrokenDriver},
                                           Machine{"tie", Tie},
                                           Machine{"nothing", Nothing},
                                           Machine{"slow_integrated", SlowIntegrated},
                                           Machine{"server", Server},
                                           Machine{"hostile", Hostile}};
  return kMachines;
}

}  // namespace report::testing
