// SPDX-License-Identifier: MIT
// What one run is asked to find out, and how thoroughly: plain values, whoever asks.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/request.h"

namespace report {

enum class Effort { kQuick, kNormal, kThorough };

struct RunRequest {
  std::string command = "report";  // as JSON names it
  std::vector<std::string> only;   // modules; empty: all
  std::vector<std::string> skip;
  std::optional<std::string> device;                          // the one that the answer is about
  std::vector<Use> uses = {Use::kInference, Use::kTraining};  // that are answered for; empty: none
  Terms terms;                                                // what the answer is chosen from
  std::optional<ReferenceRequest> workload;  // what is predicted, in the place of the reference
  Effort effort = Effort::kNormal;
  std::optional<double> budget_s;   // of all measuring together
  std::optional<double> timeout_s;  // of one module's detection
  bool calibrate = true;            // whether kernels may run
  // Whether what can change no answer stays unmeasured: software devices, what is between devices, and ways
  // that facts tell to be far behind.
  bool only_candidates = false;
  bool from_earlier = false;   // whether an earlier run's measurements may answer, or rule out
  bool facts_suffice = false;  // whether nothing is to be measured for it
  bool of_the_moment = false;  // whether it asks for what changes at any time, such as free memory
  bool retry_crashed = false;
  std::string sysroot = "/";
  std::optional<std::string> record_dir;
  bool record_ids = false;
  std::optional<std::string> replay_dir;
  bool for_an_image = false;  // whether its command is run in a system that is still to be built, not here
  std::vector<std::string> assume;  // devices of another machine, in the caller's words; empty: this one

  // Whether it lets this runtime be asked.
  [[nodiscard]] bool Asks(std::string_view runtime) const {
    const auto is_it = [&](const std::string& name) { return name == runtime; };
    return (only.empty() || std::any_of(only.begin(), only.end(), is_it)) &&
           std::none_of(skip.begin(), skip.end(), is_it);
  }
  // Whether its devices are those of the running system, not of files below some folder.
  [[nodiscard]] bool IsOfThisMachine() const { return sysroot == "/"; }
  // What it leaves out; nullopt where it lets every runtime be asked.
  [[nodiscard]] std::optional<LeftOutBy> LeavesOut() const {
    if (!IsOfThisMachine()) return LeftOutBy::kSysroot;
    if (!only.empty()) return LeftOutBy::kOnly;
    return skip.empty() ? std::nullopt : std::optional(LeftOutBy::kSkip);
  }
};

}  // namespace report
