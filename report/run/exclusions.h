// SPDX-License-Identifier: MIT
// What another child goes on without: a kernel that ends its device's context, its process or its time costs
// everything that was to come in that child, and says nothing of the rest.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/core/measurement_fields.h"
#include "kernels/spec.h"
#include "probe/isolate/supervisor.h"

namespace report {

// One implementation of one kernel in one pair of types, which ended a child; whether its family goes with it
// in all types, or every implementation of its kernel.
struct Exclusion {
  std::string implementation;
  backends::FigureKind kind;
  bool whole_family = false;
  bool whole_kernel = false;
};
WHICHGPU_FIELDS(Exclusion, implementation, kind, whole_family, whole_kernel)

// How a child's context ended where no kernel did it that another child could go without.
struct UnexplainedLoss {
  std::string reason;
  bool after_work = false;  // kernels had run before
};
WHICHGPU_FIELDS(UnexplainedLoss, reason, after_work)

// So many children may follow one that a kernel ended, and then a last one without those kernels at all, each
// with that share of the budget at least. Beside them one more follows a loss that no kernel explains.
inline constexpr std::size_t kMostRestarts = 3;
inline constexpr double kLeastRestartShare = 0.25;

// Takes out what ended a child itself, which that child has told of, and has what goes with it not run and
// told so (Variant::left_out): also the family (Variant::family) of which two ended a child.
void LeaveOut(const std::vector<Exclusion>& exclusions, std::vector<kernels::Variant>& variants);

// The record of a child whose context that implementation's kernel ended, sent as soon as it is known.
[[nodiscard]] probe::Json EncodeLostContext(const kernels::Variant& culprit);
[[nodiscard]] std::optional<Exclusion> DecodeLostContext(const probe::Json& record);
// The same of one that ended by no such kernel.
[[nodiscard]] probe::Json EncodeUnexplainedLoss(const UnexplainedLoss& loss);
[[nodiscard]] std::optional<UnexplainedLoss> DecodeUnexplainedLoss(const probe::Json& record);

// Of a target whose children end by what they run: who follows the last one.
class Restarts {
 public:
  // Whether another child is worth it after that one, which goes without what ended it: an implementation of
  // ours, whose family goes with it where it hung. The last one, after kMostRestarts others or a second hang,
  // goes without every implementation of the kernels that ended one, so that what they have nothing to do
  // with is measured yet. Before anything else was launched it may be the driver that ended it as well: one
  // child goes without that kernel's family, and after a second such end none follows. Not worth it is one
  // after a hang of `deadline_s`, the time of the whole child. A loss that no kernel explains, once kernels
  // had run, is worth one child, which goes without nothing. The child's own word of a lost context is taken
  // out of its records then.
  [[nodiscard]] bool After(probe::isolate::ChildResult& result, double deadline_s);
  [[nodiscard]] const std::vector<Exclusion>& exclusions() const { return exclusions_; }

 private:
  [[nodiscard]] bool HasLaunchedOthersThan(const Exclusion& culprit) const;
  [[nodiscard]] bool IsLeftOut(const Exclusion& one) const;
  std::vector<Exclusion> exclusions_;
  std::set<std::string> launched_;  // implementations, by any of the children
  int hangs_ = 0;
  bool is_last_ = false;
  bool first_was_tried_ = false;  // going without what may have been the driver's end
  bool was_lost_ = false;         // by no kernel
};

}  // namespace report
