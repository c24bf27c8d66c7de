// SPDX-License-Identifier: MIT
// Runs of one user take turns: what two of them measure at once on one device is wrong in both. But no run
// waits long for another, nor at all for one that somebody stopped.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probe/isolate/supervisor.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/process.h"

namespace report {

// A turn to do something, or leave to do it beside another run.
struct Turn {
  std::shared_ptr<void> held;
  bool beside = false;  // another run that goes on does it at this very time
  std::string warning;  // that and why it was not waited for, once for each such run; empty otherwise
};

class Turns {
 public:
  // For all turns of a run together: after that it goes on beside the others, for late and disturbed is
  // better than never. Longer than a usual run measures.
  static constexpr double kLongestSeconds = 10;

  // Locks lie in the cache directory. Without a usable one nobody waits for anybody. A signal ends a wait.
  Turns(const probe::system::Environment& environment, const probe::system::FileSystem& files,
        probe::isolate::Interrupt interrupt, double longest_s = kLongestSeconds);

  // Of the runs that would measure to answer the same one does, and the others find its answer afterwards.
  [[nodiscard]] Turn ToAnswer();
  // One run at a time measures a device, through whichever runtime. `waits` is called where another one does;
  // `name` is the device's in the warning.
  [[nodiscard]] Turn ToMeasure(const std::string& device_id, const std::string& name,
                               const std::function<void()>& waits);

 private:
  [[nodiscard]] Turn Take(const std::string& file, const std::string& doing,
                          const std::function<void()>& waits);

  std::string directory_;  // empty: none
  probe::isolate::Interrupt interrupt_;
  double longest_s_;
  double left_s_;
  std::vector<probe::system::ProcessId> told_;
};

}  // namespace report
