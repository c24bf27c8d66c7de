// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "probe/core/device_cap.h"
#include "probe/core/hidden.h"
#include "probe/core/module.h"
#include "probe/core/note.h"
#include "probe/core/text.h"
#include "probe/sycl/sycl_api.h"
#include "probe/sycl/sycl_visible.h"
#include "probe/system/wsl.h"

namespace probe::sycl {

Module Describe();

namespace {

// The loader's own, and those of what its adapters stand on that hide devices from them.
constexpr std::array<std::string_view, 6> kVariables = {
    kSelector, kForceLoad, kSearchPath, "ZE_AFFINITY_MASK", "ZE_FLAT_DEVICE_HIERARCHY", "OCL_ICD_FILENAMES"};
constexpr std::string_view kDev = "/dev/";
constexpr std::array<std::string_view, 2> kNodes = {
    "dri", std::string_view(system::kWslGpuNode).substr(kDev.size())};
constexpr std::array kCaches = {DriverCache{"NEO_CACHE_DIR", "neo"}};

class Survey {
 public:
  explicit Survey(const ProbeContext& context) : context_(context) {}

  void Run();

 private:
  std::optional<Api> OpenApi();
  // What one platform shows.
  struct Shelf {
    Platform platform;
    std::vector<Found> found;
    DriverReport report;
  };
  void ReadAdapter(const Api& api, UrAdapter adapter);
  [[nodiscard]] Shelf ReadPlatform(const Api& api, const Platform& platform);
  void Select(Shelf& shelf, std::optional<std::uint32_t> before);
  void Send(Shelf shelf);
  void ReportBroken();
  void Conclude(std::size_t adapters);
  void Report(DriverReport report) {
    report.stage = Stage::kEnumerate;
    context_.sink(std::move(report));
  }
  void Fail(Outcome outcome, Error error) const { context_.sink(Failure{outcome, std::move(error)}); }

  const ProbeContext& context_;
  std::string loader_;
  std::vector<BrokenAdapter> broken_;
  std::optional<Error> failed_;  // of the first adapter, platform or device that failed
  bool has_found_ = false;
  std::optional<intel::Selector> selector_;  // nullopt where none is set, or a malformed one
  bool is_malformed_ = false;
  // By the adapter's earlier platforms, as the selector counts; nullopt after one that does not tell how
  // many.
  std::optional<std::uint32_t> shown_;
};

std::optional<Api> Survey::OpenApi() {
  const auto fail = [&](const Error& error) {
    Fail(error.Is(OwnError::kAbsent) ? Outcome::kAbsent : Outcome::kFailed, error);
    return std::nullopt;
  };
  // Without one this process is shared, and its variables are not ours.
  const auto found = FindLoader(context_.files, context_.environment);
  if (!found) return fail(found.error());
  const auto kept_out = RestrictLoader(*found, context_.files, context_.environment);
  if (!kept_out) return fail(kept_out.error());
  for (const std::string& text : *kept_out) context_.sink(Warning{text});
  const auto library = OpenLoader(context_.files, context_.environment);
  if (!library) return fail(library.error());
  loader_ = library->info().path.value_or("");
  context_.sink(library->info());
  context_.sink(StageEntered{Stage::kSymbols});
  const auto api = ResolveApi(*library);
  if (api) return *api;
  return fail(api.error());
}

// What the selector means for each, and by which number it is named there: `before` were counted.
void Survey::Select(Shelf& shelf, std::optional<std::uint32_t> before) {
  const auto backend = RuntimeOf(shelf.platform.backend);
  for (Found& one : shelf.found) {
    if (!before) {
      one.device.facts.push_back({"unnumbered", "how many devices an earlier platform has is not known"});
    } else {
      const std::uint32_t number = *before + one.device.ordinal;
      one.device.facts.push_back({"visible_as", fmt::format("{}:{}", backend, number)});
      if (selector_) one.selected = selector_->Count(one.device, backend, number);
    }
    if (is_malformed_) one.selected = 0;
    if (one.selected == 0) one.device.facts.push_back({std::string(kHiddenByFact), std::string(kSelector)});
  }
}

Survey::Shelf Survey::ReadPlatform(const Api& api, const Platform& platform) {
  Shelf shelf{platform, {}, {}};
  DriverReport& report = shelf.report;
  report.name = platform.name;
  if (!platform.version.empty()) report.version = platform.version;
  if (RuntimeOf(platform.backend).empty()) {
    report.outcome = Outcome::kNoDevice;
    report.error = Error{"urPlatformGetInfo", std::nullopt, "not measured",
                         "its devices take other code than SPIR-V; they are measured by their own runtime"};
    return shelf;
  }
  auto shown = ReadDevices(api, platform);
  const std::size_t count =
      shown ? shown->found.size() + shown->failed.size() + shown->without_code : std::size_t{0};
  const auto before = shown_;
  if (!shown) shown_.reset();
  if (shown_) *shown_ += static_cast<std::uint32_t>(count);
  if (!shown || (shown->found.empty() && !shown->failed.empty())) {
    const Error error = shown ? shown->failed.front() : shown.error();
    if (!failed_) failed_ = error;
    report.outcome = Outcome::kFailed;
    report.error = error;
    return shelf;
  }
  for (const Error& error : shown->failed) {
    if (!failed_) failed_ = error;
    context_.sink(Warning{
        fmt::format("{} has a device that does not say what it is: {}", platform.name, Describe(error))});
  }
  WarnAtCap(context_.sink, platform.name, count, kMaxDevices);
  shelf.found = std::move(shown->found);
  Select(shelf, before);
  if (shelf.found.empty()) {
    report.outcome = Outcome::kNoDevice;
    report.error = Error{"urDeviceGet", std::nullopt, "no device",
                         shown->without_code > 0 ? "its devices take no SPIR-V, which SYCL's programs are"
                                                 : "it shows no device"};
  }
  return shelf;
}

void Survey::Send(Shelf shelf) {
  for (Found& one : shelf.found) {
    has_found_ = true;
    if (is_malformed_) AddNote({std::string(kMalformed), MalformedText(context_.environment)}, one.device);
    context_.sink(std::move(one.device));
  }
  Report(std::move(shelf.report));
}

void Survey::ReadAdapter(const Api& api, UrAdapter adapter) {
  shown_ = 0;
  const auto platforms = Platforms(api, adapter);
  if (!platforms) {
    if (!failed_) failed_ = platforms.error();
    return context_.sink(Warning{"an adapter does not tell its platforms: " + Describe(platforms.error())});
  }
  std::vector<Shelf> shelves;
  for (const Platform& platform : *platforms) shelves.push_back(ReadPlatform(api, platform));
  std::vector<std::vector<Found>*> gpus;
  for (Shelf& shelf : shelves) {
    if (shelf.platform.backend == kUrLevelZero) gpus.push_back(&shelf.found);
  }
  if (!is_malformed_) CountForTorch(gpus);
  for (Shelf& shelf : shelves) Send(std::move(shelf));
}

// Those of which no platform came.
void Survey::ReportBroken() {
  if (loader_.empty() || context_.environment.Get(kForceLoad)) return;
  broken_ = BrokenAdapters(loader_, context_.files, context_.environment);
  for (const BrokenAdapter& adapter : broken_) {
    DriverReport report;
    report.name = adapter.path.substr(adapter.path.rfind('/') + 1);
    report.library = CleanText(adapter.path);
    report.outcome = Outcome::kFailed;
    report.error = Error{"dlopen " + CleanText(adapter.path), std::nullopt, "adapter_unloadable",
                         CleanText(adapter.reason)};
    Report(std::move(report));
  }
}

void Survey::Conclude(std::size_t adapters) {
  if (is_malformed_) context_.sink(Warning{MalformedText(context_.environment)});
  if (has_found_) return;
  if (failed_) return Fail(Outcome::kFailed, *failed_);
  auto why = Diagnose(adapters, broken_, context_.environment);
  Fail(why.outcome, std::move(why.error));
}

void Survey::Run() {
  for (const std::string_view name : kVariables) {
    if (const auto value = context_.environment.Get(name))
      context_.sink(EnvironmentVariable{std::string(name), CleanText(*value)});
  }
  context_.sink(StageEntered{Stage::kLoad});
  const auto api = OpenApi();
  if (!api) return;
  context_.sink(StageEntered{Stage::kInit});
  const auto adapters = Start(*api);
  if (!adapters) return Fail(Outcome::kFailed, adapters.error());
  const auto selector = context_.environment.Get(kSelector);
  if (selector) selector_ = intel::Selector::Parse(*selector);
  is_malformed_ = selector && !selector_;
  context_.sink(StageEntered{Stage::kEnumerate});
  for (const UrAdapter adapter : *adapters) ReadAdapter(*api, adapter);
  ReportBroken();
  Conclude(adapters->size());
}

void Probe(const ProbeContext& context) { Survey(context).Run(); }

bool IsInstalled(const ProbeContext& context) { return HasLoader(context.files, context.environment); }

bool LoadsNothing(const ProbeContext& context) { return !IsInstalled(context); }

}  // namespace

Module Describe() {
  Module module;
  module.name = "sycl";
  module.title = "SYCL";
  module.usual_s = 0.3;  // Intel's OpenCL for processors loads a compiler of 300 MB
  module.gpu_vendor = 0x8086;
  module.visibility_variables = kVariables;
  module.libraries = kLoaderNames;
  module.caches = kCaches;
  module.device_nodes = kNodes;
  module.loads_nothing = LoadsNothing;
  module.is_installed = IsInstalled;
  module.probe = Probe;
  return module;
}

}  // namespace probe::sycl
