// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "probe/core/device_cap.h"
#include "probe/core/hidden.h"
#include "probe/core/module.h"
#include "probe/core/text.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_driver.h"
#include "probe/cuda/cuda_nvml.h"
#include "probe/nvidia/nvidia.h"
#include "probe/system/wsl.h"

namespace probe::cuda {

Module Describe();

namespace {

// Without a sign of a GPU the libraries are left alone: initialised by root they make nodes for the kernel's
// driver (/dev/nvidiactl), which a look at the machine must not, and other tools then take for a GPU. A
// library that was named by hand is asked all the same.
bool IsWorthAsking(const ProbeContext& context, const KernelDriver& driver) {
  return MayHaveGpu(driver.signs) || driver.tegra ||
         system::Library::IsNamedByUser(kDriverNames, context.files, context.environment);
}

std::vector<NvmlGpu> KnownByFiles(const system::FileSystem& files) {
  std::vector<NvmlGpu> gpus;
  for (nvidia::FileGpu& file : nvidia::GivenGpus(files)) {
    NvmlGpu& gpu = gpus.emplace_back();
    gpu.index = static_cast<std::uint32_t>(gpus.size() - 1);
    gpu.by_files = true;
    gpu.pci = file.address;
    gpu.name = std::move(file.name);
    if (file.uuid) gpu.uuid = "GPU-" + ToString(*file.uuid);
  }
  return gpus;
}

class Survey {
 public:
  explicit Survey(const ProbeContext& context)
      : context_(context), driver_(ReadKernelDriver(context.files, context.environment)) {}

  void Run();

 private:
  void SayWhyNotAsked();
  [[nodiscard]] std::optional<Api> Start();
  void WarnOfOthers(const StartedDriver& started) const;
  void TellOfStub(const StartedDriver& started) const;
  void Enumerate(const Api& api);
  void AskManagement();
  void ExplainVariables(const std::vector<RuntimeDevice>& shown) const {
    // What the variable hides is known without the management library, too.
    const bool by_files = Gpus().empty() && context_.environment.Get(kVisibleDevices);
    const auto gpus = by_files ? KnownByFiles(context_.files) : Gpus();
    for (auto& text : ExplainVisible(context_.environment, shown, gpus))
      context_.sink(Warning{std::move(text)});
    const auto because = WhatIsWrong(context_.environment, shown.size(), gpus);
    for (const PciAddress& address : HiddenGpus(context_.environment, shown, gpus))
      context_.sink(HiddenHardware("cuda", address, kVisibleDevices, because));
  }
  // Files list the cards.
  [[nodiscard]] bool ShowsCards() const { return driver_.signs.card_on_bus || driver_.signs.gpus > 0; }
  [[nodiscard]] std::vector<NvmlGpu> Gpus() const { return nvml_ ? nvml_->gpus : std::vector<NvmlGpu>{}; }
  [[nodiscard]] bool IsOfNoModule(const Error& error) const;
  // Of those that the management library knows and CUDA does not show, why.
  void ExplainUnshown(const std::vector<RuntimeDevice>& shown) const;
  void TellUnreached(const NvmlGpu& gpu, const std::string& error, const std::string& text) const;
  // What NVML and files know of a device that CUDA shows.
  void Complete(RuntimeDevice& device) const;
  // The instances of GPUs in MIG mode that CUDA does not show: it shows a process one at most.
  void AddInstances(std::vector<RuntimeDevice>& devices) const;
  void Fail(Error error) {
    if (error.code == kCuErrorStubLibrary &&
        IsForToolAlone(library_path_, context_.files, context_.environment)) {
      error.name = kStubHere;
      error.text = "WHICHGPU_LIBRARY_PATH leads to the toolkit's stub for linking, which is no driver";
    }
    auto diagnosis =
        Diagnose(std::move(error), driver_, Gpus(), library_path_, context_.environment, nvml_error_);
    const bool is_hidden = diagnosis.outcome == Outcome::kHidden;
    if (is_hidden) ExplainVariables({});
    for (const NvmlGpu& gpu : Gpus()) {
      // What hides the others hides nothing of one that CUDA has no device of.
      if (const auto cause = WhyUnshown(gpu); cause && (gpu.fault || is_hidden)) {
        TellUnreached(gpu, cause->name, "it " + cause->text);
      } else if (!ShowsCards() && !is_hidden) {
        TellUnreached(gpu, diagnosis.error.name, diagnosis.error.text);
      }
    }
    context_.sink(Failure{diagnosis.outcome, std::move(diagnosis.error)});
  }

  const ProbeContext& context_;
  KernelDriver driver_;
  std::optional<NvmlSurvey> nvml_;
  std::optional<Error> nvml_error_;
  std::string library_path_;
  Library library_;
  bool passed_over_ = false;  // other files of its name
};

void Survey::SayWhyNotAsked() {
  const auto library = FindDriver(context_.files, context_.environment);
  if (!library) {
    const bool absent = library.error().Is(OwnError::kAbsent);
    return context_.sink(Failure{absent ? Outcome::kAbsent : Outcome::kFailed, library.error()});
  }
  context_.sink(*library);
  auto diagnosis = NoCard({}, driver_);
  diagnosis.error.text += "; its library was left alone";
  context_.sink(Failure{diagnosis.outcome, std::move(diagnosis.error)});
}

std::optional<Api> Survey::Start() {
  bool asked = false;
  const StartListener listener{
      .load = [&] { context_.sink(StageEntered{Stage::kLoad}); },
      .loaded =
          [&](const Library& library) {
            library_ = library;
            library_path_ = library_.path.value_or("");
            context_.sink(library_);
            context_.sink(StageEntered{Stage::kSymbols});
          },
      .init =
          [&](const Api& api) {
            context_.sink(StageEntered{Stage::kInit});
            int version = 0;
            if (api.cuDriverGetVersion(&version) == kCuSuccess && version > 0) {
              library_.version = driver_.version;
              context_.sink(library_);
            }
            // Before cuInit, which is the call that hangs or dies when the kernel driver is sick: NVML says
            // why.
            if (!std::exchange(asked, true)) AskManagement();
          },
  };
  const auto started = StartDriver(context_.files, context_.environment, listener);
  if (!started) {
    const bool absent = started.error().Is(OwnError::kAbsent);
    context_.sink(Failure{absent ? Outcome::kAbsent : Outcome::kFailed,
                          absent ? NoLibrary(started.error(), driver_) : started.error()});
    return std::nullopt;
  }
  WarnOfOthers(*started);
  TellOfStub(*started);
  passed_over_ = !started->passed_over.empty();
  if (started->code == kCuSuccess) return started->api;
  if (library_.path != started->library.path) {
    library_ = started->library;
    library_path_ = library_.path.value_or("");
    context_.sink(library_);
  }
  context_.sink(StageEntered{Stage::kInit});
  Fail(ErrorOf("cuInit", started->code));
  return std::nullopt;
}

// Programs that take the first file of the name, as all but this one do, find no GPU by it. Where nothing but
// a stub is here that is the error of all (Fail).
void Survey::TellOfStub(const StartedDriver& started) const {
  const auto stub = std::find_if(started.passed_over.begin(), started.passed_over.end(),
                                 [](const auto& one) { return one.code == kCuErrorStubLibrary; });
  if (stub == started.passed_over.end() || started.code == kCuErrorStubLibrary) return;
  DriverReport report;
  report.name = "stub";
  report.library = stub->path;
  report.outcome = Outcome::kAbsent;
  report.stage = Stage::kInit;
  const bool is_ours = IsForToolAlone(stub->path, context_.files, context_.environment);
  report.error =
      Error{"cuInit", stub->code, std::string(is_ours ? kBeforeDriverHere : kBeforeDriver),
            fmt::format("{} is found before {} and is no driver: {}", stub->path,
                        started.library.path.value_or("the driver's"),
                        is_ours ? "WHICHGPU_LIBRARY_PATH leads to it, which other programs do not read"
                                : "programs that load the first of the name have no GPU")};
  context_.sink(std::move(report));
}

void Survey::WarnOfOthers(const StartedDriver& started) const {
  for (const auto& [path, code] : started.passed_over) {
    std::string text =
        fmt::format("{} is not this machine's driver, {} ({})", path, ErrorOf("cuInit", code).name, code);
    if (started.code == kCuSuccess) {
      const bool is_ours = IsForToolAlone(path, context_.files, context_.environment);
      text += fmt::format(": {} was taken; {}", library_path_,
                          is_ours ? "WHICHGPU_LIBRARY_PATH alone leads to the first"
                                  : "programs that find the first will fail");
    }
    if (driver_.signs.wsl && !driver_.in_container && !IsWindowsDriver(path))
      text += ". In WSL the Windows driver serves: remove NVIDIA's Linux driver";
    context_.sink(Warning{std::move(text)});
  }
  if (started.behind) {
    context_.sink(
        Warning{fmt::format("{} is not this machine's driver, and the next file can not be used: {}",
                            started.library.path.value_or(""), Describe(*started.behind))});
  }
}

// NVML says that no kernel driver is loaded, too, where there is nothing to load one for, and where it is
// loaded and its nodes are not here.
bool Survey::IsOfNoModule(const Error& error) const {
  return error.name == "NVML_ERROR_DRIVER_NOT_LOADED" && (LacksCard(driver_) || driver_.version);
}

void Survey::ExplainUnshown(const std::vector<RuntimeDevice>& shown) const {
  if (!nvml_) return;
  for (const NvmlGpu& gpu : nvml_->gpus) {
    const auto cause = WhyUnshown(gpu);
    const bool is_shown = std::any_of(shown.begin(), shown.end(), [&](const RuntimeDevice& device) {
      return GpuOf(device, nvml_->gpus) == &gpu;
    });
    if (!cause || is_shown) continue;
    context_.sink(Warning{fmt::format("{} {}", NameOf(gpu), cause->text)});
    TellUnreached(gpu, cause->name, "it " + cause->text);
  }
}

// As a GPU of its own where no file shows it: in WSL, and in containers that hide the bus. Of one of which
// nobody knows where it is that it may be any that is not reached.
void Survey::TellUnreached(const NvmlGpu& gpu, const std::string& error, const std::string& text) const {
  if (!gpu.pci) {
    const auto cause = WhyUnshown(gpu);
    if (!cause) return;
    auto unplaced =
        UnplacedHardware("cuda", {{}, std::nullopt, cause->name, NameOf(gpu) + " " + cause->text});
    unplaced.kernel_driver = driver_.signs.wsl ? system::kWslKernelDriver : "nvidia";
    return context_.sink(std::move(unplaced));
  }
  auto hardware = UnreachedHardware("cuda", *gpu.pci, {{}, std::nullopt, error, text});
  if (!ShowsCards() && !gpu.name.empty()) {
    hardware.name = gpu.name;
    hardware.vendor = "NVIDIA Corporation";
    hardware.kind = gpu.memory_unsupported ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
    hardware.kernel_driver = driver_.signs.wsl ? system::kWslKernelDriver : "nvidia";
    hardware.identity.uuid = UuidIn(gpu.uuid);
    hardware.identity.ids = gpu.ids;
    hardware.memory_total_bytes = gpu.memory_total_bytes;
    hardware.memory_free_bytes = gpu.memory_free_bytes;
  }
  context_.sink(std::move(hardware));
}

void Survey::AskManagement() {
  auto nvml = AskNvml(context_.files, context_.environment);
  if (nvml) {
    nvml_ = *std::move(nvml);
    // nvgpu has no management of its own.
  } else if (!nvml.error().Is(OwnError::kAbsent) && !driver_.tegra && !IsOfNoModule(nvml.error())) {
    nvml_error_ = nvml.error();
    // A driver of its own in the report, so that the cause is found where CUDA only says "unknown".
    DriverReport report;
    report.name = "NVML";
    report.outcome = Outcome::kFailed;
    report.stage = Stage::kInit;
    report.error = nvml.error();
    context_.sink(std::move(report));
  }
}

void Survey::Complete(RuntimeDevice& device) const {
  device.driver_version = nvml_ && !nvml_->driver_version.empty() ? nvml_->driver_version : driver_.version;
  if (device.driver_version) {
    if (const auto runnable = NewestRunnable(*device.driver_version)) {
      device.facts.push_back({"cuda_runs_up_to", *runnable});
    }
  }
  if (passed_over_) device.facts.push_back({std::string(kLibraryFact), library_path_});
  if (driver_.version)
    device.facts.push_back({"kernel_module", driver_.open_module ? "open" : "proprietary"});
  if (!nvml_) return;
  const NvmlGpu* gpu = GpuOf(device, nvml_->gpus);
  if (gpu == nullptr) return;
  device.identity.ids = gpu->ids;
  if (const NvmlInstance* instance = InstanceOf(device, *gpu)) {
    device.identity.partition = instance->partition;
    device.memory_total_bytes = instance->memory_total_bytes;
    device.memory_free_bytes = instance->memory_free_bytes;
    if (instance->multiprocessors) device.compute_units = instance->multiprocessors;
    device.facts.push_back({"visible_as", instance->uuid});
  } else if (!device.identity.partition) {
    device.memory_free_bytes = gpu->memory_free_bytes;
    device.facts.push_back({"visible_as", gpu->uuid});
  }
  device.facts.push_back({"nvidia_smi_index", fmt::to_string(gpu->index)});
  device.facts.insert(device.facts.end(), gpu->facts.begin(), gpu->facts.end());
  // By design on chips that share the host's memory (GB10, Jetson): what is free there is free here.
  if (gpu->memory_unsupported) {
    device.unified_memory = true;
    device.kind = DeviceKind::kIntegrated;
    device.facts.push_back({"memory", "shared with the host; the management library does not count it"});
  }
}

void Survey::AddInstances(std::vector<RuntimeDevice>& devices) const {
  if (!nvml_) return;
  for (const NvmlGpu& gpu : nvml_->gpus) {
    for (const NvmlInstance& instance : gpu.instances) {
      const auto uuid = UuidIn(instance.uuid);
      const bool shown = std::any_of(devices.begin(), devices.end(), [&](const RuntimeDevice& device) {
        return uuid && device.identity.uuid == uuid;
      });
      if (shown || context_.environment.Get("CUDA_VISIBLE_DEVICES")) continue;
      // What is common to a chip's instances is known from the one that CUDA shows, if it shows one.
      const auto sibling = std::find_if(devices.begin(), devices.end(), [&](const RuntimeDevice& device) {
        return device.identity.partition && device.identity.pci == gpu.pci;
      });
      RuntimeDevice device;
      if (sibling != devices.end()) device = *sibling;
      device.runtime = "cuda";
      device.driver = "NVIDIA";
      device.vendor = "NVIDIA Corporation";
      device.kind = DeviceKind::kDiscrete;
      device.name = gpu.name + " " + instance.partition;
      device.ordinal = static_cast<std::uint32_t>(devices.size());
      device.identity = {gpu.pci, uuid, {}, gpu.ids, instance.partition};
      device.memory_total_bytes.reset();
      device.memory_free_bytes.reset();
      device.facts.clear();
      Complete(device);
      devices.push_back(std::move(device));
    }
  }
}

void Survey::Enumerate(const Api& api) {
  context_.sink(StageEntered{Stage::kEnumerate});
  const auto ids = Devices(api);
  if (!ids) return Fail(ids.error());
  WarnAtCap(context_.sink, "CUDA", ids->size(), kMaxDevices);
  std::vector<RuntimeDevice> devices;
  for (const CuDevice id : *ids) {
    devices.push_back(ReadDevice(api, id, static_cast<std::uint32_t>(devices.size())));
    Complete(devices.back());
    if (devices.back().identity.partition) devices.back().name += " " + *devices.back().identity.partition;
  }
  AddInstances(devices);
  if (devices.empty()) return Fail(ErrorOf("cuDeviceGetCount", kCuErrorNoDevice));
  ExplainVariables(devices);
  ExplainUnshown(devices);
  for (auto& text : ExplainUse(devices, Gpus())) context_.sink(Warning{std::move(text)});
  const auto note = NoteOn(context_.environment, devices, Gpus());
  for (RuntimeDevice& device : devices) {
    if (note) AddNote(*note, device);
    context_.sink(device);
  }
}

void Survey::Run() {
  for (const auto name : VisibilityVariables()) {
    if (const auto value = context_.environment.Get(name)) {
      context_.sink(EnvironmentVariable{std::string(name), CleanText(*value)});
    }
  }
  if (!IsWorthAsking(context_, driver_)) {
    context_.sink(StageEntered{Stage::kLoad});
    return SayWhyNotAsked();
  }
  if (const auto api = Start()) Enumerate(*api);
}

bool IsInstalled(const ProbeContext& context) {
  return system::Library::Exists(kDriverNames, DriverDirectories(), context.files, context.environment);
}

bool LoadsNothing(const ProbeContext& context) {
  return !IsWorthAsking(context, ReadKernelDriver(context.files)) || !IsInstalled(context);
}

void Probe(const ProbeContext& context) { Survey(context).Run(); }

}  // namespace

// CUDA C++ Programming Guide (environment variables).
constexpr std::array kCaches = {DriverCache{"CUDA_CACHE_PATH", "ptx"},
                                DriverCache{"CUDA_CACHE_MAXSIZE", "67108864", false}};

Module Describe() {
  Module module;
  module.caches = kCaches;
  module.libraries = kDriverNames;
  module.name = "cuda";
  module.title = "CUDA";
  module.usual_s = 0.1;  // assumed: the driver sets every GPU up
  module.gpu_vendor = nvidia::kPciNumber;
  module.visibility_variables = VisibilityVariables();
  module.loads_nothing = LoadsNothing;
  module.is_installed = IsInstalled;
  module.probe = Probe;
  return module;
}

}  // namespace probe::cuda
