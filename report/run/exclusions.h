// SPDX-License-Identifier: MIT
// What another child goes on without: a kernel that ends its device's context, its process or its time costs
// everything that was to come in that child, and says nothing of the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/core/measurement.h"
#include "kernels/spec.h"
#include "probe/isolate/supervisor.h"

namespace report {

// One implementation of one kernel in one pair of types; or all of its family in all types.
struct Exclusion {
  std::string implementation;
  backends::FigureKind kind;
  bool whole_family = false;
};

// So many children may follow one that a kernel ended, each with that share of the budget at least; after a
// hang, which costs its whole allowance, one.
inline constexpr std::size_t kMostRestarts = 3;
inline constexpr std::size_t kMostRestartsAfterHangs = 1;
inline constexpr double kLeastRestartShare = 0.25;

// What the implementations share that differ in their tiles alone: "own:wgmma" of "own:wgmma_128x256".
[[nodiscard]] std::string_view FamilyOf(std::string_view implementation);

[[nodiscard]] bool IsExcluded(const kernels::Variant& variant, const std::vector<Exclusion>& exclusions);

// The record that a child sends last whose context that implementation's kernel ended.
[[nodiscard]] probe::Json EncodeLostContext(const kernels::Variant& culprit);
[[nodiscard]] std::optional<Exclusion> DecodeLostContext(const probe::Json& record);

// Of a target whose children end by what they run: who follows the last one.
class Restarts {
 public:
  // Whether another child is worth it after that one, which goes without what ended it: an implementation of
  // ours, whose family goes with it where it hung or is the second of it. The child's own word of it is taken
  // out of its records then.
  [[nodiscard]] bool After(probe::isolate::ChildResult& result);
  [[nodiscard]] const std::vector<Exclusion>& exclusions() const { return exclusions_; }

 private:
  std::vector<Exclusion> exclusions_;
  std::size_t hangs_ = 0;
};

[[nodiscard]] probe::Json EncodeExclusions(const std::vector<Exclusion>& exclusions);
// What is no list of exclusions excludes nothing.
[[nodiscard]] std::vector<Exclusion> DecodeExclusions(const probe::Json& json);

}  // namespace report
