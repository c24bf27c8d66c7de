// SPDX-License-Identifier: MIT
#include "report/run/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "backends/core/budget.h"
#include "backends/core/measurement_fields.h"
#include "backends/core/plan.h"
#include "backends/registry.h"
#include "probe/system/clock.h"
#include "report/core/devices.h"
#include "report/run/condition.h"
#include "report/run/exclusions.h"
#include "report/run/load.h"
#include "report/run/openings.h"
#include "report/run/out_of_memory.h"
#include "report/run/tasks.h"
#include "report/run/trials.h"

namespace report {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;
using probe::isolate::ChildEnd;

using backends::kUntimedSeconds;
// What a child that is started again has of that at least: until nothing more is tried, what compiles then,
// and its first launch.
constexpr double kLeastUntimedSeconds = backends::kUntimedForRight + 15;

double EffortFactor(Effort effort) {
  switch (effort) {
    case Effort::kQuick:
      return 1.0 / 3.0;
    case Effort::kNormal:
      return 1.0;
    case Effort::kThorough:
      return 5.0;
  }
  return 1.0;
}

bool HasBackend(const std::string& runtime) {
  const auto all = backends::Backends();
  return std::any_of(all.begin(), all.end(), [&](const auto& backend) { return backend.runtime == runtime; });
}

bool IsSoftware(const probe::View& view) { return view.device.kind == probe::DeviceKind::kSoftware; }

bool IsVirtualMachine(const probe::PhysicalDevice& device) {
  const auto is_flag = [](const probe::Fact& fact) { return fact.key == "virtual_machine"; };
  return device.hardware &&
         std::any_of(device.hardware->facts.begin(), device.hardware->facts.end(), is_flag);
}

// How much a figure of it would suffer from others, by what was told when it was found: whether they compute
// on it or hold its memory, and how much of that is free. The least first; without a word nobody uses it.
auto DisturbanceOf(const probe::PhysicalDevice& device) {
  const auto free = device.memory.free_bytes;
  const bool disturbed = IsSeenInUse(device) || IsMostlyHeld(device);
  return std::tuple(disturbed, disturbed && free ? -static_cast<double>(*free) : 0.0);
}

// Of a device and its equals the one that has the whole plan.
const probe::PhysicalDevice& WholeOf(const std::vector<probe::PhysicalDevice>& devices,
                                     const probe::PhysicalDevice& device) {
  const probe::PhysicalDevice* best = nullptr;
  for (const auto& other : devices) {
    if (&other != &device && !AreEqualGpus(other, device)) continue;
    if (best == nullptr || DisturbanceOf(other) < DisturbanceOf(*best)) best = &other;
  }
  return *best;
}

// In their order, but that one before its equals, for these to have its plan should it be dead.
std::vector<const probe::PhysicalDevice*> InOrderOfPlan(const std::vector<probe::PhysicalDevice>& devices) {
  std::vector<const probe::PhysicalDevice*> ordered;
  for (const auto& device : devices) {
    for (const auto* next : {&WholeOf(devices, device), &device}) {
      if (std::find(ordered.begin(), ordered.end(), next) == ordered.end()) ordered.push_back(next);
    }
  }
  return ordered;
}

// Over all its runtimes together. `brief`: an equal device has been measured.
double BudgetSeconds(const std::vector<probe::PhysicalDevice>& devices, const probe::PhysicalDevice& device,
                     bool brief) {
  if (device.kind == probe::DeviceKind::kCpu) return kCpuBudgetSeconds;
  const bool partition = PartitionOf(device).has_value();
  if (brief) return partition ? kEqualPartitionBudgetSeconds : kEqualGpuBudgetSeconds;
  if (!partition || !device.parent_id) return kGpuBudgetSeconds;
  const auto equal = std::count_if(devices.begin(), devices.end(), [&](const auto& other) {
    return &other != &device && other.parent_id == device.parent_id && AreEqualGpus(other, device);
  });
  return std::max(kGpuBudgetSeconds - static_cast<double>(equal) * kEqualPartitionBudgetSeconds,
                  kGpuBudgetSeconds / 2);
}

// `budget_s` is shared by its native ways, evenly where `brief`.
std::vector<Target> TargetsOf(const probe::PhysicalDevice& device, bool brief, double budget_s) {
  using backends::Scope;
  std::vector<Target> targets;
  const probe::Fact* utilization = UtilizationOf(device);
  for (const bool software : {false, true}) {
    for (std::size_t i = 0; i < device.views.size(); ++i) {
      const probe::View& view = device.views[i];
      if (IsSoftware(view) != software || !HasBackend(view.device.runtime)) continue;
      const Scope scope = brief ? Scope::kBrief : targets.empty() ? Scope::kWhole : Scope::kRepeat;
      targets.push_back({device.id, view.device, software ? kSoftwareBudgetSeconds : 0, scope});
      targets.back().view = i;
      targets.back().in_virtual_machine = backends::OnHost(view.device) && IsVirtualMachine(device);
      if (!software && utilization != nullptr) targets.back().utilization = *utilization;
    }
  }
  const auto is_native = [](const Target& target) { return target.budget_s == 0; };
  const auto natives = static_cast<double>(std::count_if(targets.begin(), targets.end(), is_native));
  for (Target& target : targets) {
    if (!is_native(target)) continue;
    const double weight = target.scope == Scope::kWhole ? 2.0 : 1.0;
    target.budget_s = brief ? budget_s / natives : budget_s * weight / (natives + 1);
  }
  return targets;
}

void LeaveTimeForGpus(std::vector<Target>& targets) {
  const auto is_of_gpu = [](const Target& target) { return !backends::OnHost(target.device); };
  if (std::none_of(targets.begin(), targets.end(), is_of_gpu)) return;
  for (Target& target : targets) {
    if (target.device.kind == probe::DeviceKind::kCpu)
      target.budget_s *= kCpuBesideGpuSeconds / kCpuBudgetSeconds;
    if (target.device.kind == probe::DeviceKind::kSoftware)
      target.budget_s *= kSoftwareBesideGpuSeconds / kSoftwareBudgetSeconds;
  }
}

// Of every runtime that can join devices and reaches several GPUs, one task of them all. Partitions are not
// joined.
std::vector<Target> PeerTargets(const std::vector<probe::PhysicalDevice>& devices) {
  constexpr std::size_t kMostPeers = 16;
  std::vector<Target> targets;
  for (const auto& backend : backends::Backends()) {
    if (backend.open_peers == nullptr) continue;
    Target target;
    for (const auto& device : devices) {
      if (!IsGpu(device) || target.peers.size() == kMostPeers) continue;
      const auto view = std::find_if(device.views.begin(), device.views.end(), [&](const probe::View& known) {
        return known.device.runtime == backend.runtime && !known.device.identity.partition &&
               !IsSoftware(known);
      });
      if (view != device.views.end()) target.peers.push_back({device.id, view->device});
    }
    if (target.peers.size() < 2) continue;
    target.device_id = target.peers.front().device_id;
    target.device = target.peers.front().device;
    targets.push_back(std::move(target));
  }
  return targets;
}

void AddPeerTargets(const std::vector<probe::PhysicalDevice>& devices, std::vector<Target>& targets) {
  auto peers = PeerTargets(devices);
  if (peers.empty()) return;
  double total_s = 0;
  for (Target& target : targets) {
    total_s += target.budget_s;
    target.budget_s *= 1 - kPeerBudgetShare;
  }
  for (Target& target : peers) {
    target.budget_s = total_s * kPeerBudgetShare / static_cast<double>(peers.size());
    targets.push_back(std::move(target));
  }
}

probe::isolate::ChildResult RunChild(const Target& target, const backends::MeasureRequest& request,
                                     probe::Json encoded, double deadline_s,
                                     probe::isolate::Supervisor& supervisor, const CalibrationHooks& hooks) {
  probe::isolate::ChildRequest child;
  child.task = kMeasureTask;
  child.environment = hooks.child_environment.fixed;
  child.scratch_variables = hooks.child_environment.scratch;
  child.request = std::move(encoded);
  child.deadline_s = deadline_s;
  child.most_allowed_s = [&request](const probe::Json& record) { return MostAllowed(request, record); };
  if (hooks.marker) child.marker = hooks.marker(target);
  std::optional<OomWatch> memory;
  if (hooks.files != nullptr) memory.emplace(*hooks.files);
  const auto armed = hooks.arm ? hooks.arm(target) : nullptr;
  std::optional<probe::system::SteadyTime> begun;
  std::optional<double> opening_s;  // from its first record, by which it opens the device, to the next
  auto results = supervisor.RunAll({&child, 1}, [&](std::size_t, const probe::Json& record) {
    if (begun && !opening_s) opening_s = probe::system::SecondsSince(*begun);
    if (!begun) begun = probe::system::Now();
    const auto event = backends::DecodeEvent(record);
    if (!event || !hooks.on_progress) return;
    if (const auto* stage = std::get_if<backends::MeasureStage>(&*event)) hooks.on_progress(target, stage);
  });
  if (memory) memory->Mark(results);
  // One that hung there was waited for, but says nothing of the others: HungEquals knows those.
  const bool hung = results.front().end == ChildEnd::kTimedOut;
  if (begun && !opening_s && !hung) opening_s = probe::system::SecondsSince(*begun);
  if (hooks.openings != nullptr && opening_s) hooks.openings->Note(target, *opening_s);
  return std::move(results.front());
}

Measurement Unopened(const Target& target, std::string reason) {
  auto measurement = StandIn(target, MeasurementStatus::kOverBudget, std::move(reason));
  measurement.stage = std::string(probe::NameOf(probe::Stage::kInit));
  return measurement;
}

// Leaves those out of a task of several devices that may end it, or for whose sake it would be small, and
// says so of each.
void LeaveOutEnded(Target& target, std::vector<Measurement>& known) {
  std::vector<backends::PeerDevice> alive;
  for (const auto& peer : target.peers) {
    const Condition condition = ConditionOf(known, peer.device_id, peer.device);
    if (condition == Condition::kWhole) {
      alive.push_back(peer);
      continue;
    }
    Target left_out = target;
    left_out.device_id = peer.device_id;
    left_out.device = peer.device;
    std::string reason = "left out of what is between the devices: ";
    reason += WhyLeftOut(condition);
    known.push_back(StandIn(left_out, MeasurementStatus::kSkipped, std::move(reason)));
  }
  target.peers = std::move(alive);
  if (target.peers.empty()) return;
  target.device_id = target.peers.front().device_id;
  target.device = target.peers.front().device;
}

backends::MeasureRequest RequestFor(const Target& target, const std::optional<probe::Processor>& processor) {
  backends::MeasureRequest request;
  request.device_id = target.device_id;
  request.device = target.device;
  request.processor = processor;
  request.budget_s = target.budget_s;
  request.scope = target.scope;
  request.figures = target.figures;
  request.peers = target.peers;
  return request;
}

struct Measured {
  std::vector<Measurement> figures;
  double spent_s = 0;
  bool interrupted = false;
};

// By one child, and by those that follow it where a kernel ended it.
Measured MeasureOne(const Target& target, const std::optional<probe::Processor>& processor,
                    probe::isolate::Supervisor& supervisor, const CalibrationHooks& hooks) {
  backends::MeasureRequest request = RequestFor(target, processor);
  Measured done;
  std::optional<LoadMeter> meter;
  if (hooks.files != nullptr && backends::OnHost(target.device))
    meter.emplace(*hooks.files, processor ? processor->quota_cores : std::nullopt);
  Restarts restarts;
  for (bool again = true; again && !done.interrupted;) {
    // All of its children share the time beyond the budget.
    const double deadline_s =
        std::max(target.budget_s + kUntimedSeconds - done.spent_s, request.budget_s + kLeastUntimedSeconds);
    const double first_budget_s = done.spent_s > 0 ? target.budget_s : 0;
    auto encoded = EncodeMeasureRequest(request, restarts.exclusions(), deadline_s, first_budget_s);
    auto result = RunChild(target, request, std::move(encoded), deadline_s, supervisor, hooks);
    done.interrupted = result.end == ChildEnd::kInterrupted;
    done.spent_s += result.elapsed_s;
    SettleTrials(result);
    again = restarts.After(result, deadline_s);
    Supersede(done.figures, Collect(target, result, deadline_s));
    if (again && hooks.openings != nullptr && !hooks.openings->MayOpenAgain({&target, 1})) {
      done.figures.push_back(
          StandIn(target, MeasurementStatus::kOverBudget,
                  "left out: no process follows on the one that ended, as the driver takes "
                  "long to get ready in each"));
      break;
    }
    request.budget_s = RestartBudgetSeconds(target, done.spent_s, done.figures);
  }
  if (meter) MarkDisturbed(done.figures, meter->ForeignShare());
  return done;
}

}  // namespace

double RestartBudgetSeconds(const Target& target, double spent_s, const std::vector<Measurement>& known) {
  const bool has_figures = std::any_of(known.begin(), known.end(), [](const Measurement& m) {
    return IsVerified(m) && HasImplementations(m.kernel);
  });
  const double least_s =
      std::max(kLeastRestartShare * target.budget_s, has_figures ? 0 : kLeastFirstFiguresSeconds);
  return std::max(target.budget_s - spent_s, std::min(least_s, target.budget_s));
}

void HandOver(const Target& dead, double spent_s, std::span<Target> rest) {
  Target* heir = nullptr;
  for (Target& target : rest) {
    if (target.equal_to != dead.device_id || target.device.runtime != dead.device.runtime ||
        target.device.driver != dead.device.driver)
      continue;
    if (heir != nullptr) {
      target.equal_to = heir->device_id;
      continue;
    }
    heir = &target;
    heir->scope = dead.scope;
    heir->budget_s += std::max(dead.budget_s - spent_s, 0.0);
    heir->equal_to.reset();
  }
}

std::vector<Target> PlanTargets(const std::vector<probe::PhysicalDevice>& devices,
                                const RunRequest& request) {
  std::vector<Target> targets;
  const double factor = EffortFactor(request.effort);
  for (const auto* device : InOrderOfPlan(devices)) {
    const auto& whole = WholeOf(devices, *device);
    const bool brief = &whole != device;
    for (Target& target : TargetsOf(*device, brief, BudgetSeconds(devices, *device, brief))) {
      if (request.only_candidates && IsSoftware(*device, device->views[target.view])) continue;
      target.budget_s *= factor;
      if (brief) target.equal_to = whole.id;
      targets.push_back(std::move(target));
    }
  }
  LeaveTimeForGpus(targets);
  if (!request.only_candidates) AddPeerTargets(devices, targets);
  if (request.budget_s) {
    double total = 0;
    for (const Target& target : targets) total += target.budget_s;
    for (Target& target : targets) target.budget_s *= *request.budget_s / total;
  }
  return targets;
}

double BudgetLeft(const Target& target, std::span<const Target> rest, double whole_s, double spent_s) {
  // An equal's second has no room to give.
  if (target.scope == backends::Scope::kBrief) return target.budget_s;
  double planned_s = target.budget_s;
  for (const Target& other : rest) planned_s += other.budget_s;
  if (planned_s <= 0) return target.budget_s;
  const double share = (kMostOfPlan * whole_s - spent_s) / (kMostOfPlan * planned_s);
  return target.budget_s * std::clamp(share, kLeastOfOwn, 1.0);
}

Calibration Calibrate(const std::vector<Target>& targets, const std::optional<probe::Processor>& processor,
                      probe::isolate::Supervisor& supervisor, const CalibrationHooks& hooks) {
  Calibration done;
  std::vector<Target> planned = targets;
  double whole_s = 0, taken_s = 0;
  for (const Target& target : targets) whole_s += target.budget_s;
  HungEquals hung(targets);
  for (std::size_t i = 0; i < planned.size(); ++i) {
    Target& target = planned[i];
    const auto rest = std::span(planned).subspan(i + 1);
    if (hooks.is_needless && hooks.is_needless(target, done.measurements)) {
      done.needless.push_back({target.device_id, target.device.runtime, target.device.driver});
      done.spent_s += target.budget_s;  // nobody is to have it: it is the time that the caller saves
      continue;
    }
    const bool is_of_several = !target.peers.empty();
    if (is_of_several) LeaveOutEnded(target, done.measurements);
    if (is_of_several && target.peers.size() < 2) continue;
    const auto late = hooks.openings != nullptr ? hooks.openings->WhyNot(target, rest) : std::nullopt;
    auto reason = is_of_several ? std::nullopt : hung.WhyNot(i);
    if (!reason && !late && hooks.refuse) reason = hooks.refuse(target);
    if (reason || late) {
      done.measurements.push_back(reason ? StandIn(target, MeasurementStatus::kSkipped, *reason)
                                         : Unopened(target, *late));
      HandOver(target, 0, rest);
      continue;
    }
    const auto turn = hooks.wait ? hooks.wait(target) : Turn{};
    if (hooks.on_progress) hooks.on_progress(target, nullptr);
    target.budget_s = BudgetLeft(target, rest, whole_s, taken_s);
    auto measured = MeasureOne(target, processor, supervisor, hooks);
    taken_s += measured.spent_s;
    if (turn.beside) MarkMeasuredBeside(measured.figures);
    if (target.in_virtual_machine) MarkSharedMemory(measured.figures);
    done.measurements.insert(done.measurements.end(), measured.figures.begin(), measured.figures.end());
    done.spent_s += std::min(measured.spent_s, target.budget_s);
    if (measured.interrupted) break;
    if (is_of_several) continue;
    const Condition condition = ConditionOf(measured.figures, target.device_id, target.device);
    if (condition == Condition::kDead) hung.Note(i, measured.figures);
    // Of two equals that are wrong the second costs no more than its own time: then it is no one card's
    // fault.
    if (condition == Condition::kWrong) HandOver(target, targets[i].equal_to ? measured.spent_s : 0, rest);
    if (condition == Condition::kDead || condition == Condition::kFull)
      HandOver(target, measured.spent_s, rest);
  }
  return done;
}

}  // namespace report
