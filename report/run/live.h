// SPDX-License-Identifier: MIT
// A run on this machine: what it carries from its first look to its last figure, and its steps.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "probe/core/device.h"
#include "probe/isolate/interrupt.h"
#include "probe/isolate/supervisor.h"
#include "probe/system/cache_dir.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/core/report.h"
#include "report/core/run_request.h"
#include "report/core/tables.h"
#include "report/run/calibrate.h"
#include "report/run/openings.h"
#include "report/run/problem.h"
#include "report/run/risk.h"
#include "report/run/tasks.h"
#include "report/store/pseudonym.h"
#include "report/store/record.h"
#include "report/store/turns.h"

namespace report {

struct Live {
  const RunRequest& request;
  std::function<void(const std::string&)> progress;  // is told what is being done; "" at the end
  std::unique_ptr<const probe::system::FileSystem> files;
  std::unique_ptr<const probe::system::Environment> environment;
  probe::isolate::Supervisor supervisor;
  std::unique_ptr<const RiskLedger> risks;
  std::optional<Pseudonyms> pseudonyms;  // of a recording run
  std::vector<FileRead> read;
  // What the shown form of a device (pseudonyms in a recording run) stands for.
  std::map<std::string, probe::RuntimeDevice> originals;
  std::vector<Warning> warnings;
  probe::system::ChildVariables child_environment;

  // A sentence as this run may show and record it.
  [[nodiscard]] std::string Shown(std::string text) const {
    return pseudonyms ? pseudonyms->Replace(std::move(text)) : text;
  }
};

// Bad input (record directory, sysroot) is a problem with code 2.
[[nodiscard]] std::variant<Live, Problem> OpenLive(const RunRequest& request,
                                                   const probe::isolate::Interrupt& interrupt,
                                                   std::function<void(const std::string&)> progress);

// Fills the record's host, probes and warnings.
[[nodiscard]] std::optional<Problem> DetectLive(Live& live, Record& record);

// What measuring needs, and what it leaves for a second look.
struct Measuring {
  const std::vector<probe::PhysicalDevice>& devices;
  std::optional<probe::Processor> processor;  // the host's
  Turns turns;
  // Whether a target's figures can change no answer, by what was measured before it; optional.
  std::function<bool(const Target&, const std::vector<backends::Measurement>&)> is_needless{};
  std::vector<Target> planned{};
  std::optional<Openings> openings{};  // of both looks
  double left_s = 0;                   // of the time for measuring
};

// Fills the record's measurements.
void MeasureLive(Live& live, Measuring& measuring, Record& record);
// Measures again what decides where `report`, made of this record, leaves an order open: the record's
// measurements then are of both looks.
void MeasureAgain(Live& live, Measuring& measuring, const Tables& tables, const Report& report,
                  Record& record);

// The variables in which the environment of every child differs from that of this program.
// They keep the drivers' compile caches in our own directory, or in the child's scratch directory where ours
// can not be used, and folders that are not absolute or not trusted out of the paths by which the loader
// finds what drivers depend on (LD_LIBRARY_PATH) and drivers find the programs that they run (PATH). The
// warnings tell which were left out.
[[nodiscard]] probe::system::ChildVariables ChildEnvironment(const probe::system::FileSystem& files,
                                                             const probe::system::Environment& environment,
                                                             std::vector<std::string>& warnings);

}  // namespace report
