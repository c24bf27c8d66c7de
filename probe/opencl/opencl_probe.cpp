// SPDX-License-Identifier: MIT
#include <algorithm>

#include "probe/core/device_cap.h"
#include "probe/core/hidden.h"
#include "probe/core/module.h"
#include "probe/core/text.h"
#include "probe/opencl/opencl_api.h"
#include "probe/opencl/opencl_drivers.h"
#include "probe/system/process_state.h"
#include "probe/system/this_process.h"

namespace probe::opencl {

Module Describe();

namespace {

// One run of the probe: what is asked of whom, and what became of each driver.
class Survey {
 public:
  explicit Survey(const ProbeContext& context) : context_(context) {}

  void Run();

 private:
  void ReportEnvironment();
  bool PrepareDrivers();
  std::optional<Api> OpenApi();
  void ReadPlatform(const Api& api, cl_platform_id platform);
  void ReportSilentDrivers(bool all_attributed);
  void Report(DriverReport report);
  void TellSilence(std::string_view library, DriverReport& report);
  bool IsSpoiled();
  [[nodiscard]] Error Spoiled() const {
    return {"", std::nullopt, "not answered", "a driver beside it changed this process: " + spoiled_};
  }
  void Fail(Outcome outcome, Error error) { context_.sink(Failure{outcome, std::move(error)}); }
  void Enter(Stage stage) {
    stage_ = stage;
    context_.sink(StageEntered{stage});
  }

  const ProbeContext& context_;
  Stage stage_ = Stage::kStart;
  std::vector<Manifest> manifests_;
  std::vector<bool> answered_;  // of manifests_: a platform came from it, or it was refused
  std::vector<DriverReport> silent_;
  bool found_device_ = false;
  bool all_attributed_ = true;
  std::optional<system::ProcessState> before_;  // any driver was loaded
  std::string spoiled_;                         // what one of them made of this process
};

void Survey::ReportEnvironment() {
  for (const auto name : Drivers().variables) {
    const auto value = context_.environment.Get(name);
    // Not the user's where it is RestrictTo's.
    const bool ours = context_.manifest && value == context_.manifest;
    if (value && !ours) {
      context_.sink(EnvironmentVariable{std::string(name), CleanText(*value)});
    }
  }
}

void Survey::Report(DriverReport report) {
  report.stage = stage_;
  context_.sink(report);
  if (report.outcome != Outcome::kOk) silent_.push_back(std::move(report));
}

// Of a driver of this library, which did load and shows no device.
void Survey::TellSilence(std::string_view library, DriverReport& report) {
  const auto why = WhyNoDevice(library, context_.files, context_.environment);
  report.outcome = why.outcome;
  report.error = why.error;
  for (const PciAddress& address : why.hidden) context_.sink(HiddenHardware("opencl", address, why.variable));
}

// Whether a driver has changed this process so that the silence of another means nothing. It is then asked
// again, alone.
bool Survey::IsSpoiled() {
  if (!spoiled_.empty() || !before_ || manifests_.size() < 2) return !spoiled_.empty();
  spoiled_ = before_->Worsened().value_or("");
  if (spoiled_.empty()) return false;
  context_.sink(Warning{"a driver changes the process that loads it (" + spoiled_ +
                        "): those that did not answer are asked in other processes"});
  return true;
}

// False when the loader must not be opened.
bool Survey::PrepareDrivers() {
  const bool only = context_.manifest.has_value();
  if (only) {
    manifests_ = {ReadManifest(context_.files, context_.environment, *context_.manifest)};
  } else {
    manifests_ = FindManifests(context_.files, context_.environment);
  }
  for (const auto& manifest : manifests_) {
    answered_.push_back(manifest.refused.has_value());
    if (!manifest.refused) continue;
    Report({CleanText(manifest.path),
            {},
            {},
            CleanText(manifest.library),
            manifest.is_there ? Outcome::kFailed : Outcome::kAbsent,
            {},
            manifest.refused,
            {}});
  }
  const auto warnings = RestrictLoader(manifests_, only, context_.files, context_.environment);
  if (!warnings) {
    const bool none_there = std::none_of(manifests_.begin(), manifests_.end(),
                                         [](const Manifest& manifest) { return manifest.is_there; });
    const auto hiding =
        none_there && !only ? HidingVariable(context_.files, context_.environment) : std::optional<Error>();
    hiding ? Fail(Outcome::kHidden, *hiding) : Fail(Outcome::kFailed, warnings.error());
    return false;
  }
  for (const auto& text : *warnings) context_.sink(Warning{text});
  return true;
}

std::optional<Api> Survey::OpenApi() {
  const auto library = OpenLoader(context_.files, context_.environment);
  if (!library) {
    Fail(library.error().Is(OwnError::kAbsent) ? Outcome::kAbsent : Outcome::kFailed, library.error());
    return std::nullopt;
  }
  context_.sink(library->info());
  Enter(Stage::kSymbols);
  const auto api = ResolveApi(*library);
  if (api) return *api;
  Fail(Outcome::kFailed, api.error());
  return std::nullopt;
}

void Survey::ReadPlatform(const Api& api, cl_platform_id platform) {
  DriverReport report;
  report.name = CleanText(PlatformText(api, platform, CL_PLATFORM_NAME));
  report.version = CleanText(PlatformText(api, platform, CL_PLATFORM_VERSION));
  report.library = LibraryOf(platform);
  auto manifest = report.library ? ManifestOf(*report.library, manifests_, context_.files) : std::nullopt;
  if (!manifest && manifests_.size() == 1 && !manifests_.front().refused) manifest = 0;
  all_attributed_ = all_attributed_ && manifest.has_value();
  if (manifest) {
    answered_[*manifest] = true;
    report.manifest = CleanText(manifests_[*manifest].path);
  }
  const auto devices = Devices(api, platform);
  if ((!devices || devices->empty()) && IsSpoiled()) {
    report.outcome = Outcome::kBadReply;
    report.error = Spoiled();
  } else if (!devices) {
    report.outcome = Outcome::kFailed;
    report.error = devices.error();
  } else if (devices->empty()) {
    TellSilence(report.library.value_or(""), report);
  } else {
    std::uint32_t ordinal = 0;
    for (const cl_device_id id : *devices) {
      RuntimeDevice device = ReadDevice(api, platform, id, ordinal++);
      device.manifest = report.manifest;
      context_.sink(std::move(device));
    }
    found_device_ = true;
    WarnAtCap(context_.sink, report.name.value_or("OpenCL"), devices->size(), kMaxDevices);
  }
  Report(std::move(report));
}

// Drivers that the loader was shown and of which no platform came: it skips them without a word.
void Survey::ReportSilentDrivers(bool all_attributed) {
  for (std::size_t i = 0; i < manifests_.size(); ++i) {
    if (answered_[i]) continue;
    const auto& manifest = manifests_[i];
    DriverReport report;
    report.manifest = CleanText(manifest.path);
    report.library = CleanText(manifest.library);
    if (IsSpoiled()) {
      report.outcome = Outcome::kBadReply;
      report.error = Spoiled();
    } else if (const auto reason = system::WhyNotLoadable(manifest.library)) {
      report.outcome = Outcome::kFailed;
      report.error = Error{"dlopen " + CleanText(manifest.library), std::nullopt, "unloadable", *reason};
    } else if (all_attributed) {
      TellSilence(manifest.library, report);
    } else {
      continue;  // one of the platforms may be its
    }
    Report(std::move(report));
  }
}

void Survey::Run() {
  ReportEnvironment();
  Enter(Stage::kLoad);
  if (!PrepareDrivers()) return;
  const auto api = OpenApi();
  if (!api) return;
  Enter(Stage::kInit);
  before_ = system::ProcessState::Take();
  const auto platforms = Platforms(*api);
  if (!platforms && platforms.error().code != CL_PLATFORM_NOT_FOUND_KHR) {
    return Fail(Outcome::kFailed, platforms.error());
  }
  Enter(Stage::kEnumerate);
  if (platforms) {
    for (const cl_platform_id platform : *platforms) ReadPlatform(*api, platform);
  }
  ReportSilentDrivers(all_attributed_);
  if (found_device_) return;
  if (silent_.empty()) {
    const auto why = WhyNoDriver(context_.files, context_.environment);
    return Fail(why.outcome, why.error);
  }
  // What a person can act on comes first.
  for (const Outcome outcome : {Outcome::kBadReply, Outcome::kDenied, Outcome::kHidden, Outcome::kFailed}) {
    const auto report = std::find_if(silent_.begin(), silent_.end(),
                                     [&](const DriverReport& driver) { return driver.outcome == outcome; });
    if (report != silent_.end()) return Fail(outcome, *report->error);
  }
  Fail(silent_.front().outcome, *silent_.front().error);
}

void Probe(const ProbeContext& context) { Survey(context).Run(); }

std::vector<std::string> Manifests(const ProbeContext& context) {
  return ManifestPaths(context.files, context.environment);
}

}  // namespace

Module Describe() {
  Module module;
  module.caches = Drivers().caches;
  module.name = "opencl";
  module.title = "OpenCL";
  module.usual_s = 0.030;  // PoCL loads two compilers
  module.visibility_variables = Drivers().variables;
  module.libraries = kLoaderNames;
  module.device_nodes = Drivers().nodes;
  module.probe = Probe;
  module.manifests = Manifests;
  module.restrict_to = RestrictTo;
  return module;
}

}  // namespace probe::opencl
