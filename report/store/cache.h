// SPDX-License-Identifier: MIT
// Measurements of earlier runs, below the cache directory: one file a key, of this user alone, written whole
// or not at all, safe for any number of runs at once. Whatever is wrong with one, it is measured again.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/core/module.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/core/run_request.h"
#include "report/store/record.h"

namespace report {

struct CacheLookup {
  std::optional<Record> record;
  std::string note;       // why what is there was not used; empty where nothing is there
  bool is_whole = false;  // whether every way was measured, not only what an answer needs
};

class MeasurementCache {
 public:
  // Without a usable cache directory nothing is found or kept; RiskLedger's warning says why there is none.
  MeasurementCache(const probe::system::Environment& environment, const probe::system::FileSystem& files);

  // What a run with this key measured at least as thoroughly. Where most of it is noisy, for ten minutes
  // only.
  [[nodiscard]] CacheLookup Find(const std::string& key, Effort least) const;

  // Replaces what is kept for the key, but never what a longer run measured, nor a whole record by one that
  // left ways unmeasured, unless that was mostly noisy, and mostly noisy figures only their like; the oldest
  // of too many go. Returns why it could not, or "".
  [[nodiscard]] std::string Keep(const std::string& key, Effort effort, const Record& record,
                                 bool candidates_only = false) const;

 private:
  std::string directory_;  // empty: none
};

// Everything that decides whether measurements of an earlier run still hold, as one text: two runs with equal
// keys would see the same devices through the same drivers. Loads no runtime and opens no device but to see
// whether it may be opened.

// Of a run that asks these modules. One "name=value" a line: boot, tool, options, user and groups, processors
// and limits, display and accelerator PCI functions with their kernel drivers' versions, device nodes,
// variables, and stat() of every manifest and library that would be loaded. nullopt where no file tells of
// the machine (neither /proc nor /sys has any, as on macOS): another card or an empty battery would go
// unseen.
[[nodiscard]] std::optional<std::string> CacheKey(const RunRequest& request,
                                                  std::span<const probe::Module* const> modules,
                                                  const std::string& tool_version,
                                                  const probe::system::FileSystem& files,
                                                  const probe::system::Environment& environment);

// Words of a driver's manifest that name a library: "/usr/lib/libvulkan_radeon.so".
[[nodiscard]] std::vector<std::string> LibrariesNamedIn(const std::string& manifest_text);

}  // namespace report
