// SPDX-License-Identifier: MIT
#include "report/store/plausible.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

#include "backends/core/measurement_fields.h"
#include "probe/core/hidden.h"
#include "probe/core/parse.h"
#include "report/core/date.h"
#include "report/core/tables.h"

namespace report {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;
using kernels::Kernel;

// Beyond these nothing is a speed or a time, and arithmetic with it would leave the finite numbers.
constexpr double kSlowest = 1e-9;
constexpr double kFastest = 1e24;
constexpr double kLongestSeconds = 1e9;
constexpr double kFastestClock = 1e15;
constexpr double kColdest = -100, kHottest = 200;  // degrees Celsius of a chip that works
constexpr double kMostWatts = 1e5;
constexpr std::uint32_t kLatestPcie = 16, kMostLanes = 32;

constexpr std::string_view kIntegerUnit = "op_per_s";

std::string Expected(const std::string& path, std::string_view what) {
  return fmt::format("{}: expected {}", path, what);
}

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// A module's name, a runtime's: a plain token.
bool IsToken(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return IsLower(c) || probe::IsDigit(c) || c == '_';
  });
}

bool IsWord(std::string_view text) {
  constexpr std::string_view kMarks = "._-";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return IsLower(c) || (c >= 'A' && c <= 'Z') || probe::IsDigit(c) ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// As data/schema/types.json writes it: an address, a UUID, cpu:0, or a name and perhaps a number.
bool IsDeviceId(std::string_view text) {
  if (const auto part = text.find('#'); part != std::string_view::npos) {
    if (part + 1 == text.size()) return false;
    text = text.substr(0, part);
  }
  if (text.starts_with("pci:")) {
    const auto address = probe::ParsePciAddress(text.substr(4));
    return address && probe::ToString(*address) == text.substr(4);
  }
  if (text.starts_with("uuid:")) return text.size() > 5;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || !IsToken(text.substr(0, colon))) return false;
  auto name = text.substr(colon + 1);
  const auto second = name.find(':');
  if (second == std::string_view::npos) return IsWord(name);
  const auto number = name.substr(second + 1);
  return IsWord(name.substr(0, second)) && !number.empty() &&
         std::all_of(number.begin(), number.end(), probe::IsDigit);
}

std::optional<std::string> OddPart(const std::string& path, const probe::Identity& identity) {
  if (identity.partition && identity.partition->empty())
    return Expected(path + ".identity.partition", "a partition's name");
  return std::nullopt;
}

bool IsUnit(std::string_view text) {
  const auto rows = kernels::Kernels();
  return text == kIntegerUnit ||
         std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.unit == text; });
}

bool IsRate(const std::optional<double>& value) { return !value || (*value <= kFastest); }

// What is found and what a probe ended with belong together: one that ended without finding anything has
// nothing.
std::optional<std::string> OddEnd(const std::string& path, const probe::ProbeReport& probe) {
  using probe::Outcome;
  const auto is = [&](std::initializer_list<Outcome> any) {
    return std::find(any.begin(), any.end(), probe.outcome) != any.end();
  };
  if (HasFound(probe) && is({Outcome::kAbsent, Outcome::kNoDevice, Outcome::kDenied, Outcome::kHidden}))
    return fmt::format("{}: outcome {} beside devices", path, probe::NameOf(probe.outcome));
  return std::nullopt;
}

std::optional<std::string> OddProcessor(const std::string& path, const probe::Processor& processor) {
  if (processor.cores == 0U || processor.threads == 0U)
    return Expected(path, "at least one core and one thread");
  return std::nullopt;
}

// Products of whole numbers add up in whole numbers, no others do; what moves memory does no arithmetic on
// packed weights.
bool IsPairOfTypes(const Measurement& m) {
  const auto& in = kernels::Row(m.in_dtype);
  const bool packed = m.in_dtype == kernels::Dtype::kQ4 || m.in_dtype == kernels::Dtype::kQ8;
  switch (m.kernel) {
    case Kernel::kGemm:
    case Kernel::kChain:
      return !packed && in.integer == kernels::Row(m.acc_dtype).integer;
    case Kernel::kGemv:
      return true;
    case Kernel::kRead:
    case Kernel::kCopy:
    case Kernel::kTriad:
    case Kernel::kHostToDevice:
    case Kernel::kDeviceToHost:
    case Kernel::kPeer:
    case Kernel::kLaunch:
    case Kernel::kFill:
      return !packed;
  }
  return false;
}

// The smallest product that is ever tried has 32 of each.
bool IsShape(const Measurement& m) {
  constexpr double kLeastProduct = 32.0 * 32 * 32;
  const auto& [count, rows, columns, depth] = std::tie(m.shape.count, m.shape.m, m.shape.n, m.shape.k);
  if (m.kernel == Kernel::kGemv) return rows > 0 && depth > 0;
  if (m.kernel != Kernel::kGemm) return true;
  return static_cast<double>(rows) * columns * depth >= kLeastProduct;
}

// Of a figure, which has a rate and was checked: what its parts say of each other.
std::optional<std::string> OddFigure(const std::string& path, const Measurement& m) {
  constexpr double kRounding = 0.99;
  constexpr double kNearlyOne = 1.01;
  constexpr double kMostError = 1;  // of what a typical element is
  const auto odd = [&](std::string_view key, std::string_view expected) {
    return std::optional(Expected(fmt::format("{}.{}", path, key), expected));
  };
  if (!IsPairOfTypes(m)) return odd("in_dtype", "types that this kernel computes in");
  if (!IsShape(m)) return odd("shape", "the size of a product that was measured");
  if (m.max_relative_error.value_or(0) > kMostError)
    return odd("max_relative_error", "at most 1 of a verified result");
  if (m.samples == 0 && m.quality && *m.quality != backends::Quality::kNoisy)
    return odd("samples", "batches behind a quality that is not noisy");
  if (m.ci95 && ((*m.ci95)[0] > kNearlyOne || (*m.ci95)[1] < kRounding))
    return odd("ci95", "an interval around 1, which is the median");
  if (m.samples != 0 && !m.batch_times_s.empty() && m.batch_times_s.size() != m.samples)
    return odd("samples", "as many as batch_times_s has times");
  if (m.kernel == Kernel::kGemm && m.time_s) {
    const double work = 2.0 * m.shape.m * m.shape.n * m.shape.k;
    const double share = *m.rate * *m.time_s / work;
    if (!(share >= kRounding && share <= kNearlyOne))
      return odd("rate", "what the shape's operations in time_s make");
  }
  const double gain = m.best_rate ? *m.best_rate / *m.rate : 1;
  if ((m.IsTime() ? 1 / gain : gain) < kRounding) return odd("best_rate", "nothing slower than the rate");
  return std::nullopt;
}

}  // namespace

std::string_view UnitOf(const Measurement& m) {
  const std::string_view unit = kernels::Row(m.kernel).unit;
  return unit == "flop_per_s" && kernels::Row(m.in_dtype).integer ? kIntegerUnit : unit;
}

std::optional<std::string> OddTime(const std::string& path, const std::string& text) {
  constexpr std::size_t kDay = 10;
  constexpr std::string_view kForm = "T00:00:00Z";
  const auto of_day = std::string_view(text).substr(std::min(kDay, text.size()));
  const auto at = [&](std::size_t place) { return (of_day[place] - '0') * 10 + of_day[place + 1] - '0'; };
  const auto is_so = [](char c, char form) { return form == '0' ? probe::IsDigit(c) : c == form; };
  const bool fits = DayOf(std::string_view(text).substr(0, kDay)) &&
                    std::equal(of_day.begin(), of_day.end(), kForm.begin(), kForm.end(), is_so) &&
                    at(1) < 24 && at(4) < 60 && at(7) <= 60;  // a minute may have a second more
  if (fits) return std::nullopt;
  return Expected(path, "a time like 2026-01-31T12:00:00Z");
}

std::optional<std::string> OddDeviceId(const std::string& path, const std::string& id) {
  if (IsDeviceId(id)) return std::nullopt;
  return Expected(path, "a device's id, like pci:0000:c1:00.0");
}

std::optional<std::string> OddAnswer(const Report& report) {
  std::optional<std::string> odd;
  const auto look = [&](std::string_view list, std::size_t i, std::string_view key,
                        const std::optional<std::string>& id) {
    if (!odd && id) odd = OddDeviceId(fmt::format("{}[{}].{}", list, i, key), *id);
  };
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    look("devices", i, "id", report.devices[i].id);
    look("devices", i, "parent_id", report.devices[i].parent_id);
  }
  const auto key = report.request ? OddKey(*report.request) : std::nullopt;
  if (!odd && key) odd = Expected("request: " + *key, "what a request has");
  for (std::size_t i = 0; i < report.scores.size(); ++i)
    look("scores", i, "device_id", report.scores[i].device_id);
  for (std::size_t i = 0; i < report.recommendations.size(); ++i) {
    const Recommendation& answer = report.recommendations[i];
    look("recommendations", i, "device_id", answer.device_id);
    for (const Rejected& option : answer.rejected)
      look("recommendations", i, "rejected.device_id", option.device_id);
  }
  constexpr std::array<std::string_view, 6> kLayers = {
      "kernel_driver", "device_node", "system_runtime", "programming_interface", "math_library", "framework"};
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& finding = report.findings[i];
    look("findings", i, "device_id", finding.device_id);
    for (const std::string& id : finding.device_ids.value_or(std::vector<std::string>()))
      look("findings", i, "device_ids", id);
    if (!odd && std::find(kLayers.begin(), kLayers.end(), finding.layer) == kLayers.end())
      odd =
          Expected(fmt::format("findings[{}].layer", i), fmt::format("one of {}", fmt::join(kLayers, ", ")));
  }
  return odd;
}

std::optional<std::string> OddProbe(const std::string& path, const probe::ProbeReport& probe) {
  if (probe.format != probe::kProbeReportFormat)
    return Expected(path + ".format", std::to_string(probe::kProbeReportFormat));
  if (!IsToken(probe.module)) return Expected(path + ".module", "a module's name: small letters and digits");
  if (auto odd = OddEnd(path, probe)) return odd;
  for (std::size_t i = 0; i < probe.devices.size(); ++i) {
    const auto where = fmt::format("{}.devices[{}]", path, i);
    const probe::RuntimeDevice& device = probe.devices[i];
    if (device.runtime != probe.module) {
      return fmt::format("{}: module '{}' holds a device of runtime '{}'", where, probe.module,
                         device.runtime);
    }
    if (device.clock_max_hz.value_or(0) > kFastestClock)
      return Expected(where + ".clock_max_hz", fmt::format("at most {:.0e}", kFastestClock));
    if (auto odd = OddPart(where, device.identity)) return odd;
  }
  for (std::size_t i = 0; i < probe.hardware.size(); ++i) {
    const auto where = fmt::format("{}.hardware[{}]", path, i);
    if (probe.hardware[i].source != probe.module)
      return Expected(where + ".source", fmt::format("the probe's module '{}'", probe.module));
    if (auto odd = OddPart(where, probe.hardware[i].identity)) return odd;
    const auto& processor = probe.hardware[i].processor;
    if (auto odd = processor ? OddProcessor(where + ".processor", *processor) : std::nullopt) return odd;
  }
  return std::nullopt;
}

std::optional<std::string> OddMeasurement(const std::string& path, const Measurement& m) {
  const auto odd = [&](std::string_view key, std::string_view expected) {
    return std::optional(Expected(fmt::format("{}.{}", path, key), expected));
  };
  if (!IsDeviceId(m.device_id)) return odd("device_id", "a device's id, like pci:0000:c1:00.0");
  if (m.peer_id && !IsDeviceId(*m.peer_id)) return odd("peer_id", "a device's id, like pci:0000:c1:00.0");
  if (m.peer_id && m.kernel != Kernel::kPeer) return odd("peer_id", "none: the kernel is not p2p");
  if (!IsToken(m.runtime)) return odd("runtime", "a runtime's name: small letters and digits");
  if (m.kernel == Kernel::kFill) return odd("kernel", "a kernel that is measured");
  // One without a rate may stand for a child that ended early, of which only the stage is known.
  if (m.rate ? m.unit != UnitOf(m) : !m.unit.empty() && !IsUnit(m.unit))
    return odd("unit", fmt::format("{} for this kernel and type", UnitOf(m)));
  const std::array rates = {std::pair("rate", m.rate), std::pair("p10_rate", m.p10_rate),
                            std::pair("best_rate", m.best_rate)};
  for (const auto& [key, value] : rates) {
    if (!IsRate(value)) return odd(key, fmt::format("at most {:.0e}", kFastest));
  }
  if (m.time_s.value_or(0) > kLongestSeconds)
    return odd("time_s", fmt::format("at most {:.0e}", kLongestSeconds));
  if (m.ci95 && (*m.ci95)[0] > (*m.ci95)[1]) return odd("ci95", "the lower bound first");
  if (m.ci95 && (*m.ci95)[1] > kFastest) return odd("ci95", fmt::format("at most {:.0e}", kFastest));
  if (m.foreign_load.value_or(0) > 1) return odd("foreign_load", "a share of 1 at most");
  if (m.share_of_peak.value_or(0) > kFastest)
    return odd("share_of_peak", fmt::format("at most {:.0e}", kFastest));
  if (m.temperature_c && (*m.temperature_c < kColdest || *m.temperature_c > kHottest))
    return odd("temperature_c", fmt::format("{} to {}", kColdest, kHottest));
  if (m.power_w.value_or(0) > kMostWatts) return odd("power_w", fmt::format("at most {:.0e}", kMostWatts));
  if (m.pcie && (m.pcie->generation.value_or(0) > kLatestPcie || m.pcie->lanes.value_or(0) > kMostLanes))
    return odd("pcie", fmt::format("a generation of at most {} and {} lanes", kLatestPcie, kMostLanes));
  const bool sane = m.rate && *m.rate >= kSlowest && m.verified;
  if (m.status == MeasurementStatus::kOk && !sane)
    return fmt::format("{}: status ok needs a positive rate and a verified result", path);
  return m.status == MeasurementStatus::kOk ? OddFigure(path, m) : std::nullopt;
}

std::optional<std::string> OddPlaces(std::span<const probe::PhysicalDevice> devices,
                                     std::span<const Measurement> measurements) {
  const auto way_of = [](std::string_view device_id, std::string_view runtime, std::string_view driver) {
    return fmt::format("{}|{}|{}", device_id, runtime, driver);
  };
  std::map<std::string, std::size_t> ways;  // several drivers may have one name
  for (const auto& device : devices) {
    for (const auto& view : device.views) ++ways[way_of(device.id, view.device.runtime, view.device.driver)];
  }
  std::map<std::string, std::size_t> figures;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Measurement& m = measurements[i];
    const auto way = ways.find(way_of(m.device_id, m.runtime, m.driver));
    if (way == ways.end()) {
      return fmt::format("measurements[{}]: no device {} has driver '{}' of runtime '{}'", i, m.device_id,
                         m.driver, m.runtime);
    }
    if (m.status != MeasurementStatus::kOk) continue;
    const auto key = fmt::format("{}|{}|{}|{}|{}|{}|{}", way->first, m.peer_id.value_or(""), m.implementation,
                                 probe::ToText(probe::Encode(m.shape)), kernels::Row(m.kernel).name,
                                 kernels::Row(m.in_dtype).name, kernels::Row(m.acc_dtype).name);
    if (++figures[key] > way->second)
      return fmt::format("measurements[{}]: a second measurement of one kernel at one shape", i);
  }
  return std::nullopt;
}

}  // namespace report
