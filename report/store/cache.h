// SPDX-License-Identifier: MIT
// Measurements of earlier runs, below the cache directory: one file a key, of this user alone, written whole
// or not at all, safe for any number of runs at once. Whatever is wrong with one, it is measured again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/isolate/interrupt.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/core/run_request.h"
#include "report/store/record.h"

namespace report {

struct CacheLookup {
  std::optional<Record> record;
  std::string note;  // why what is there was not used; empty where nothing is there
};

class MeasurementCache {
 public:
  // Without a usable cache directory nothing is found or kept; RiskLedger's warning says why there is none.
  MeasurementCache(const probe::system::Environment& environment, const probe::system::FileSystem& files);

  // What a run with this key measured at least as thoroughly. Where most of it is noisy, for ten minutes
  // only.
  [[nodiscard]] CacheLookup Find(const std::string& key, Effort least) const;

  // Replaces what is kept for the key, but never what a longer run measured, unless that was mostly noisy,
  // and mostly noisy figures only their like; the oldest of too many go. Returns why it could not, or "".
  [[nodiscard]] std::string Keep(const std::string& key, Effort effort, const Record& record) const;

 private:
  std::string directory_;  // empty: none
};

}  // namespace report
