// SPDX-License-Identifier: MIT
// Measures every way to reach every device, one child at a time, within the budgets of docs/contract.md,
// section 3.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/core/measurement.h"
#include "backends/core/runner.h"
#include "probe/core/device.h"
#include "probe/isolate/supervisor.h"
#include "probe/system/cache_dir.h"
#include "probe/system/filesystem.h"
#include "report/core/record.h"
#include "report/core/report.h"
#include "report/core/run_request.h"
#include "report/core/tables.h"
#include "report/store/turns.h"

namespace report {

// Seconds of measuring: a GPU over all its runtimes together, the processor, and each software view of it.
// Beside a GPU that is measured the processor and its views have less, so that all of it takes ten.
inline constexpr double kGpuBudgetSeconds = 4.0;
inline constexpr double kCpuBudgetSeconds = 3.0;
inline constexpr double kSoftwareBudgetSeconds = 2.0;
inline constexpr double kCpuBesideGpuSeconds = 2.0;
inline constexpr double kSoftwareBesideGpuSeconds = 1.0;
// Of every GPU that is equal to one before it.
inline constexpr double kEqualGpuBudgetSeconds = 1.0;
// The same of a partition of a card. Equal ones of one card share the time of a GPU: the first has what the
// others leave, half of it at least.
inline constexpr double kEqualPartitionBudgetSeconds = 0.3;

// One way to reach one device, to be measured by one child.
struct Target {
  std::string device_id;
  probe::RuntimeDevice device;  // with its real identifiers
  double budget_s = 0;
  backends::Scope scope = backends::Scope::kWhole;
  std::vector<backends::Figure> figures{};  // not empty: these alone
  std::size_t view = 0;                     // which of the device's views it is
  // Not empty: a task of all these devices, `device` the first of them; what is between them is measured.
  std::vector<backends::PeerDevice> peers{};
  bool in_virtual_machine = false;  // it computes on a processor that is one of several guests'
  // By whichever source knows; goes behind what the runtime says itself.
  std::optional<probe::Fact> utilization{};
  std::optional<std::string>
      equal_to{};  // the device that has the whole plan of its equals, of which this is
};

// Of all measuring, for what is between several GPUs that one runtime reaches.
inline constexpr double kPeerBudgetShare = 0.1;

// In the order in which they are measured: each device's native views before its software views.
// Views without a backend are left out. The first of a device gets the whole plan and, of a GPU's budget,
// twice what the others get; those repeat what differs. Of equal GPUs one alone is measured so, before the
// others: the first that nobody was seen to use and that has half of its memory free at least, else the one
// with most of it. Last come, by runtime, the tasks of several GPUs.
[[nodiscard]] std::vector<Target> PlanTargets(const std::vector<probe::PhysicalDevice>& devices,
                                              const RunRequest& request);
// What measuring takes beyond its time, for compiling and readying, is that of all who follow where it is
// more than a part of the whole; each keeps a share of its own. The budget of a target, of whose time and
// that of those after it `spent_s` is gone.
inline constexpr double kMostOfPlan = 1.2;
inline constexpr double kLeastOfOwn = 0.4;
[[nodiscard]] double BudgetLeft(const Target& target, std::span<const Target> rest, double whole_s,
                                double spent_s);

class Openings;

struct CalibrationHooks {
  const probe::system::FileSystem* files = nullptr;  // the running system's, to see what disturbs; optional
  probe::system::ChildVariables child_environment;
  std::function<void(const Target&, const backends::MeasureStage*)> on_progress;
  // Waits until no other run measures the target's device; the returned turn is destroyed afterwards.
  std::function<Turn(const Target&)> wait;
  // Sentence on why a target must not be tried now, or nothing.
  std::function<std::optional<std::string>(const Target&)> refuse;
  // Whether what it could measure can change no answer, by what was measured before it.
  std::function<bool(const Target&, const std::vector<backends::Measurement>&)> is_needless;
  // Called around the risky part; the returned object is destroyed when the outcome was observed.
  std::function<std::shared_ptr<void>(const Target&)> arm;
  // What opening devices takes in this run; optional.
  Openings* openings = nullptr;
  // The file of what `arm` arms.
  std::function<std::string(const Target&)> marker;
};

struct Calibration {
  std::vector<backends::Measurement> measurements;
  double spent_s = 0;  // of the targets' budgets; what their children took beside measuring counts
  std::vector<WayKey> needless{};  // that were left unmeasured
};

// What a product and a read need, where no child of the target has measured anything yet.
inline constexpr double kLeastFirstFiguresSeconds = 0.5;

// The budget of the child that follows those which took `spent_s` and left these figures: what is left, a
// share of the target's at least, and as far as it goes what the first figures need.
[[nodiscard]] double RestartBudgetSeconds(const Target& target, double spent_s,
                                          const std::vector<backends::Measurement>& known);

// The plan of a device that nothing is to be learnt of, and of its time what `spent_s` leaves, go to the
// first of its equals in `rest`, which are yet to be measured.
void HandOver(const Target& dead, double spent_s, std::span<Target> rest);

// Where the device that has the whole plan of its equals can not be measured by a runtime, or has no memory
// left for it, the next of them has its plan and what is left of its time. Those, and devices that ended
// meanwhile, are left out of what is between several, and named. Stops early, without the remaining targets,
// when the supervisor was interrupted.
[[nodiscard]] Calibration Calibrate(const std::vector<Target>& targets,
                                    const std::optional<probe::Processor>& processor,
                                    probe::isolate::Supervisor& supervisor, const CalibrationHooks& hooks);

// What a measuring child streamed, held against what it was asked: a driver shares its process, and nothing
// that it could have made up may reach a neighbour's figures, count twice or buy it time.

// Without a figure, for a target that none could be measured of.
[[nodiscard]] backends::Measurement StandIn(const Target& target, backends::MeasurementStatus status,
                                            std::string reason);

// The measurements that a child of this target may have made, each figure once, the first of it. One that
// stands for the child follows where it did not end well, failed, or sent what it can not have measured:
// another device, runtime or driver, a copy between devices that it was not given, a kernel twice at one
// shape, a unit that is not the kernel's, a rate that is none. At `deadline_s` all that it had to do was too
// much, and no single step of it.
[[nodiscard]] std::vector<backends::Measurement> Collect(
    const Target& target, const probe::isolate::ChildResult& result,
    double deadline_s = std::numeric_limits<double>::infinity());

// Adds what another child measured of the same target later. Of an implementation in one pair of types its
// word counts, unless it has no figure where the earlier child had one; figures at other shapes stay, unless
// it is wrong.
void Supersede(std::vector<backends::Measurement>& known, const std::vector<backends::Measurement>& later);

// The most seconds that a child's stage may be allowed, whatever it asks for: what its kind of step is ever
// granted. 0 for what is no stage.
[[nodiscard]] double MostAllowed(const backends::MeasureRequest& request, const probe::Json& record);

// Where the first look at a machine leaves open which of two ways is faster, because their intervals are
// wide, those two are measured again: only what decides between them, in what is left of the time.

// Of the time of the ways that may compete for an answer.
inline constexpr double kSecondLookShare = 0.1;
// For one figure, half of it to ready its kernel: ten batches of the other half. With less it is not worth
// it.
inline constexpr double kLeastSecondLookSeconds = 0.12;

// Takes that share from the targets that may compete, where there are several and it is enough for one figure
// of two, and returns the seconds.
[[nodiscard]] double KeepForSecondLook(std::vector<Target>& targets);

// What to measure within `left_s`: of the first use whose order the report leaves open and for which that is
// enough time, the two ways in question, each with the figures that its score rests on. `planned`: the first
// look's targets, of the same devices. Nothing where everything is decided or the time is too short.
[[nodiscard]] std::vector<Target> PlanSecondLook(const Tables& tables, const Report& report,
                                                 const std::vector<Target>& planned, double left_s);

// Of two figures of one implementation (of a product at one shape) that was not disturbed and has an interval
// the one with the narrower interval stays. Where the intervals do not meet the rate has changed in between:
// what stays then has an interval that holds both. A wrong result refutes the figures of its kernel; whatever
// else failed the second time changes nothing.
void MergeSecondLook(const std::vector<backends::Measurement>& second,
                     std::vector<backends::Measurement>& first);

// Equal devices that one after another hang alike: each is waited for as long as the first.
class HungEquals {
 public:
  // What is planned tells which devices are equal: HandOver changes that later.
  explicit HungEquals(std::span<const Target> planned);

  // What came of the target of that number, of which nothing was measured.
  void Note(std::size_t target, const std::vector<backends::Measurement>& figures);
  // Why it is left out: two of its equals hung by its runtime at one stage, before anything was measured.
  [[nodiscard]] std::optional<std::string> WhyNot(std::size_t target) const;

 private:
  // One way of one device.
  struct Way {
    std::string device_id;
    std::string first_id;  // of the first of its equals
    std::string runtime;
    std::string driver;
    std::string stage{};  // at which it hung; empty where it did not
  };
  [[nodiscard]] static bool AreAlike(const Way& a, const Way& b);
  std::vector<Way> ways_;
};

}  // namespace report
