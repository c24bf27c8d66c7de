// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "probe/core/device_cap.h"
#include "probe/core/hidden.h"
#include "probe/core/module.h"
#include "probe/core/note.h"
#include "probe/core/text.h"
#include "probe/core/vendor.h"
#include "probe/hip/hip_api.h"
#include "probe/hip/hip_driver.h"
#include "probe/hip/hip_visible.h"

namespace probe::hip {

Module Describe();

namespace {

// Loading ROCm costs more than all the rest of a survey: its HSA runtime times a clock for 10 ms before
// anybody can call it. Without a node to open it has no device, so it is not loaded then, unless the user
// points at one.
bool LoadsNothing(const ProbeContext& context) {
  return !HasDeviceNodes(context.files) && !context.environment.Get("WHICHGPU_LIBRARY_PATH");
}

class Survey {
 public:
  explicit Survey(const ProbeContext& context)
      : context_(context), driver_(ReadKernelDriver(context.files)) {}

  void Run();

 private:
  void ReportUnasked();
  void FailToLoad(const Error& error) const;
  void Show(Library library);
  [[nodiscard]] std::optional<Api> OpenApi();
  void Enumerate(const Api& api, HipResult init);
  // What selects the device in HIP_VISIBLE_DEVICES: its UUID where it has one to itself.
  void NameVisible(const std::vector<RuntimeDevice>& all, bool takes_uuids, RuntimeDevice& device) const;
  // What the kernel and amdgpu's files know of a device that HIP shows.
  void Complete(const Api& api, RuntimeDevice& device) const;
  void TellHidden(const std::vector<RuntimeDevice>& shown) const {
    for (const HiddenCard& card : HiddenCards(context_.environment, shown, driver_.nodes))
      context_.sink(HiddenHardware("hip", card.address, card.variable,
                                   WhatIsWrong(context_.environment, card.variable, driver_.nodes)));
  }
  void Warn(std::vector<std::string> texts) const {
    for (auto& text : texts) context_.sink(Warning{std::move(text)});
  }

  const ProbeContext& context_;
  KernelDriver driver_;
  std::optional<std::string> release_;
};

void Survey::ReportUnasked() {
  const auto library = FindRuntime(context_.files, context_.environment);
  if (!library) return FailToLoad(library.error());
  Show(*library);
  Warn(ExplainOverride(context_.environment, driver_.nodes));
  auto diagnosis = DiagnoseUnasked(driver_, context_.environment);
  context_.sink(Failure{diagnosis.outcome, std::move(diagnosis.error)});
}

void Survey::FailToLoad(const Error& error) const {
  context_.sink(Failure{error.Is(OwnError::kAbsent) ? Outcome::kAbsent : Outcome::kFailed, error});
}

void Survey::Show(Library library) {
  release_ = ReleaseOf(context_.files, library.path.value_or(""));
  if (release_) library.version = release_;
  context_.sink(std::move(library));
}

std::optional<Api> Survey::OpenApi() {
  const auto library = OpenRuntime(context_.files, context_.environment);
  if (!library) {
    FailToLoad(library.error());
    return std::nullopt;
  }
  Show(library->info());
  context_.sink(StageEntered{Stage::kSymbols});
  const auto api = ResolveApi(*library);
  if (api) return *api;
  context_.sink(Failure{Outcome::kFailed, api.error()});
  return std::nullopt;
}

void Survey::Complete(const Api& api, RuntimeDevice& device) const {
  int version = 0;
  if (release_) {
    device.driver_version = release_;
  } else if (api.hipRuntimeGetVersion(&version) == kHipSuccess && version > 0) {
    device.driver_version = VersionText(version);
  }
  if (!driver_.version.empty()) device.facts.push_back({"kernel_module", driver_.version});
  if (const auto* node = NodeOf(driver_.nodes, device)) {
    if (!device.identity.ids) device.identity.ids = node->ids;
    if (node->target) device.facts.push_back({"kernel_target", *node->target});
    if (auto variable = OverrideOf(context_.environment, *node); !variable.empty())
      device.facts.push_back({std::string(kTakenForAnotherFact), std::move(variable)});
  }
  if (!device.identity.pci) return;
  const std::string card = "/sys/bus/pci/devices/" + ToString(*device.identity.pci);
  if (const auto throttled = ThrottledBy(context_.files, card))
    device.facts.push_back({"throttled", *throttled});
  auto state = amd::ReadState(context_.files, card);
  // Of an APU both figures are the carve-out's alone, and of a partition the whole card's.
  const bool sound = state.memory_total_bytes && state.memory_total_bytes == device.memory_total_bytes;
  if (sound && state.memory_used_bytes && *state.memory_used_bytes <= *state.memory_total_bytes)
    device.memory_free_bytes = *state.memory_total_bytes - *state.memory_used_bytes;
  std::move(state.facts.begin(), state.facts.end(), std::back_inserter(device.facts));
}

void Survey::NameVisible(const std::vector<RuntimeDevice>& all, bool takes_uuids,
                         RuntimeDevice& device) const {
  const auto& uuid = device.identity.uuid;
  const auto same = [&](const RuntimeDevice& other) { return uuid && other.identity.uuid == uuid; };
  // Every HIP takes numbers; UUIDs, of 16 characters, only since 6.2 (ROCm/clr, commit 52db98e).
  std::string text = VisibleAs(context_.environment, device.ordinal);
  if (text.empty() && takes_uuids && std::count_if(all.begin(), all.end(), same) == 1)
    text = "GPU-" + std::string(uuid->begin(), uuid->end());
  if (!text.empty()) device.facts.push_back({"visible_as", std::move(text)});
}

void Survey::Enumerate(const Api& api, HipResult init) {
  auto found = ReadDevices(api, driver_.nodes, context_.environment);
  if (!found || found->empty()) {
    Error error = found ? ErrorOf("hipGetDeviceCount", kHipErrorNoDevice) : found.error();
    if (error.code != kHipErrorNoDevice && init != kHipSuccess) error = ErrorOf("hipInit", init);
    auto diagnosis = Diagnose(std::move(error), driver_, context_.environment);
    if (diagnosis.outcome == Outcome::kHidden) TellHidden({});
    context_.sink(Failure{diagnosis.outcome, std::move(diagnosis.error)});
    return;
  }
  WarnAtCap(context_.sink, "HIP", found->size(), kMaxDevices);
  constexpr int kTakesUuids = 60200000;
  int version = 0;
  const bool takes_uuids = api.hipRuntimeGetVersion(&version) == kHipSuccess && version >= kTakesUuids;
  auto devices = *std::move(found);
  for (RuntimeDevice& device : devices) {
    Complete(api, device);
    NameVisible(devices, takes_uuids, device);
  }
  Warn(ExplainVisible(context_.environment, devices, driver_.nodes));
  TellHidden(devices);
  const auto in_part = CardsInPart(context_.environment, devices, driver_.nodes);
  for (RuntimeDevice& device : devices) {
    const auto card = std::find_if(in_part.begin(), in_part.end(), [&](const CardInPart& one) {
      return device.identity.pci && SlotOf(*device.identity.pci) == SlotOf(one.address);
    });
    if (card != in_part.end()) AddNote({"parts_hidden", card->text}, device);
    context_.sink(device);
  }
}

void Survey::Run() {
  auto variables = OverrideVariables(driver_.nodes);
  variables.insert(variables.begin(), VisibilityVariables().begin(), VisibilityVariables().end());
  for (const std::string& name : variables) {
    if (const auto value = context_.environment.Get(name))
      context_.sink(EnvironmentVariable{name, CleanText(*value)});
  }
  context_.sink(StageEntered{Stage::kLoad});
  if (LoadsNothing(context_)) return ReportUnasked();
  const auto api = OpenApi();
  if (!api) return;
  // Before the first call that may hang on it.
  Warn(ExplainOverride(context_.environment, driver_.nodes));
  context_.sink(StageEntered{Stage::kInit});
  const HipResult init = api->hipInit(0);
  context_.sink(StageEntered{Stage::kEnumerate});
  Enumerate(*api, init);
}

void Probe(const ProbeContext& context) { Survey(context).Run(); }

}  // namespace

Module Describe() {
  Module module;
  module.libraries = kRuntimeNames;
  module.name = "hip";
  module.title = "ROCm";
  module.usual_s = 0.1;  // assumed: the runtime sets every GPU up
  module.gpu_vendor = amd::kPciNumber;
  module.visibility_variables = VisibilityVariables();
  module.loads_nothing = LoadsNothing;
  module.probe = Probe;
  return module;
}

}  // namespace probe::hip
