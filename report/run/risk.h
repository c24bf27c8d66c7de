// SPDX-License-Identifier: MIT
// What may have brought the machine or this tool down before: a marker stands while something risky runs and
// is removed on any outcome that was observed, so that one which survives tells.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "probe/core/module.h"
#include "probe/isolate/crash_marker.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/run/calibrate.h"

namespace report {

// What a marker of this module must outlive: a driver that finds no node of hardware below the /dev of
// `files` can bring down nothing but its own process.
[[nodiscard]] probe::isolate::Outlives MustOutlive(const probe::Module& module,
                                                   const probe::system::FileSystem& files);

// Asking all drivers of a module at once, or each in a child of its own.
enum class RiskyStep { kTogether, kByDriver };
// Whether other risky steps go on meanwhile.
enum class Company { kNone, kOthers };

class RiskLedger {
 public:
  // `files` and `environment` must outlive this. Without a usable cache directory nothing is remembered, and
  // warning() says so.
  RiskLedger(const probe::system::Environment& environment, const probe::system::FileSystem& files,
             bool retry_crashed);

  // A marker that stands until the returned object goes. OwnError::kLeftOut, its text a sentence,
  // where earlier tries of this step speak against another. OwnError::kOnlyAlone where an earlier try
  // did not end and this one would have company: beside other drivers nobody could tell whose fault a second
  // time was.
  [[nodiscard]] probe::Result<std::shared_ptr<void>> Permit(const probe::Module& module, RiskyStep step,
                                                            Company company) const;

  // The same of a target, of which one is measured at a time, in two steps.
  [[nodiscard]] std::optional<std::string> Refuse(const Target& target) const;
  [[nodiscard]] std::shared_ptr<void> Arm(const Target& target) const;

  // The files of these markers, for the reapers of the steps' processes; empty where there are none.
  [[nodiscard]] std::string MarkerOf(const probe::Module& module, RiskyStep step) const;
  [[nodiscard]] std::string MarkerOf(const Target& target) const;
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
