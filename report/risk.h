// SPDX-License-Identifier: MIT
// What brought the machine or this tool down before: a marker stands while something risky runs and is
// removed on any outcome that was observed, so that one which survives tells.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "probe/core/module.h"
#include "probe/isolate/crash_marker.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/calibrate.h"

namespace report {

// What a marker of this module must outlive: a driver that finds no node of hardware below the /dev of
// `files` can bring down nothing but its own process.
[[nodiscard]] probe::isolate::Outlives MustOutlive(const probe::Module& module,
                                                   const probe::system::FileSystem& files);

class RiskLedger {
 public:
  // `files` and `environment` must outlive this. Without a usable cache directory nothing is remembered, and
  // warning() says so.
  RiskLedger(const probe::system::Environment& environment, const probe::system::FileSystem& files,
             bool retry_crashed);

  // A marker that stands until the returned object goes; an error, its text a sentence, when the last try of
  // this module never came to an end that anybody saw.
  [[nodiscard]] probe::Result<std::shared_ptr<void>> Permit(const probe::Module& module) const;

  // The same in two steps.
  [[nodiscard]] std::optional<std::string> Refuse(const Target& target) const;
  [[nodiscard]] std::shared_ptr<void> Arm(const Target& target) const;

  // Why nothing is remembered, or not everything; empty where all is well.
  [[nodiscard]] std::string warning() const;

 private:
  const probe::system::Environment& environment_;
  const probe::system::FileSystem& files_;
  [[nodiscard]] std::shared_ptr<void> ArmOne(const probe::isolate::CrashKey& key,
                                             const std::string& description,
                                             probe::isolate::Outlives outlives) const;

  probe::isolate::CrashMarkers markers_;
  mutable bool write_failed_ = false;
};

}  // namespace report
