// SPDX-License-Identifier: MIT
// What a backend reads of a device's facts when it opens it: whether it is the one asked for, and what
// kernels may ask of it. Knows no runtime.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/core/backend.h"

namespace backends {

// Whether `found` is the device asked for. Identifiers decide where there are some; a position alone would
// take another device when one was hidden or added since.
[[nodiscard]] bool IsSame(const probe::RuntimeDevice& wanted, const probe::RuntimeDevice& found);

// The devices that were there in the place of the one asked for, and the error that names them.
class Offered {
 public:
  void Add(const probe::RuntimeDevice& device);
  [[nodiscard]] probe::Error NotFound(const probe::RuntimeDevice& wanted) const;

 private:
  std::string devices_;
};

// 0 where there is no such fact, or it is no number.
[[nodiscard]] std::uint64_t NumberFact(const probe::RuntimeDevice& device, std::string_view key);

// What kernels may ask for (Variant::requires_features) of its types, its matrix units and the smallest of
// its "subgroup_sizes", which are in ascending order.
[[nodiscard]] std::vector<std::string> FeaturesOf(const probe::RuntimeDevice& device);
// The same of the floats that a vector register of it holds: "lanes:4" and as many more as it has.
void AddLanes(std::uint64_t lanes, std::vector<std::string>& features);

}  // namespace backends
