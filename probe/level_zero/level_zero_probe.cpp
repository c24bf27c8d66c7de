// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/core/device_cap.h"
#include "probe/core/hidden.h"
#include "probe/core/module.h"
#include "probe/core/text.h"
#include "probe/level_zero/level_zero_api.h"
#include "probe/level_zero/level_zero_visible.h"
#include "probe/system/wsl.h"

namespace probe::level_zero {

Module Describe();

namespace {

// The loader's own and its drivers'; the last three play a GPU that is not there.
constexpr std::array<std::string_view, 9> kVariables = {kMask,
                                                        kPciOrder,
                                                        kHierarchy,
                                                        kSelector,
                                                        "ZE_ENABLE_ALT_DRIVERS",
                                                        "ZE_ENABLE_NULL_DRIVER",
                                                        "NEOReadDebugKeys",
                                                        "SetCommandStreamReceiver",
                                                        "ProductFamilyOverride"};
constexpr std::string_view kDev = "/dev/";
constexpr std::array<std::string_view, 3> kNodes = {
    "dri", "accel", std::string_view(system::kWslGpuNode).substr(kDev.size())};
// intel/compute-runtime, programmers-guide/COMPILER_CACHE.md.
constexpr std::array kCaches = {DriverCache{"NEO_CACHE_DIR", "neo"}};

// A driver takes its time to load a compiler; without a node to open it has no device, unless the user points
// at one or has it play one.
bool LoadsNothing(const ProbeContext& context) {
  constexpr std::array kPointers = {"WHICHGPU_LIBRARY_PATH", "ZE_ENABLE_ALT_DRIVERS", "NEOReadDebugKeys"};
  const bool is_told = std::any_of(kPointers.begin(), kPointers.end(), [&](const char* name) {
    return context.environment.Get(name).has_value();
  });
  return !is_told && std::none_of(kNodes.begin(), kNodes.end(), [&](std::string_view node) {
    return context.files.Exists(std::string(kDev).append(node));
  });
}

class Survey {
 public:
  explicit Survey(const ProbeContext& context) : context_(context), cards_(ReadCards(context.files)) {}

  void Run();

 private:
  void ReportUnasked();
  std::optional<Api> OpenApi();
  void ReadDriver(const Api& api, ZeDriver driver, std::size_t place);
  void Complete(std::uint32_t number, std::optional<std::uint32_t> place, RuntimeDevice& device) const;
  void CompleteAll();
  void Send();
  void Conclude();
  void Fail(Outcome outcome, Error error) const { context_.sink(Failure{outcome, std::move(error)}); }
  void FailToLoad(const Error& error) const {
    Fail(error.Is(OwnError::kAbsent) ? Outcome::kAbsent : Outcome::kFailed, error);
  }
  // A loader lets go of a driver that has no device: whether one is there is to be seen from its file.
  [[nodiscard]] bool HasDriver() const { return HasDriverFile(context_.files, context_.environment); }
  void FailWithout(Error error) const {
    auto why = Diagnose(std::move(error), cards_, HasDriver(), context_.files, context_.environment);
    if (why.outcome == Outcome::kHidden) TellMissing();
    Fail(why.outcome, std::move(why.error));
  }
  // Of GPUs that none of the devices is, what keeps them away.
  void TellMissing() const {
    for (auto& hardware : NotShown(cards_, devices_, failed_.has_value(), context_.environment))
      context_.sink(std::move(hardware));
  }

  const ProbeContext& context_;
  std::vector<KernelCard> cards_;
  std::vector<RuntimeDevice> devices_;  // of all drivers
  std::vector<DriverReport> drivers_;
  std::vector<std::uint32_t> numbers_;  // of devices_, among all in the drivers' order
  std::uint32_t shown_ = 0;             // by all drivers, those that failed among them
  std::optional<Error> failed_;         // of the first driver or device that failed
};

void Survey::ReportUnasked() {
  const auto library = system::Library::Find(kLoaderNames, {}, context_.files, context_.environment);
  if (!library) return FailToLoad(library.error());
  context_.sink(*library);
  FailWithout({"open /dev/dri", std::nullopt, "no device", {}});
}

std::optional<Api> Survey::OpenApi() {
  for (auto& text : RestrictLoader(context_.files, context_.environment))
    context_.sink(Warning{std::move(text)});
  const auto library = OpenLoader(context_.files, context_.environment);
  if (!library) {
    FailToLoad(library.error());
    return std::nullopt;
  }
  context_.sink(library->info());
  context_.sink(StageEntered{Stage::kSymbols});
  const auto api = ResolveApi(*library);
  if (api) return *api;
  Fail(Outcome::kFailed, api.error());
  return std::nullopt;
}

// What variables mean for the device: `number` is its among all in the drivers' order, by which SYCL counts
// (intel/llvm, sycl/source/detail/platform_impl.cpp: getStartingDeviceId), `place` the mask's.
void Survey::Complete(std::uint32_t number, std::optional<std::uint32_t> place, RuntimeDevice& device) const {
  const auto mask = MaskIn(context_.environment);
  std::optional<std::string> text;
  if (place) text = mask ? MaskOf(*mask, *place, shown_) : fmt::to_string(*place);
  // A device's number of its driver is the mask's where no fact says otherwise.
  if (!text) {
    device.facts.push_back({"unnumbered", place ? "its mask lists devices that are not there"
                                                : "the order in which a mask counts is not known here"});
  } else if (mask || *place != device.ordinal) {
    device.facts.push_back({"visible_as", *std::move(text)});
  }
  const auto value = context_.environment.Get(kSelector);
  const auto selector = intel::Selector::Parse(value.value_or(""));
  if (value && (!selector || selector->Count(device, "level_zero", number) == 0))
    device.facts.push_back({std::string(kHiddenByFact), std::string(kSelector)});
  if (const auto hierarchy = context_.environment.Get(kHierarchy))
    device.facts.push_back({"hierarchy", CleanText(*hierarchy, 64)});
}

void Survey::ReadDriver(const Api& api, ZeDriver driver, std::size_t place) {
  DriverReport& report = drivers_.emplace_back();
  report.name = DriverName(place);
  report.stage = Stage::kEnumerate;
  if (auto version = DriverVersion(api, driver); !version.empty()) report.version = std::move(version);
  auto shown = ReadDevices(api, driver, *report.name);
  const auto fail = [&](const Error& error) {
    if (!failed_) failed_ = error;
    report.outcome = Outcome::kFailed;
    report.error = error;
  };
  if (!shown) return fail(shown.error());
  if (!shown->failed.empty() && !failed_) failed_ = shown->failed.front();
  if (shown->found.empty() && !shown->failed.empty()) return fail(shown->failed.front());
  if (shown->found.empty()) {
    report.outcome = Outcome::kNoDevice;
    report.error = Error{"zeDeviceGet", std::nullopt, "no device", "it shows no device"};
    return;
  }
  for (const Error& error : shown->failed)
    context_.sink(
        Warning{fmt::format("{} has a GPU that does not say what it is: {}", *report.name, Describe(error))});
  const std::size_t count = shown->found.size() + shown->failed.size();
  WarnAtCap(context_.sink, *report.name, count, kMaxDevices);
  for (Found& one : shown->found) {
    numbers_.push_back(shown_ + one.device.ordinal);
    devices_.push_back(std::move(one.device));
  }
  shown_ += static_cast<std::uint32_t>(count);
}

void Survey::CompleteAll() {
  auto places = PlacesOf(devices_, context_.environment);
  // The place of a device that failed is known within its driver alone.
  const bool has_several = std::any_of(devices_.begin(), devices_.end(), [&](const RuntimeDevice& device) {
    return device.driver != devices_.front().driver;
  });
  const bool has_failed = std::any_of(drivers_.begin(), drivers_.end(), [](const DriverReport& report) {
    return report.outcome == Outcome::kFailed;
  });
  if (has_failed || (has_several && failed_)) places.reset();
  for (std::size_t i = 0; i < devices_.size(); ++i)
    Complete(numbers_[i], places ? std::optional((*places)[i]) : std::nullopt, devices_[i]);
}

void Survey::Send() {
  for (DriverReport& report : drivers_) {
    for (const RuntimeDevice& device : devices_) {
      if (device.driver == report.name) context_.sink(device);
    }
    context_.sink(std::move(report));
  }
}

void Survey::Conclude() {
  if (!devices_.empty()) return TellMissing();
  if (failed_ && failed_->code != kZeInsufficientPermissions) return Fail(Outcome::kFailed, *failed_);
  FailWithout(failed_.value_or(Error{"zeDeviceGet", std::nullopt, "no device", {}}));
}

void Survey::Run() {
  for (const std::string_view name : kVariables) {
    if (const auto value = context_.environment.Get(name))
      context_.sink(EnvironmentVariable{std::string(name), CleanText(*value)});
  }
  context_.sink(StageEntered{Stage::kLoad});
  if (LoadsNothing(context_)) return ReportUnasked();
  const auto api = OpenApi();
  if (!api) return;
  context_.sink(StageEntered{Stage::kInit});
  const auto drivers = Start(*api);
  if (!drivers) {
    // The only code of a loader without a driver and of a driver without a GPU, and that of closed nodes.
    const auto code = drivers.error().code;
    const bool is_without = code == kZeUninitialized || code == kZeInsufficientPermissions;
    return is_without ? FailWithout(drivers.error()) : Fail(Outcome::kFailed, drivers.error());
  }
  context_.sink(StageEntered{Stage::kEnumerate});
  for (std::size_t i = 0; i < drivers->size(); ++i) ReadDriver(*api, (*drivers)[i], i);
  CompleteAll();
  Send();
  Conclude();
}

void Probe(const ProbeContext& context) { Survey(context).Run(); }

}  // namespace

Module Describe() {
  Module module;
  module.name = "level_zero";
  module.title = "Level Zero";
  module.usual_s = 0.05;  // assumed: the driver sets every GPU up
  module.gpu_vendor = 0x8086;
  module.visibility_variables = kVariables;
  module.libraries = kLoaderNames;
  module.caches = kCaches;
  module.device_nodes = kNodes;
  module.loads_nothing = LoadsNothing;
  module.probe = Probe;
  return module;
}

}  // namespace probe::level_zero
