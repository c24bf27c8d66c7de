// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <tuple>

#include "report/run/calibrate.h"

namespace report {

HungEquals::HungEquals(std::span<const Target> planned) {
  for (const Target& target : planned) {
    ways_.push_back({target.device_id, target.equal_to.value_or(target.device_id), target.device.runtime,
                     target.device.driver});
  }
}

void HungEquals::Note(std::size_t target, const std::vector<backends::Measurement>& figures) {
  for (const auto& m : figures) {
    const bool hung = m.status == backends::MeasurementStatus::kTimedOut;
    if (hung && m.stage) ways_[target].stage = *m.stage;
  }
}

bool HungEquals::AreAlike(const Way& a, const Way& b) {
  return std::tie(a.first_id, a.runtime, a.driver) == std::tie(b.first_id, b.runtime, b.driver);
}

std::optional<std::string> HungEquals::WhyNot(std::size_t target) const {
  for (std::size_t i = 0; i < target; ++i) {
    const Way& one = ways_[i];
    if (one.stage.empty() || !AreAlike(one, ways_[target])) continue;
    for (std::size_t j = i + 1; j < target; ++j) {
      const Way& other = ways_[j];
      if (other.stage != one.stage || !AreAlike(other, one)) continue;
      return fmt::format("left out: {} and {}, which equal it, hung at {} before anything was measured",
                         one.device_id, other.device_id, one.stage);
    }
  }
  return std::nullopt;
}

}  // namespace report
