// SPDX-License-Identifier: MIT
#include "report/core/devices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "probe/core/load.h"
#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"

namespace report {
namespace {

using probe::DeviceKind;

// Of operands, those of the products that tell how fast a prompt is read.
constexpr std::array kScoredTypes = {kernels::Dtype::kFp32, kernels::Dtype::kFp16, kernels::Dtype::kBf16};

bool IsGpuKind(DeviceKind kind) { return kind == DeviceKind::kDiscrete || kind == DeviceKind::kIntegrated; }

// Of a display device of which nothing else is known.
bool ItsMakerBuildsGpus(const probe::PhysicalDevice& device) {
  const auto vendor = device.hardware ? VendorOf(device) : std::nullopt;
  const auto* names = vendor ? probe::FindVendorNames(*vendor) : nullptr;
  return names != nullptr && names->makes_gpus &&
         !probe::Lists(names->display_drivers, device.hardware->kernel_driver.value_or(""));
}

// Of partitions some runtimes name which one it is behind the card's name.
std::string_view ModelName(const probe::PhysicalDevice& device) {
  std::string_view name = device.name;
  const auto partition = PartitionOf(device);
  if (partition && name.ends_with(" " + *partition)) name.remove_suffix(partition->size() + 1);
  return name;
}

bool AreEqualWays(const probe::View& a, const probe::View& b) {
  const auto& x = a.device;
  const auto& y = b.device;
  return x.runtime == y.runtime && x.driver == y.driver && x.driver_version == y.driver_version &&
         x.architecture == y.architecture && x.compute_units == y.compute_units;
}

}  // namespace

bool IsGpu(const probe::PhysicalDevice& device) {
  if (device.kind != DeviceKind::kUnknown) return IsGpuKind(device.kind);
  // Newer than the tables, and no runtime shows it.
  if (std::all_of(device.views.begin(), device.views.end(), IsSupposed) && ItsMakerBuildsGpus(device))
    return true;
  return std::any_of(device.views.begin(), device.views.end(),
                     [](const probe::View& view) { return IsGpuKind(view.device.kind); });
}

std::string WhyNotLooked(const Report& report) {
  using probe::Outcome;
  if (report.probes.empty()) return "";
  const auto bus = std::find_if(report.probes.begin(), report.probes.end(),
                                [](const auto& probe) { return probe.module == kBusModule; });
  if (bus == report.probes.end()) return "sysfs, which lists them, was not asked";
  const auto unseen = SubjectsOf(report.warnings, WarningKind::kNotMounted);
  if (std::find(unseen.begin(), unseen.end(), "/sys") != unseen.end()) return "/sys is not mounted";
  if (bus->error && bus->error->Is(probe::OwnError::kNoSysfs)) return "its /sys is empty";
  const bool answered = bus->outcome == Outcome::kOk || bus->outcome == Outcome::kNoDevice;
  return answered ? "" : "sysfs, which lists them, did not answer";
}

bool IsSoftware(const probe::PhysicalDevice& device, const probe::View& view) {
  return view.device.kind == DeviceKind::kSoftware || view.matched_by == "software" ||
         (device.kind == DeviceKind::kCpu && view.device.kind != DeviceKind::kCpu);
}

std::string DriverText(const probe::View& view) {
  if (view.matched_by == kUnseen) return "not looked for: this version can not";
  if (view.matched_by == kBrought) return "not loaded: the program brings its own";
  if (view.matched_by == kOwnRuntime) return "not measured: the program brings its own";
  if (view.matched_by == kOwnCode) return "not measured: the program has code for it";
  const auto& version = view.device.driver_version;
  return view.device.driver + (version && !version->empty() ? " " + *version : "");
}

std::optional<std::string> PartitionOf(const probe::PhysicalDevice& device) {
  for (const probe::View& view : device.views) {
    if (view.device.identity.partition) return view.device.identity.partition;
  }
  return device.hardware ? device.hardware->identity.partition : std::nullopt;
}

bool AreEqualGpus(const probe::PhysicalDevice& a, const probe::PhysicalDevice& b) {
  if (!IsGpu(a) || a.kind != b.kind || a.vendor != b.vendor) return false;
  if (PartitionOf(a).has_value() != PartitionOf(b).has_value()) return false;
  const auto model = ModelName(a);
  return !model.empty() && model == ModelName(b) && a.memory.total_bytes == b.memory.total_bytes &&
         std::equal(a.views.begin(), a.views.end(), b.views.begin(), b.views.end(), AreEqualWays);
}

std::optional<std::uint32_t> VendorOf(const probe::PhysicalDevice& device) {
  if (device.hardware && device.hardware->identity.ids) return device.hardware->identity.ids->vendor;
  for (const probe::View& view : device.views) {
    if (view.device.identity.ids) return view.device.identity.ids->vendor;
  }
  return std::nullopt;
}

std::optional<double> AvailableBytes(const probe::PhysicalDevice& device) {
  const auto& memory = device.memory;
  const auto bytes = memory.usable_bytes ? memory.usable_bytes
                     : memory.free_bytes ? memory.free_bytes
                                         : memory.total_bytes;
  if (!bytes) return std::nullopt;
  return static_cast<double>(*bytes);
}

std::optional<double> AvailableBytes(const probe::PhysicalDevice& device, const probe::View& view) {
  const auto all = AvailableBytes(device);
  const auto& total = view.device.memory_total_bytes;
  const auto& free = view.device.memory_free_bytes;
  if (device.kind != DeviceKind::kIntegrated || !total || *total == 0) return all;
  const auto bytes = static_cast<double>(free && *free <= *total ? *free : *total);
  return all ? std::min(bytes, *all) : bytes;
}

std::optional<std::string> Terms::Excluded(const std::string& own,
                                           const std::optional<std::string>& other) const {
  const auto names = [&](const std::string& runtime) {
    return std::find(exclude.begin(), exclude.end(), runtime) != exclude.end();
  };
  if (names(own)) return own;
  return other && names(*other) ? other : std::nullopt;
}

bool IsLeft(const Tables& tables, const Terms& terms, const probe::PhysicalDevice& device,
            const probe::View& view) {
  const auto& among = terms.among;
  const auto& runtime = view.device.runtime;
  if ((!among.empty() && std::find(among.begin(), among.end(), runtime) == among.end()) ||
      terms.Excluded(runtime, StandsOnOf(tables, view)) || terms.excluded_ids.contains(device.id))
    return false;
  if (!terms.min_memory_bytes) return true;
  const auto bytes = AvailableBytes(device, view);
  return bytes && *bytes >= static_cast<double>(*terms.min_memory_bytes);
}

bool HasCarveOut(const probe::PhysicalDevice& device) {
  return device.kind == DeviceKind::kIntegrated && device.hardware && device.memory.total_bytes &&
         device.memory.gtt_bytes && device.hardware->vram_bytes == device.memory.total_bytes;
}

double OwnFreeBytes(const probe::PhysicalDevice& device) {
  if (!device.hardware || !device.hardware->vram_bytes) return 0;
  const std::uint64_t own = *device.hardware->vram_bytes;
  return static_cast<double>(std::min(own, device.hardware->memory_free_bytes.value_or(own)));
}

const probe::PhysicalDevice* FindDevice(std::span<const probe::PhysicalDevice> devices, std::string_view id) {
  // By id, the processor last.
  const auto place = std::partition_point(devices.begin(), devices.end(), [&](const auto& device) {
    return device.kind != DeviceKind::kCpu && device.id < id;
  });
  if (place != devices.end() && place->id == id) return &*place;
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](const auto& device) { return device.id == id; });
  return found == devices.end() ? nullptr : &*found;
}

const probe::Fact* UtilizationOf(const probe::PhysicalDevice& device) {
  const auto find = [](const std::vector<probe::Fact>& facts) {
    const auto fact = std::find_if(facts.begin(), facts.end(), [](const probe::Fact& known) {
      return known.key == probe::kUtilizationFact;
    });
    return fact == facts.end() ? nullptr : &*fact;
  };
  const probe::Fact* fact = device.hardware ? find(device.hardware->facts) : nullptr;
  for (const probe::View& view : device.views) {
    if (fact == nullptr) fact = find(view.device.facts);
  }
  return fact;
}

bool IsSeenInUse(const probe::PhysicalDevice& device) {
  const auto number_in = [](const std::string* fact) {
    unsigned number = 0;
    if (fact != nullptr) std::from_chars(fact->data(), fact->data() + fact->size(), number);
    return number;
  };
  const probe::Fact* utilization = UtilizationOf(device);
  return (utilization != nullptr && number_in(&utilization->value) >= probe::kBusyPercent) ||
         std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& view) {
           return number_in(probe::FindFact(view.device.facts, "processes")) > 0;
         });
}

const Score* FindScore(const Report& report, Use use, std::string_view device_id, std::string_view runtime,
                       std::string_view driver) {
  const auto found = std::find_if(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.use == use && score.device_id == device_id && score.runtime == runtime &&
           (driver.empty() || score.driver == driver);
  });
  return found == report.scores.end() ? nullptr : &*found;
}

const Score* ScoreOf(const Report& report, const Recommendation& answer) {
  return FindScore(report, answer.use, answer.device_id, answer.backend, answer.driver.value_or(""));
}

bool IsAbout(const Finding& finding, std::string_view device_id) {
  if (!finding.device_ids) return finding.device_id == device_id;
  return std::find(finding.device_ids->begin(), finding.device_ids->end(), device_id) !=
         finding.device_ids->end();
}

const probe::View* FindView(const probe::PhysicalDevice& device, std::string_view runtime,
                            std::string_view driver) {
  const auto found = std::find_if(device.views.begin(), device.views.end(), [&](const probe::View& view) {
    return view.device.runtime == runtime && view.device.driver == driver;
  });
  return found == device.views.end() ? nullptr : &*found;
}

std::vector<const backends::Measurement*> MeasurementsOf(std::span<const backends::Measurement> all,
                                                         std::string_view device_id, std::string_view runtime,
                                                         std::string_view driver) {
  std::vector<const backends::Measurement*> found;
  for (const auto& m : all) {
    if (m.device_id == device_id && m.runtime == runtime && m.driver == driver) found.push_back(&m);
  }
  return found;
}

MeasurementIndex::MeasurementIndex(std::span<const backends::Measurement> all) {
  for (const auto& m : all) by_way_[{m.device_id, m.runtime, m.driver}].push_back(&m);
}

std::vector<const backends::Measurement*> MeasurementIndex::Of(std::string_view device_id,
                                                               std::string_view runtime,
                                                               std::string_view driver) const {
  const auto found = by_way_.find({device_id, runtime, driver});
  return found == by_way_.end() ? std::vector<const backends::Measurement*>() : found->second;
}

std::vector<const backends::Measurement*> MeasurementIndex::Of(std::string_view device_id) const {
  std::vector<const backends::Measurement*> all;
  for (auto way = by_way_.lower_bound({device_id, "", ""});
       way != by_way_.end() && std::get<0>(way->first) == device_id; ++way)
    all.insert(all.end(), way->second.begin(), way->second.end());
  return all;
}

bool ScoresBy(const backends::Measurement& measurement, const Score& score) {
  using kernels::Kernel;
  if (measurement.kernel == Kernel::kGemv) return score.gemv == measurement.in_dtype;
  // Of a step of training hardly any time is memory's.
  const bool by_reads = !score.gemv && score.use != Use::kTraining;
  return measurement.kernel == Kernel::kGemm || (measurement.kernel == Kernel::kRead && by_reads);
}

std::vector<const backends::Measurement*> FiguresBehind(const Report& report, const Score& score, Side side) {
  Score way = score;
  if (side == Side::kRest) {
    if (!score.rest) return {};
    std::tie(way.device_id, way.runtime, way.driver, way.gemv) =
        std::tie(score.rest->device_id, score.rest->runtime, score.rest->driver, score.rest->gemv);
  }
  auto figures = MeasurementsOf(report.measurements, way.device_id, way.runtime, way.driver);
  std::erase_if(figures, [&](const auto* m) { return !IsVerified(*m) || !ScoresBy(*m, way); });
  return figures;
}

bool IsNoisy(const Report& report, const Score& score) {
  for (const Side side : {Side::kOwn, Side::kRest}) {
    const auto figures = FiguresBehind(report, score, side);
    if (std::any_of(figures.begin(), figures.end(),
                    [](const auto* m) { return m->quality == backends::Quality::kNoisy; }))
      return true;
  }
  return false;
}

bool IsRangeAlone(const Report& report, const Score& score) {
  constexpr double kWide = 10;
  const auto& speed = score.writing_tokens_per_s ? score.writing_tokens_per_s : score.tokens_per_s;
  const bool wide = score.basis == Basis::kEstimated && speed && speed->high > kWide * speed->low;
  return wide || IsNoisy(report, score);
}

bool IsOwn(const backends::Measurement& measurement) { return kernels::IsOwn(measurement.implementation); }

bool IsAllReduce(const backends::Measurement& measurement) {
  return measurement.kernel == kernels::Kernel::kPeer && !measurement.peer_id &&
         !measurement.implementation.empty();
}

bool HasImplementations(kernels::Kernel kernel) {
  using kernels::Kernel;
  switch (kernel) {
    case Kernel::kGemm:
    case Kernel::kChain:
    case Kernel::kGemv:
    case Kernel::kRead:
    case Kernel::kCopy:
    case Kernel::kTriad:
      return true;
    case Kernel::kHostToDevice:
    case Kernel::kDeviceToHost:
    case Kernel::kPeer:
    case Kernel::kLaunch:
    case Kernel::kFill:
      return false;
  }
  return false;
}

bool IsVerified(const backends::Measurement& measurement) {
  return measurement.status == backends::MeasurementStatus::kOk && measurement.verified && measurement.rate &&
         std::isfinite(*measurement.rate) && *measurement.rate > 0;
}

bool IsForWantOfMemory(const backends::Measurement& m) {
  return m.needed_bytes || m.lacked_memory.value_or(false);
}

bool IsTrouble(const backends::Measurement& m) {
  using backends::MeasurementStatus;
  switch (m.status) {
    case MeasurementStatus::kWrongResult:
    case MeasurementStatus::kImplausible:
    case MeasurementStatus::kFailed:
    case MeasurementStatus::kCrashed:
    case MeasurementStatus::kTimedOut:
      return true;
    case MeasurementStatus::kOk:
    case MeasurementStatus::kUnsupported:
    case MeasurementStatus::kOverBudget:
    case MeasurementStatus::kSkipped:
    case MeasurementStatus::kInterrupted:
      return false;
  }
  return true;
}

const backends::Measurement* PromptProductIn(kernels::Dtype dtype,
                                             std::span<const backends::Measurement* const> of_one_way) {
  const auto key = [](const backends::Measurement& m) {
    return std::pair(m.shape.m == kPromptRows, *m.rate);
  };
  const backends::Measurement* best = nullptr;
  for (const auto* m : of_one_way) {
    const bool wanted = m->kernel == kernels::Kernel::kGemm && m->in_dtype == dtype && IsVerified(*m);
    if (wanted && (best == nullptr || key(*m) > key(*best))) best = m;
  }
  return best;
}

bool IsScored(const backends::Measurement& m) {
  const bool is_type = std::find(kScoredTypes.begin(), kScoredTypes.end(), m.in_dtype) != kScoredTypes.end();
  return m.kernel == kernels::Kernel::kRead || (m.kernel == kernels::Kernel::kGemm && is_type);
}

const backends::Measurement* PromptProduct(std::span<const backends::Measurement* const> of_one_way) {
  const backends::Measurement* best = nullptr;
  for (const auto dtype : kScoredTypes) {
    const auto* m = PromptProductIn(dtype, of_one_way);
    if (m != nullptr && (best == nullptr || *m->rate > *best->rate)) best = m;
  }
  return best;
}

std::string FigureLabel(const backends::Measurement& measurement,
                        std::span<const backends::Measurement* const> of_one_way) {
  const bool prompt = measurement.kernel == kernels::Kernel::kGemm && measurement.shape.m == kPromptRows &&
                      measurement.shape.n != kPromptRows;
  const bool beaten = prompt && IsVerified(measurement) &&
                      std::any_of(of_one_way.begin(), of_one_way.end(), [&](const auto* other) {
                        return IsVerified(*other) && other->kernel == measurement.kernel &&
                               other->in_dtype == measurement.in_dtype && other->shape.m == other->shape.n &&
                               *other->rate > *measurement.rate;
                      });
  if (!beaten) return FigureName(measurement);
  return std::string(kernels::Row(measurement.in_dtype).name) + " prompt product";
}

std::set<std::string> ParentIds(std::span<const probe::PhysicalDevice> devices) {
  std::set<std::string> ids;
  for (const auto& device : devices) {
    if (device.parent_id) ids.insert(*device.parent_id);
  }
  return ids;
}

bool IsUsedByParts(const std::set<std::string>& parents, const probe::PhysicalDevice& device) {
  return device.views.empty() && parents.contains(device.id);
}

std::string RuntimeName(std::span<const probe::PhysicalDevice> devices, std::string_view device_id,
                        std::string_view runtime, std::string_view driver) {
  const auto* device = FindDevice(devices, device_id);
  const bool several =
      device && std::any_of(device->views.begin(), device->views.end(), [&](const auto& view) {
        return view.device.runtime == runtime && view.device.driver != driver;
      });
  std::string name(runtime);
  return several && !driver.empty() ? name.append(" (").append(driver).append(")") : name;
}

std::string DeviceName(std::span<const probe::PhysicalDevice> devices, const std::string& id) {
  const auto* device = FindDevice(devices, id);
  if (device == nullptr || device->name.empty()) return id;
  const bool alone = std::none_of(devices.begin(), devices.end(), [&](const probe::PhysicalDevice& other) {
    return &other != device && other.name == device->name;
  });
  return alone ? PlainName(device->name) : PlainName(device->name) + " (" + id + ")";
}

std::string NamesOf(std::span<const probe::PhysicalDevice> devices,
                    const std::vector<const probe::PhysicalDevice*>& some) {
  constexpr std::size_t kMost = 3;
  if (some.size() == 1) return DeviceName(devices, some.front()->id);
  std::vector<std::pair<std::string_view, std::size_t>> names;
  for (const auto* device : some) {
    const auto known =
        std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.first == device->name; });
    if (known == names.end())
      names.emplace_back(device->name, 1);
    else
      ++known->second;
  }
  std::string text;
  std::size_t left = some.size();
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    const auto& [name, count] = names[i];
    if (i > 0) text += ", ";
    if (count > 1) text += std::to_string(count) + " x ";
    text += PlainName(name);
    left -= count;
  }
  return left > 0 ? text + " and " + std::to_string(left) + " more" : text;
}

bool IsMostlyHeld(const probe::PhysicalDevice& device) {
  constexpr double kLeastFree = 0.5;  // of all; less is somebody's, even if nobody tells whose
  const auto free = device.memory.free_bytes;
  const auto all = device.memory.total_bytes;
  return free && all && static_cast<double>(*free) < kLeastFree * static_cast<double>(*all);
}

bool IsFull(const Report& report, const probe::PhysicalDevice& device, std::optional<Use> use) {
  if (!IsGpu(device) || device.kind == probe::DeviceKind::kIntegrated || !IsMostlyHeld(device)) return false;
  const auto free_bytes = static_cast<double>(*device.memory.free_bytes);
  const auto all_bytes = static_cast<double>(*device.memory.total_bytes);
  bool lacks_room = false;
  for (const Score& score : report.scores) {
    if (score.device_id != device.id || (use && score.use != *use)) continue;
    if (score.eligible && score.fits.value_or(true)) return false;
    const double needed = score.needed_bytes.value_or(0);
    lacks_room = lacks_room || (needed > free_bytes && needed <= all_bytes);
  }
  return lacks_room;
}

std::size_t CountEqualGpus(std::span<const probe::PhysicalDevice> devices,
                           const probe::PhysicalDevice& device) {
  if (!IsGpu(device)) return 0;
  return static_cast<std::size_t>(std::count_if(devices.begin(), devices.end(), [&](const auto& other) {
    return &other == &device || AreEqualGpus(other, device);
  }));
}

std::string WayName(std::span<const probe::PhysicalDevice> devices, std::string_view device_id,
                    std::string_view runtime, std::string_view driver) {
  return RuntimeName(devices, device_id, runtime, driver).append("@").append(device_id);
}

AtWork AtWorkOf(std::span<const backends::Measurement> measurements, std::string_view device_id) {
  AtWork at_work;
  for (const backends::Measurement& m : measurements) {
    if (m.device_id != device_id) continue;
    at_work.temperature_c = std::max(at_work.temperature_c, m.temperature_c);
    at_work.power_w = std::max(at_work.power_w, m.power_w);
    at_work.pcie = probe::Faster(at_work.pcie, m.pcie);
  }
  return at_work;
}

}  // namespace report
