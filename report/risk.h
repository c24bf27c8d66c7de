// SPDX-License-Identifier: MIT
// What brought the machine or this tool down before: a marker stands while something risky runs and is
// removed on any outcome that was observed, so that one which survives tells.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/module.h"
#include "probe/isolate/crash_marker.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/calibrate.h"

namespace report {

class RiskLedger {
 public:
  // `files` and `environment` must outlive this. Without a usable cache directory nothing is remembered, and
  // warning() says so.
  RiskLedger(const probe::system::Environment& environment, const probe::system::FileSystem& files,
             bool retry_crashed);

  // A sentence when the last try of this never came to an end that anybody saw.
  [[nodiscard]] std::optional<std::string> Refuse(const probe::Module& module) const;
  [[nodiscard]] std::optional<std::string> Refuse(const Target& target) const;

  // Markers that stand until the returned object goes. Modules that load no vendor code get none.
  [[nodiscard]] std::shared_ptr<void> Arm(const std::vector<const probe::Module*>& modules) const;
  [[nodiscard]] std::shared_ptr<void> Arm(const Target& target) const;

  // Why nothing is remembered, or not everything; empty where all is well.
  [[nodiscard]] std::string warning() const;

 private:
  [[nodiscard]] const probe::isolate::CrashKey& KeyOf(const probe::Module& module) const;

  const probe::system::Environment& environment_;
  const probe::system::FileSystem& files_;
  [[nodiscard]] probe::isolate::CrashMarkers::Guard ArmOne(const probe::isolate::CrashKey& key,
                                                           const std::string& description) const;

  probe::isolate::CrashMarkers markers_;
  mutable bool write_failed_ = false;
  // Finding a module's manifests takes as long as starting a child: once a run is enough.
  mutable std::map<std::string_view, probe::isolate::CrashKey> keys_;
};

}  // namespace report
