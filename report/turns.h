// SPDX-License-Identifier: MIT
// Runs of one user take turns: what two of them measure at once on one device is wrong in both.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "probe/isolate/supervisor.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace report {

// The lock of a file that only this user can have made, held until the returned object goes or the process
// ends. nullptr where there can be no such file, after `limit_s`, or once `stop` says so.
[[nodiscard]] std::shared_ptr<void> TakeLock(const std::string& path, double limit_s,
                                             const std::function<bool()>& stop);

class Turns {
 public:
  // After this long a run goes on beside the other: late and disturbed is better than never.
  static constexpr double kLongestSeconds = 60;

  // Locks lie in the cache directory. Without a usable one nobody waits for anybody. A signal ends a wait.
  Turns(const probe::system::Environment& environment, const probe::system::FileSystem& files,
        probe::isolate::Interrupt interrupt, double longest_s = kLongestSeconds);

  // Each is held until the returned object goes; nullptr: go on without. Of the runs that would measure to
  // answer the same one does, and the others find its answer afterwards.
  [[nodiscard]] std::shared_ptr<void> ToAnswer() const;
  // One run at a time measures a device, through whichever runtime. `waits` is called where another one does.
  [[nodiscard]] std::shared_ptr<void> ToMeasure(const std::string& device_id,
                                                const std::function<void()>& waits) const;

 private:
  [[nodiscard]] std::shared_ptr<void> Take(const std::string& name, const std::function<void()>& waits) const;

  std::string directory_;  // empty: none
  probe::isolate::Interrupt interrupt_;
  double longest_s_;
};

}  // namespace report
