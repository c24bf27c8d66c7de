// SPDX-License-Identifier: MIT
// What another child goes on without: a kernel that ends its device's context, its process or its time costs
// everything that was to come in that child, and says nothing of the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/core/measurement_fields.h"
#include "kernels/spec.h"
#include "probe/isolate/supervisor.h"

namespace report {

// One implementation of one kernel in one pair of types; or all of its family in all types.
struct Exclusion {
  std::string implementation;
  backends::FigureKind kind;
  bool whole_family = false;
};
WHICHGPU_FIELDS(Exclusion, implementation, kind, whole_family)

// So many children may follow one that a kernel ended, each with that share of the budget at least.
inline constexpr std::size_t kMostRestarts = 3;
inline constexpr double kLeastRestartShare = 0.25;

// What the implementations share that differ in their tiles alone: "own:wgmma" of "own:wgmma_128x256".
[[nodiscard]] std::string_view FamilyOf(std::string_view implementation);

// Takes out what ended a child itself, which that child has told of, and has the rest of its family not run
// and told so (Variant::left_out).
void LeaveOut(const std::vector<Exclusion>& exclusions, std::vector<kernels::Variant>& variants);

// The record of a child whose context that implementation's kernel ended, sent as soon as it is known.
[[nodiscard]] probe::Json EncodeLostContext(const kernels::Variant& culprit);
[[nodiscard]] std::optional<Exclusion> DecodeLostContext(const probe::Json& record);

// Of a target whose children end by what they run: who follows the last one.
class Restarts {
 public:
  // Whether another child is worth it after that one, which goes without what ended it: an implementation of
  // ours, whose family goes with it where it hung or is the second of it. Worth it is one child after a hang
  // that took less than `deadline_s`, the time of the whole child; after a crash, which may as well be the
  // driver's, a second one only where both were of one family. The child's own word of a lost context is
  // taken out of its records then.
  [[nodiscard]] bool After(probe::isolate::ChildResult& result, double deadline_s);
  [[nodiscard]] const std::vector<Exclusion>& exclusions() const { return exclusions_; }

 private:
  std::vector<Exclusion> exclusions_;
  bool after_hang_ = false;
};

}  // namespace report
