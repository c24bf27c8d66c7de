// SPDX-License-Identifier: MIT
// What surrounds the kernels: the cost of a launch, and moving data between host and device. Each figure gets
// a small share of the budget. Needs no kernel but the runtime's fill.
#pragma once

#include <memory>
#include <vector>

#include "backends/core/budget.h"
#include "backends/core/reporter.h"
#include "backends/core/workload.h"

namespace backends {

// `launch`, twice: own:round_trip, from submission of one launch that does next to nothing to its completion,
// and own:back_to_back, each of a thousand submitted together. Nothing where the runtime has no fill kernel.
class Launches {
 public:
  // Takes the first samples. All that is given outlives it.
  Launches(Session& session, OperandWriter& writer, const Reporter& reporter, Budget& budget);
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;
  ~Launches();

  // The least so far, in seconds; 0 where there is none.
  [[nodiscard]] double round_trip_s() const;
  // A few more: called between the batches of kernels, it spreads the samples over as long a time.
  void Continue();
  // Once, when no more will come.
  void Report();

 private:
  class SmallFill;
  const Reporter& reporter_;
  Budget& budget_;
  std::unique_ptr<SmallFill> fill_;  // nullptr: there is nothing to run
  double left_s_ = 0;                // for each of the two figures
  double spent_alone_s_ = 0;
  double spent_together_s_ = 0;
  std::vector<double> alone_s_;
  std::vector<double> together_s_;
};

// Reports `h2d` and `d2h` of 64 MiB, or of an eighth of the free memory or what there is room for:
// own:pageable, from memory as a program gets it, and own:pinned, where the session has memory that its
// runtime has pinned. A sample is as many transfers as last a batch's least time. What comes back must be
// what went.
void MeasureTransfers(Session& session, const Reporter& reporter, Budget& budget);

}  // namespace backends
