// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "report/core/devices.h"
#include "report/core/memory.h"
#include "report/score/score.h"

namespace report::score {
namespace {

// Between the runtimes of one device its own figures decide where there are any.
bool IsMeasured(std::span<const backends::Measurement* const> figures) {
  return std::any_of(figures.begin(), figures.end(), [](const auto* m) {
    return m->implementation != kEstimate && m->implementation != kStandIn;
  });
}

Way MadeOf(const Tables& tables, const probe::PhysicalDevice& device, const probe::View& view,
           const MeasurementIndex& measured, std::optional<double> host_bytes) {
  const auto& request = tables.reference.inference;
  const auto& [runtime, driver] = std::tie(view.device.runtime, view.device.driver);
  const auto* facts = Find(tables, runtime);
  const auto* factors = facts ? FactorsOf(facts->factors, request) : nullptr;
  const Wanted wanted{request.weights,
                      factors && factors->tiles ? std::string_view(factors->tiles->implementation) : ""};
  const auto memory = WorkMemoryOf(device, view, host_bytes);
  return {&device,
          &view,
          IsSoftware(device, view),
          PickRates(measured.Of(device.id, runtime, driver), wanted),
          facts ? facts->factors : UnknownFactors(),
          facts ? facts->training : TrainingSupport{},
          FitOf(device, IsMeasured(measured.Of(device.id, runtime, driver)) ? std::string_view() : runtime),
          factors,
          facts ? WholeFactorsOf(facts->factors, request) : nullptr,
          memory,
          PlaceRequest(request, memory),
          PlaceStep(tables.reference, memory)};
}

// Of a way that was late, or that nobody could look for.
void FillInFromFacts(const MeasurementIndex& measured, const MeasurementIndex& estimated, Way& way) {
  const auto& device = *way.device;
  const auto& of = way.view->device;
  const bool ran = way.rates.product || way.rates.read;
  const bool was_late = !way.rates.late.empty() && (ran || device.kind == probe::DeviceKind::kCpu);
  const bool is_supposed = IsSupposed(*way.view);
  if (!was_late && !is_supposed) return;
  FillIn(estimated.Of(device.id, of.runtime, of.driver), way.rates);
  if (is_supposed) RaiseToMeasured(measured.Of(device.id), way.rates);
  way.estimated = way.measured();
}

// The product with a vector of a way on the same processor that does not measure one: such that it writes as
// far below the native way as it reads. nullopt where either is not known.
std::optional<Rate> StandIn(const Way& native, const Way& way) {
  if (!way.weights || !native.rates.gemv || !native.rates.read || !way.rates.read) return std::nullopt;
  const double of_reads = native.rates.gemv->per_s.value / native.rates.read->per_s.value;
  const double share = of_reads * WritingShare(native).value / WritingShare(way).value;
  return Rate{Product({way.rates.read->per_s, Exactly(share)}), way.rates.read->name};
}

// What engines make of a runtime on its own devices says nothing of the processor that stands in for one.
void FillInFromNative(std::span<Way> ways) {
  const Way* native = NativeOf(ways);
  if (!native) return;
  for (Way& way : ways) {
    if (!way.software) continue;
    way.factors = native->factors;
    way.weights = native->weights;
    if (!way.rates.gemv) way.rates.gemv = StandIn(*native, way);
  }
}

// The first of equal GPUs alone has the whole plan.
void FillInFromEquals(std::span<Way> ways) {
  for (Way& way : ways) {
    if (!way.measured() || way.rates.prompt_fp32 || !way.rates.failures.empty()) continue;
    const auto whole = std::find_if(ways.begin(), ways.end(), [&, &of = way.view->device](const Way& other) {
      return other.device != way.device && other.view->device.runtime == of.runtime && other.measured() &&
             other.view->device.driver == of.driver && other.rates.prompt_fp32 &&
             AreEqualGpus(*other.device, *way.device);
    });
    if (whole != ways.end()) FillInFromEqual(whole->rates, way.rates);
  }
}

}  // namespace

const Way* NativeOf(std::span<const Way> ways) {
  const Way* native = nullptr;
  for (const Way& way : ways) {
    if (way.device->kind == probe::DeviceKind::kCpu && !way.software && way.measured()) native = &way;
  }
  return native;
}

const TileFactors* TilesOf(const Way& way) {
  const auto& [fp32, tiles] = std::tie(way.rates.prompt_fp32, way.rates.tiles);
  const bool used = way.weights && way.weights->tiles && tiles && fp32;
  return used && tiles->per_s.value > fp32->per_s.value ? &*way.weights->tiles : nullptr;
}

const Factor& WritingShare(const Way& way) {
  const auto* tiles = TilesOf(way);
  return tiles ? tiles->decode : way.weights->decode;
}

std::vector<Way> WaysOf(const Tables& tables, std::span<const probe::PhysicalDevice> devices,
                        std::span<const backends::Measurement> measurements,
                        std::span<const backends::Measurement> estimates) {
  const MeasurementIndex measured(measurements);
  const MeasurementIndex estimated(estimates);
  const auto host_bytes = HostBytes(devices);
  std::vector<Way> ways;
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const auto& device : devices) {
    for (const auto& view : device.views) {
      if (!known.emplace(device.id, view.device.runtime, view.device.driver).second) continue;
      Way way = MadeOf(tables, device, view, measured, host_bytes);
      const auto figures = measured.Of(device.id, view.device.runtime, view.device.driver);
      way.rates_unknown = std::any_of(figures.begin(), figures.end(),
                                      [](const auto* m) { return m->implementation == kStandIn; });
      FillInFromFacts(measured, estimated, way);
      ways.push_back(std::move(way));
    }
  }
  FillInFromNative(ways);
  FillInFromEquals(ways);
  StreamWhatDoesNotFit(ways);
  return ways;
}

}  // namespace report::score
