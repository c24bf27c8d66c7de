// SPDX-License-Identifier: MIT
// The flow: detect or replay, unify, measure, score, recommend, explain. Produces a Report and prints
// nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "probe/isolate/interrupt.h"
#include "report/core/report.h"
#include "report/core/run_request.h"
#include "report/core/tables.h"
#include "report/run/problem.h"

namespace report {

struct Produced {
  Tables tables;  // the facts that decided
  Report report;
  std::optional<Problem> problem;  // beside a report that stands: a record that could not be written
  int interrupted_by = 0;          // the signal that ended this run early
};

struct Context {
  std::string tool_version;
  probe::isolate::Interrupt interrupt;
  std::function<void(const std::string&)> progress;  // must be set; is told what is being done, "" at the end
};

// Everything that is asked for. Bad input (record, sysroot, device) is a problem with code 2, found
// before any measuring.
[[nodiscard]] std::variant<Produced, Problem> Produce(const RunRequest& request, const Context& context);

}  // namespace report
