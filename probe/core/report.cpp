// SPDX-License-Identifier: MIT
#include "probe/core/report.h"

#include <algorithm>

#include "probe/core/hidden.h"

namespace probe {
namespace {

template <class T>
void Append(std::vector<T>& list, const T& item) {
  if (list.size() < kMaxEntries) list.push_back(item);
}

bool SameDriver(const DriverReport& a, const DriverReport& b) {
  return a.manifest || b.manifest ? a.manifest == b.manifest : a.name == b.name;
}

struct Applier {
  ProbeReport& report;

  void operator()(const StageEntered& event) const { report.stage = event.stage; }
  void operator()(const Library& event) const { report.library = event; }
  void operator()(const DriverReport& event) const {
    const auto known = std::find_if(report.drivers.begin(), report.drivers.end(),
                                    [&](const DriverReport& driver) { return SameDriver(driver, event); });
    if (known != report.drivers.end()) {
      *known = event;
    } else {
      Append(report.drivers, event);
    }
  }
  void operator()(const RuntimeDevice& event) const { Append(report.devices, event); }
  void operator()(const HardwareDevice& event) const { Append(report.hardware, event); }
  void operator()(const EnvironmentVariable& event) const { Append(report.environment, event); }
  void operator()(const Warning& event) const { Append(report.warnings, event.text); }
  void operator()(const Failure& event) const {
    report.outcome = event.outcome;
    report.error = event.error;
  }
};

}  // namespace

void Apply(const ProbeEvent& event, ProbeReport& report) { std::visit(Applier{report}, event); }

void Conclude(ProbeReport& report) {
  const bool found = HasFound(report);
  if (found || !report.error) report.stage = Stage::kDone;
  if (found) {
    report.outcome = Outcome::kOk;
  } else if (!report.error) {
    report.outcome = Outcome::kNoDevice;
  }
}

}  // namespace probe
