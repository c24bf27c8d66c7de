// SPDX-License-Identifier: MIT
// The vulkan module. Each registered driver gets an instance of its own, one after the other in one process:
// the loader itself merges all drivers' devices and does not say whose is whose, nor which driver failed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "probe/core/device_cap.h"
#include "probe/core/module.h"
#include "probe/core/text.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/process_state.h"
#include "probe/vulkan/vulkan_api.h"
#include "probe/vulkan/vulkan_facts.h"
#include "probe/vulkan/vulkan_names.h"

namespace probe::vulkan {
namespace {

void ReportEnvironment(const ProbeContext& context) {
  if (context.manifest) return;  // restricted by ourselves: what is set now is not the user's
  for (const std::string_view name : Drivers().variables) {
    if (const auto value = context.environment.Get(name)) {
      context.sink(EnvironmentVariable{std::string(name), CleanText(*value)});
    }
  }
}

// Names the layers that reach into every Vulkan program, and keeps out those that would change nothing here,
// and all where one is not to be trusted.
void GuardAgainstLayers(const ProbeContext& context) {
  const auto layers = FindImplicitLayers(context.files, context.environment);
  std::vector<EnvironmentVariable> variables;
  bool distrusted = context.manifest.has_value();
  for (const ImplicitLayer& layer : layers) {
    if (layer.distrust) {
      distrusted = true;
      context.sink(Warning{"implicit layer " + layer.name + " is kept out: " + Describe(*layer.distrust)});
      continue;
    }
    const LayerRole role = RoleOf(layer, context.environment);
    if (role == LayerRole::kIdle && layer.disable) variables.push_back(*layer.disable);
    if (role == LayerRole::kForeign) {
      context.sink(Warning{"implicit layer " + layer.name + " reaches into every Vulkan program (" +
                           layer.manifest + ")"});
    }
  }
  ApplyToProcess(distrusted ? WithoutLayers(layers) : variables);
}

DriverReport ReportOf(const DriverManifest& driver) {
  DriverReport report;
  report.manifest = CleanText(driver.path);
  if (!driver.library.empty()) report.library = CleanText(driver.library);
  report.outcome = driver.outcome;
  report.error = driver.error;
  return report;
}

// What the loader calls an "incompatible driver" is one that it could not load, or one that failed to start.
// That a library is missing is the cause only where the dynamic loader names it; of a driver that loads, what
// it would ask for later may be.
Error WhyIncompatible(const ProbeContext& context, const DriverManifest& driver, const Error& error) {
  const std::array<std::string_view, 1> library = {driver.library};
  const auto opened = system::Library::Open(library, {}, context.files, context.environment);
  auto lacking = WhatItLacks(driver, context.files, context.environment);
  if (!opened) return WhyNotLoaded(opened.error(), std::move(lacking));
  Error out = error;
  out.text =
      "the driver does not start here: its kernel driver, its device or a library of its own is missing";
  if (!lacking.empty()) {
    out.name = "client_libraries_absent";
    out.text = fmt::format("the driver loads and does not start here; it may ask for {}, not installed",
                           fmt::join(lacking, ", "));
  }
  return out;
}

struct Tally {
  std::size_t devices = 0;
  bool hardware = false;
  std::vector<DriverReport> drivers;
  std::string spoiled;  // what a driver made of this process: nobody after it can be asked here
};

void Emit(const ProbeContext& context, DriverReport report, Tally& tally) {
  context.sink(report);
  tally.drivers.push_back(std::move(report));
}

void Fail(const ProbeContext& context, DriverReport report, Stage stage, Error error, Tally& tally) {
  report.outcome = Outcome::kFailed;
  report.stage = stage;
  report.error = std::move(error);
  Emit(context, std::move(report), tally);
}

void Ask(const ProbeContext& context, const GlobalFunctions& global, const DriverManifest& driver,
         Tally& tally) {
  DriverReport report = ReportOf(driver);
  if (driver.outcome != Outcome::kOk) return Emit(context, std::move(report), tally);
  context.sink(StageEntered{Stage::kInit});
  const auto instance = CreateInstance(global, driver.portability);
  if (!instance) {
    const bool incompatible = instance.error().code == VK_ERROR_INCOMPATIBLE_DRIVER;
    return Fail(context, std::move(report), Stage::kInit,
                incompatible ? WhyIncompatible(context, driver, instance.error()) : instance.error(), tally);
  }
  context.sink(StageEntered{Stage::kEnumerate});
  const auto physical = EnumerateDevices(*instance);
  if (!physical) return Fail(context, std::move(report), Stage::kEnumerate, physical.error(), tally);
  std::uint32_t ordinal = 0;
  for (const VkPhysicalDevice handle : *physical) {
    const PhysicalFacts facts = ReadFacts(*instance, handle);
    report.name = DriverName(facts, driver);
    report.version = DriverVersion(facts);
    RuntimeDevice device = DescribeDevice(facts, driver, ordinal++);
    tally.hardware = tally.hardware || device.kind != DeviceKind::kSoftware;
    context.sink(std::move(device));
  }
  tally.devices += physical->size();
  WarnAtCap(context.sink, report.name.value_or("Vulkan"), physical->size(), kMaxDevices);
  report.outcome = physical->empty() ? Outcome::kNoDevice : Outcome::kOk;
  Emit(context, std::move(report), tally);
}

// Asks one after the other, until one of them spoils the process for those after it.
void AskAll(const ProbeContext& context, const GlobalFunctions& global,
            const std::vector<DriverManifest>& drivers, Tally& tally) {
  for (const DriverManifest& driver : drivers) {
    DriverReport unasked = ReportOf(driver);
    if (!tally.spoiled.empty() && driver.outcome == Outcome::kOk) {
      unasked.outcome = Outcome::kBadReply;
      unasked.stage = Stage::kLoad;
      unasked.error =
          Error{"", std::nullopt, "not asked", "a driver before it changed this process: " + tally.spoiled};
      Emit(context, std::move(unasked), tally);
      continue;
    }
    ApplyToProcess(OnlyDriver(driver.path));
    const auto before = system::ProcessState::Take();
    Ask(context, global, driver, tally);
    const bool is_last = &driver == &drivers.back();
    if (is_last || !tally.spoiled.empty()) continue;
    tally.spoiled = before.Worsened().value_or("");
    if (tally.spoiled.empty()) continue;
    context.sink(Warning{CleanText(driver.path) + " changes the process that loads it (" + tally.spoiled +
                         "): the drivers after it are asked in other processes"});
  }
}

// Nodes of GPUs that are here and that this user may not open: without them a driver sees nothing.
std::optional<Error> DeniedNode(const ProbeContext& context) {
  for (const std::string& name : context.files.List("/dev/dri")) {
    if (!name.starts_with("renderD")) continue;
    const std::string path = "/dev/dri/" + name;
    const auto opened = context.files.TryOpen(path);
    const bool denied = !opened && (opened.error().name == "EACCES" || opened.error().name == "EPERM");
    if (denied)
      return Error{"open " + path, opened.error().code, opened.error().name,
                   "this user may not open the GPU's node"};
  }
  return std::nullopt;
}

const DriverReport* FirstWith(const Tally& tally, Outcome outcome) {
  const auto found =
      std::find_if(tally.drivers.begin(), tally.drivers.end(),
                   [outcome](const DriverReport& driver) { return driver.outcome == outcome; });
  return found == tally.drivers.end() ? nullptr : &*found;
}

// A variable that replaces the search for drivers, where the search would have found some.
std::optional<Error> HidingVariable(const ProbeContext& context) {
  const auto variable = OverridingVariable(context.environment);
  if (context.manifest || !variable) return std::nullopt;
  if (ManifestFiles("icd.d", context.files, context.environment).empty()) return std::nullopt;
  return Error{"read " + std::string(*variable), std::nullopt, "hidden",
               "it names no driver that works here and hides the installed ones"};
}

// Why there is no device at all, the most telling reason first.
void ExplainNothing(const ProbeContext& context, const Tally& tally) {
  const bool all_asked = tally.spoiled.empty();
  if (const auto denied = DeniedNode(context); denied && all_asked)
    return context.sink(Failure{Outcome::kDenied, *denied});
  if (const auto hiding = HidingVariable(context)) return context.sink(Failure{Outcome::kHidden, *hiding});
  for (const Outcome outcome : {Outcome::kBadReply, Outcome::kFailed, Outcome::kHidden}) {
    if (const DriverReport* driver = FirstWith(tally, outcome)) {
      return context.sink(Failure{outcome, driver->error.value_or(Error{})});
    }
  }
  if (FirstWith(tally, Outcome::kNoDevice) != nullptr) {
    const Error error{"vkEnumeratePhysicalDevices", std::nullopt, "no device",
                      "the installed drivers see no device"};
    return context.sink(Failure{Outcome::kNoDevice, error});
  }
  const Error error = Own(OwnError::kAbsent, "search icd.d", "no Vulkan driver is registered");
  context.sink(Failure{Outcome::kAbsent, error});
}

// Two manifests of one library make the loader list every device twice.
std::vector<DriverManifest> WithoutTwins(const ProbeContext& context, std::vector<DriverManifest> drivers) {
  std::vector<DriverManifest> out;
  for (DriverManifest& driver : drivers) {
    const auto twin = std::find_if(out.begin(), out.end(), [&driver](const DriverManifest& known) {
      return !driver.library.empty() && known.library == driver.library && known.outcome == driver.outcome;
    });
    if (twin == out.end()) {
      out.push_back(std::move(driver));
    } else {
      context.sink(Warning{driver.path + " registers the same driver as " + twin->path + " and is ignored"});
    }
  }
  return out;
}

std::vector<DriverManifest> DriversToAsk(const ProbeContext& context) {
  if (context.manifest) return {ReadDriver(*context.manifest, context.files, context.environment)};
  return WithoutTwins(context, FindDrivers(context.files, context.environment));
}

void Probe(const ProbeContext& context) {
  ReportEnvironment(context);
  context.sink(StageEntered{Stage::kLoad});
  const auto library = OpenLoader(context.files, context.environment);
  if (!library) {
    const Outcome outcome = library.error().Is(OwnError::kAbsent) ? Outcome::kAbsent : Outcome::kFailed;
    return context.sink(Failure{outcome, library.error()});
  }
  context.sink(StageEntered{Stage::kSymbols});
  const auto global = LoadGlobalFunctions(*library);
  if (!global) return context.sink(Failure{Outcome::kFailed, global.error()});
  auto info = library->info();
  info.version = VersionText(global->loader_version);
  context.sink(info);
  GuardAgainstLayers(context);
  Tally tally;
  AskAll(context, *global, DriversToAsk(context), tally);
  if (tally.devices == 0) {
    ExplainNothing(context, tally);
  } else if (!tally.hardware) {
    if (const auto denied = DeniedNode(context)) context.sink(Warning{Describe(*denied)});
  }
}

std::vector<std::string> Manifests(const ProbeContext& context) {
  return DriverFiles(context.files, context.environment);
}

std::vector<EnvironmentVariable> RestrictTo(std::string_view manifest) {
  std::vector<EnvironmentVariable> variables = OnlyDriver(manifest);
  const auto files = system::FileSystem::Open("/");
  const auto layers =
      files ? FindImplicitLayers(*files, system::Environment::OfProcess()) : std::vector<ImplicitLayer>();
  for (EnvironmentVariable& variable : WithoutLayers(layers)) variables.push_back(std::move(variable));
  return variables;
}

}  // namespace

Module Describe() {
  Module module;
  module.caches = Drivers().caches;
  module.name = "vulkan";
  module.title = "Vulkan";
  module.usual_s = 0.025;  // llvmpipe loads one
  module.visibility_variables = Drivers().variables;
  module.libraries = kLoaderNames;
  module.device_nodes = Drivers().nodes;
  module.probe = Probe;
  module.manifests = Manifests;
  module.restrict_to = RestrictTo;
  return module;
}

}  // namespace probe::vulkan
