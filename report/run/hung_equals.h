// SPDX-License-Identifier: MIT
// Equal devices that one after another hang alike: each is waited for as long as the first.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/core/measurement.h"
#include "report/run/calibrate.h"

namespace report {

class HungEquals {
 public:
  // What is planned tells which devices are equal: HandOver changes that later.
  explicit HungEquals(std::span<const Target> planned);

  // What came of the target of that number, of which nothing was measured.
  void Note(std::size_t target, const std::vector<backends::Measurement>& figures);
  // Why it is left out: two of its equals hung by its runtime at one stage, before anything was measured.
  [[nodiscard]] std::optional<std::string> WhyNot(std::size_t target) const;

 private:
  // One way of one device.
  struct Way {
    std::string device_id;
    std::string first_id;  // of the first of its equals
    std::string runtime;
    std::string driver;
    std::string stage{};  // at which it hung; empty where it did not
  };
  [[nodiscard]] static bool AreAlike(const Way& a, const Way& b);
  std::vector<Way> ways_;
};

}  // namespace report
