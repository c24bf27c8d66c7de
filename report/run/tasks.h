// SPDX-License-Identifier: MIT
// What a child process of this program can be asked to do: probe one module, or measure one view of a device.
// The requests are built and read here, so that parent and child agree in one place.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/core/runner.h"
#include "probe/core/fields.h"
#include "probe/core/report.h"
#include "probe/isolate/child.h"
#include "report/run/exclusions.h"
#include "report/store/record.h"

namespace report {

struct ProbeRequest {
  std::vector<std::string> modules;  // one after the other; each is announced by a record with kModuleKey
  double allow_s = 10;               // for each of them
  std::string sysroot = "/";
  std::optional<std::string> manifest;  // only this driver
  bool record_files = false;            // stream every file that was read
};

inline constexpr std::string_view kProbeTask = "probe";
inline constexpr std::string_view kMeasureTask = "measure";

[[nodiscard]] probe::Json EncodeProbeRequest(const ProbeRequest& request);
// `first_budget_s`: what the first child of the same target had, 0 for that one itself.
[[nodiscard]] probe::Json EncodeMeasureRequest(const backends::MeasureRequest& request,
                                               const std::vector<Exclusion>& exclusions, double deadline_s,
                                               double first_budget_s);
[[nodiscard]] std::optional<FileRead> DecodeFileRead(const probe::Json& record);
// Of several devices whose stage a record tells of, and of a copy the other one; nothing where it tells of
// none.
struct PeerTurn {
  std::string device_id;
  std::optional<std::string> peer_id;
};
WHICHGPU_FIELDS(PeerTurn, device_id, peer_id)
[[nodiscard]] std::optional<PeerTurn> DecodePeerTurn(const probe::Json& record);
// The error that a child's task ended with, if this record is one.
[[nodiscard]] std::optional<probe::Error> DecodeError(const probe::Json& record);

[[nodiscard]] std::span<const probe::isolate::Task> Tasks();

}  // namespace report
