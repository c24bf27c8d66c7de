// SPDX-License-Identifier: MIT
// What a run waits for drivers to get ready: a child for each device and runtime has its driver initialised
// anew, which takes seconds where nothing keeps the driver loaded. What that costs is known by the first, and
// the others are measured as far as the run's bound for it goes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/core/report.h"
#include "report/core/run_request.h"
#include "report/run/calibrate.h"

namespace report {

// Of a run's opening of devices together, beyond what an opening may take without being counted: for those
// that repeat what is known of an equal or join several, by the usual effort, and for all others whatever the
// effort.
inline constexpr double kMostOpeningSeconds = 12.0;
inline constexpr double kMostFirstOpeningSeconds = 30.0;
inline constexpr double kUncountedOpeningSeconds = 0.5;

class Openings {
 public:
  // `probes`: how long it took to find the devices. A driver that was ready sooner then is not slow: what
  // opened late compiled its kernels for the first time.
  Openings(Effort effort, const std::vector<probe::ProbeReport>& probes);

  // A child of the target was so long about it, whatever came of it but a hang.
  void Note(const Target& target, double seconds);

  // Why the target is left out. Never the first of its runtime's driver. Of equals so many are measured that
  // what joins them, where that is planned in `rest`, can be, too.
  [[nodiscard]] std::optional<std::string> WhyNot(const Target& target, std::span<const Target> rest) const;

  // Whether all of these, of one kind, may be opened once more. What was never opened costs nothing.
  [[nodiscard]] bool MayOpenAgain(std::span<const Target> targets) const;

 private:
  struct Way {
    std::string runtime;
    std::string driver;
    double latest_s = 0;
  };
  // What opening the target takes by what is known; 0 where nothing is.
  [[nodiscard]] double Expected(const Target& target) const;
  // What a run may wait for all that is like the target, and what it waited for those so far.
  [[nodiscard]] double MostFor(const Target& target) const;
  [[nodiscard]] double SpentOn(const Target& target) const;

  double most_s_;
  double spent_s_ = 0;
  double spent_on_plans_s_ = 0;  // of that, for what repeats nothing and joins nobody
  std::vector<Way> ways_;
  std::vector<Way> found_;  // in which time its devices were, by runtime
};

}  // namespace report
