// SPDX-License-Identifier: MIT
// From what was seen and measured to the report: judges, scores, recommends, explains.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/core/measurement.h"
#include "probe/core/device.h"
#include "probe/core/result.h"
#include "report/core/record.h"
#include "report/core/report.h"
#include "report/core/run_request.h"
#include "report/core/tables.h"
#include "report/core/targets.h"

namespace report {

// The devices that an answer is about.
struct Asked {
  std::vector<probe::PhysicalDevice> devices;
  std::vector<probe::PhysicalDevice> other_gpus;  // that were left out
  std::set<std::string> excluded{};               // ids of those that the request's terms exclude
};

// Of those devices and the measurements of the record that are theirs. The part that a replay and a cached
// answer share with a live run; `measured` says which it is of the figures.
[[nodiscard]] Report Decide(const RunRequest& request, const Tables& tables, const Record& record,
                            Asked asked, Basis measured = Basis::kMeasured);

// Whether its answers stand whatever measuring the ways that it was settled without might have shown: each
// was measured, is doubted by nothing, rests on none of them, and is ahead of what facts tell of each by more
// than those can be wrong.
[[nodiscard]] bool StandsWithout(const std::vector<WayKey>& ways, const Report& report,
                                 const std::vector<Use>& uses);

// Whether what was measured so far answers the request, and the same on nobody's terms, without this way, of
// which nothing was measured.
[[nodiscard]] bool IsSettledWithout(const WayKey& way, const RunRequest& request, const Tables& tables,
                                    Record so_far, const Asked& asked);

// Index of the device whose id is `text`, else the only one whose id starts with it, else the only one whose
// name contains it (letters' case does not matter). The error says what there is.
[[nodiscard]] probe::Result<std::size_t> SelectDevice(const std::vector<probe::PhysicalDevice>& devices,
                                                      const std::string& text);

// The ids of the devices that these words mean, those that are a runtime's name aside: of each word the
// device of that id, else all whose ids start with it, else all whose names contain it (letters' case does
// not matter), and with a card what it is divided into. A word that means none is an error.
[[nodiscard]] probe::Result<std::set<std::string>> ExcludedDevices(
    const Tables& tables, const std::vector<probe::PhysicalDevice>& devices,
    const std::vector<std::string>& words);

// What a description does not say of a GPU: the architecture, by which the program's builds are told apart.
struct Missing {
  std::string device_name;
  std::string runtime;
  std::string key;        // as --assume takes it: "cc"
  bool is_needed = true;  // without it the answer would be the processor; else another GPU stands beside it
  std::vector<std::string> architectures{};  // that it may have, by its name; empty: any
  std::string build{};                       // of the program, which has code for some of them alone
};
// Those that are needed first. A part of the processor is not beside a card that is told, nor a GPU beside
// one of another maker.
[[nodiscard]] std::vector<Missing> WhatIsMissing(const Tables& tables, const TargetTable& target,
                                                 const std::vector<probe::PhysicalDevice>& devices);

// Of the views of one device that one runtime has by drivers of one name, registered by different files, all
// but the first get a number behind the driver's name, " (2)", and so do the measurements of theirs: one of
// them may claim a neighbour's card, compute wrongly and die. A GPU that this happens to has a conflict that
// says so. For the answer only: probes and records keep what the drivers said.
void TellDriversApart(std::vector<probe::PhysicalDevice>& devices,
                      std::vector<backends::Measurement>& measurements);

}  // namespace report
