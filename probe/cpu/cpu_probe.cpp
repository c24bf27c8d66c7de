// SPDX-License-Identifier: MIT
// The host processor: as hardware, and as the device of the runtime "cpu", which needs no driver.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "probe/core/module.h"
#include "probe/core/power.h"
#include "probe/core/text.h"
#include "probe/core/vendor.h"
#include "probe/cpu/cpuinfo.h"
#include "probe/system/cgroup.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/host.h"
#include "probe/system/limits.h"
#include "probe/system/power.h"
#include "probe/system/processor.h"

namespace probe::cpu {
namespace {

using system::CgroupLimits;
using system::FileSystem;

constexpr std::string_view kPolicies = "/sys/devices/system/cpu/cpufreq";
constexpr std::size_t kMaxCpuInfoBytes = 8U << 20U;
constexpr std::string_view kCpus = "/sys/devices/system/cpu";

std::optional<system::CpuidRegisters> LiveCpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  return system::Cpuid(leaf, subleaf);
}

// Of this machine; of another's the kernel here knows nothing.
const Controls& LiveControls() {
  static const Controls controls{system::ControlText, system::ControlNumber};
  return controls;
}

CpuInfo ReadHere() {
  CpuInfo info;
  if (IsArm(LiveControls())) {
    info = FromArmControls(LiveControls());
  } else if (system::ReadKernelNames().machine == "aarch64") {
    info = FromCapabilities(system::Capabilities());
  } else {
    const auto states = system::SavedStates();
    info = FromCpuid(LiveCpuid, states ? std::optional(*states | StatesOnDemand(LiveControls())) : states);
  }
  AddCounts(LiveControls(), info);
  return info;
}

CpuInfo ReadInfo(const FileSystem& files) {
  if (const auto text = files.Read("/proc/cpuinfo", kMaxCpuInfoBytes)) {
    CpuInfo info = ParseCpuInfo(*text);
    if (info.family != Family::kUnknown || !files.live()) return info;
  }
  return files.live() ? ReadHere() : CpuInfo();
}

std::vector<std::uint32_t> OnlineCpus(const FileSystem& files) {
  const auto text = files.ReadLine(std::string(kCpus) + "/online");
  return text ? system::ParseNumberList(*text).value_or(std::vector<std::uint32_t>{})
              : std::vector<std::uint32_t>{};
}

// The highest clock of any processor.
std::optional<double> MaxHz(const FileSystem& files, const CpuInfo& info) {
  std::optional<double> max_hz;
  for (const std::string& policy : files.List(std::string(kPolicies))) {
    const auto khz = files.ReadNumber(fmt::format("{}/{}/cpuinfo_max_freq", kPolicies, policy));
    if (khz && *khz > 0 && *khz < 100'000'000)
      max_hz = std::max(max_hz.value_or(0), static_cast<double>(*khz) * 1e3);
  }
  if (!max_hz && files.live() && info.family == Family::kX86) return MaxClockHz(LiveCpuid);
  return max_hz;
}

// Whether a list with commas has the word.
bool Has(const std::optional<std::string>& list, std::string_view word) {
  const auto whole = "," + list.value_or("") + ",";
  return whole.find("," + std::string(word) + ",") != std::string::npos;
}

std::optional<std::string> ClockHeldBy(const system::Power& power) {
  const bool heeds_preference = std::any_of(Vendors().begin(), Vendors().end(), [&](const Vendor& vendor) {
    return !vendor.preference_driver.empty() && Has(power.frequency_driver, vendor.preference_driver);
  });
  if (heeds_preference)
    return Has(power.frequency_preference, "power") ? std::optional<std::string>("preference") : std::nullopt;
  return power.frequency_driver && Has(power.governor, "powersave") ? std::optional<std::string>("governor")
                                                                    : std::nullopt;
}

void AddPower(const system::Power& power, HardwareDevice& hardware) {
  hardware.processor->governor = power.governor;
  const auto add = [&](std::string_view key, const std::optional<std::string>& value) {
    if (value) hardware.facts.push_back({std::string(key), *value});
  };
  add(kPowerSourceFact, power.source);
  add(kPowerProfileFact, power.profile);
  add(kFrequencyDriverFact, power.frequency_driver);
  add(kFrequencyPreferenceFact, power.frequency_preference);
  const auto held_by = ClockHeldBy(power);
  add(kClockHeldByFact, held_by);
  if (held_by == "governor") add(kBetterGovernorFact, power.better_governor);
  if (held_by == "preference") add(kBetterPreferenceFact, power.better_preference);
  if (power.profile) add(kBetterProfileFact, power.better_profile);
}

// Where no file tells, what the running kernel says.
system::Memory MemoryHere(const FileSystem& files) {
  system::Memory out = system::ReadMemory(files);
  if (files.live() && !out.total_bytes) out.total_bytes = system::PhysicalMemoryBytes();
  if (files.live() && !out.available_bytes) out.available_bytes = system::FreeMemoryBytes();
  return out;
}

// Of the control groups, and of this process itself what it may map. That limits an engine, too, which maps a
// model or, for its own layout of the weights, copies it.
CgroupLimits LimitsHere(const FileSystem& files) {
  CgroupLimits limits = system::ReadCgroupLimits(files);
  const auto mapping = files.live() ? system::MappingLimitBytes() : std::nullopt;
  if (!mapping) return limits;
  limits.memory_limit_bytes = std::min(limits.memory_limit_bytes.value_or(UINT64_MAX), *mapping);
  limits.memory_left_bytes = std::min(limits.memory_left_bytes.value_or(UINT64_MAX), *mapping);
  return limits;
}

Processor Describe(const FileSystem& files, const CpuInfo& info, const CgroupLimits& limits,
                   const system::Memory& memory) {
  Processor out;
  out.packages = info.packages;
  out.cores = info.cores;
  if (const auto online = OnlineCpus(files); !online.empty()) {
    out.threads = static_cast<std::uint32_t>(online.size());
  } else {
    out.threads = info.threads;
  }
  if (files.live()) {
    if (!out.threads) out.threads = system::OnlineThreads();
    out.usable_threads = system::UsableThreads();
  }
  // A container may show /proc/cpuinfo of more processors than it has.
  if (out.cores && out.threads) out.cores = std::min(*out.cores, *out.threads);
  out.quota_cores = limits.quota_cores;
  if (limits.memory_limit_bytes && limits.memory_limit_bytes < memory.total_bytes.value_or(UINT64_MAX)) {
    out.memory_limit_bytes = limits.memory_limit_bytes;
  }
  const auto nodes = files.ReadLine("/sys/devices/system/node/online");
  const auto numbers = nodes ? system::ParseNumberList(*nodes) : std::nullopt;
  if (numbers && !numbers->empty()) out.numa_nodes = static_cast<std::uint32_t>(numbers->size());
  if (files.live()) out.caches = CachesOf(LiveControls());
  out.features = Features(info);
  return out;
}

HardwareDevice Hardware(const CpuInfo& info, const system::Memory& memory, const CgroupLimits& limits) {
  HardwareDevice out;
  out.source = "cpu";
  out.name = info.model.value_or(info.vendor.value_or("CPU"));
  out.vendor = info.vendor;
  out.kind = DeviceKind::kCpu;
  out.architecture = Architecture(info);
  out.memory_total_bytes = memory.total_bytes;
  out.memory_free_bytes = memory.available_bytes;
  if (limits.memory_left_bytes && out.memory_free_bytes) {
    out.memory_free_bytes = std::min(*out.memory_free_bytes, *limits.memory_left_bytes);
  }
  if (info.Has("hypervisor")) out.facts.push_back({"virtual_machine", "yes"});
  return out;
}

RuntimeDevice Runtime(const HardwareDevice& hardware, std::optional<double> max_hz) {
  RuntimeDevice out;
  out.runtime = "cpu";
  out.driver = "native";
  out.name = hardware.name;
  out.vendor = hardware.vendor;
  out.kind = DeviceKind::kCpu;
  out.architecture = hardware.architecture;
  out.memory_total_bytes = hardware.memory_total_bytes;
  out.memory_free_bytes = hardware.memory_free_bytes;
  out.compute_units =
      hardware.processor->usable_threads ? hardware.processor->usable_threads : hardware.processor->threads;
  out.clock_max_hz = max_hz;
  out.dtypes = Dtypes(hardware.processor->features);
  out.matrix_units = MatrixUnits(hardware.processor->features);
  out.unified_memory = true;
  return out;
}

constexpr std::array<std::string_view, 1> kVariables = {kIsaVariable};

// What a variable of this process leaves of its processor; of another machine's nothing is hidden.
void HeedVariable(const ProbeContext& context, CpuInfo& info) {
  const auto isa = context.environment.Get(kIsaVariable);
  if (!isa || !context.files.live()) return;
  context.sink(EnvironmentVariable{std::string(kIsaVariable), CleanText(*isa)});
  if (auto warning = LimitTo(*isa, info)) context.sink(Warning{*std::move(warning)});
}

void Probe(const ProbeContext& context) {
  context.sink(StageEntered{Stage::kEnumerate});
  CpuInfo info = ReadInfo(context.files);
  HeedVariable(context, info);
  const system::Memory memory = MemoryHere(context.files);
  // A tree without any word about its processor is answered with none, not with this machine's.
  if (info.family == Family::kUnknown && !memory.total_bytes && !context.files.live()) {
    return context.sink(Failure{Outcome::kNoDevice, Own(OwnError::kNothingKnown, "read /proc/cpuinfo",
                                                        "nothing tells of its processor")});
  }
  const CgroupLimits limits = LimitsHere(context.files);
  HardwareDevice hardware = Hardware(info, memory, limits);
  hardware.processor = Describe(context.files, info, limits, memory);
  AddPower(system::ReadPower(context.files, SIZE_MAX), hardware);
  if (const auto kinds = context.files.live() ? KindsOfCores(LiveControls()) : std::nullopt)
    hardware.facts.push_back({"kinds_of_cores", *kinds});
  context.sink(hardware);
  context.sink(Runtime(hardware, MaxHz(context.files, info)));
}

}  // namespace

Module Describe() {
  Module module;
  module.name = "cpu";
  module.title = "CPU";
  module.kind = ModuleKind::kRuntime;
  module.loads_vendor_code = false;
  module.visibility_variables = kVariables;
  module.probe = Probe;
  return module;
}

}  // namespace probe::cpu
