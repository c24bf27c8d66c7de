// SPDX-License-Identifier: MIT
#include "report/run/tasks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "backends/core/measurement_fields.h"
#include "backends/core/peers.h"
#include "backends/core/reporter.h"
#include "backends/registry.h"
#include "probe/core/fields.h"
#include "probe/core/vendor.h"
#include "probe/isolate/channel.h"
#include "probe/registry.h"
#include "probe/system/clock.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/core/wording.h"
#include "report/run/teams.h"
#include "report/run/trials.h"

namespace report {

WHICHGPU_FIELDS(ProbeRequest, modules, allow_s, sysroot, manifest, record_files)

namespace {

using probe::Error;
using probe::Json;
using probe::Status;
using probe::isolate::RecordSink;

constexpr const char* kExclusionsKey = "exclusions";
constexpr const char* kDeadlineKey = "deadline_s";
constexpr const char* kFirstBudgetKey = "first_budget_s";
constexpr const char* kTurnKey = "turn";

void GuardProcess(const probe::system::FileSystem& files) {
  for (const probe::Vendor& vendor : probe::Vendors()) {
    if (vendor.guard_process != nullptr) vendor.guard_process(files);
  }
}

Status RunProbe(const Json& json, const RecordSink& send) {
  const auto request = probe::Decode<ProbeRequest>(json);
  if (!request) return request.error();
  auto files = probe::system::FileSystem::Open(request->sysroot);
  if (!files) return files.error();
  if (request->record_files) {
    files->OnRead([&send](std::string_view path, std::string_view content) {
      send(Json{{"file", {{"path", std::string(path)}, {"content", std::string(content)}}}});
    });
  }
  GuardProcess(*files);
  const auto environment = probe::system::Environment::OfProcess();
  const auto modules = probe::Modules();
  for (const std::string& name : request->modules) {
    const auto module = std::find_if(modules.begin(), modules.end(),
                                     [&](const probe::Module& known) { return known.name == name; });
    if (module == modules.end()) return Error{"probe", std::nullopt, "", "no module is called " + name};
    send(Json{{kModuleKey, name}, {probe::isolate::kAllowKey, request->allow_s}});
    module->probe({*files, environment, request->manifest,
                   [&send](const probe::ProbeEvent& event) { send(probe::EncodeEvent(event)); }});
  }
  return probe::Ok();
}

Status RunPeers(const backends::Backend& backend, const backends::MeasureRequest& request,
                const backends::OpenRequest& open, const RecordSink& send) {
  if (backend.open_peers == nullptr)
    return Error{"measure", std::nullopt, "", request.device.runtime + " does not join devices"};
  std::vector<probe::RuntimeDevice> devices;
  devices.reserve(request.peers.size());
  for (const auto& peer : request.peers) devices.push_back(peer.device);
  const auto group = backend.open_peers(devices, open);
  if (!group) return group.error();
  PeerTurn turn;
  const auto sink = [&](const backends::MeasureEvent& event) {
    Json record = backends::EncodeEvent(event);
    if (const auto* stage = std::get_if<backends::MeasureStage>(&event)) {
      record[probe::isolate::kAllowKey] = stage->allow_s;
      record[kTurnKey] = probe::Encode(turn);
    }
    send(record);
  };
  const auto start = probe::system::Now();
  backends::MeasurePeers(
      request, **group, sink, [start] { return probe::system::SecondsSince(start); },
      [&](const backends::MeasureRequest& of) { turn = {of.device_id, of.peer_id}; });
  return probe::Ok();
}

// Of the budget, for the user's libraries: of figures that are named as many as are theirs.
double LibraryShare(const backends::MeasureRequest& request, std::span<const kernels::Variant> libraries) {
  if (libraries.empty()) return 0;
  if (request.figures.empty()) return backends::kLibraryBudgetShare;
  const auto theirs = std::count_if(request.figures.begin(), request.figures.end(), [&](const auto& figure) {
    return std::any_of(libraries.begin(), libraries.end(),
                       [&](const auto& variant) { return variant.name == figure.implementation; });
  });
  return static_cast<double>(theirs) / static_cast<double>(request.figures.size());
}

// An open device with what can be measured on it. Destroyed session first: variants outlive it.
struct Opened {
  std::vector<kernels::Variant> variants, libraries;
  std::unique_ptr<backends::Session> session;

  [[nodiscard]] const backends::Implementation* brought_down_by() const {
    return session == nullptr ? nullptr : session->BroughtDownBy();
  }
  // What fills operands ended the context, without which nothing can go on, or no kernel at all did.
  [[nodiscard]] bool lost_to_none() const {
    return brought_down_by() != nullptr && brought_down_by()->kernel == kernels::Kernel::kFill;
  }
  // The implementation whose kernel ended the context; nullptr as long as that lives, and where none did.
  [[nodiscard]] const kernels::Variant* culprit() const {
    const backends::Implementation* by = brought_down_by();
    if (by == nullptr || lost_to_none()) return nullptr;
    for (const auto* all : {&variants, &libraries}) {
      const auto it = std::find_if(all->begin(), all->end(), [&](const kernels::Variant& variant) {
        return variant.name == by->name &&
               backends::KindOf(variant) == backends::FigureKind{by->kernel, by->in, by->acc};
      });
      if (it != all->end()) return &*it;
    }
    return nullptr;
  }
};

// Sends what a child measures. Of what fails once the context has been lost only the kernel tells that ended
// it; where none did that could be left out, its loss is told instead, once.
class Teller {
 public:
  // Both outlive it.
  Teller(const Opened& opened, const RecordSink& send) : opened_(opened), send_(send) {}

  void Tell(const backends::MeasureEvent& event) {
    TellOfLostContext();
    if (const auto* measurement = std::get_if<backends::Measurement>(&event);
        measurement != nullptr && measurement->status == backends::MeasurementStatus::kFailed) {
      return TellOfFailure(*measurement);
    }
    Json record = backends::EncodeEvent(event);
    if (const auto* stage = std::get_if<backends::MeasureStage>(&event))
      record[probe::isolate::kAllowKey] = stage->allow_s;
    send_(record);
  }

  void TellOfTrial(const backends::Measurement& trial) { send_(EncodeTrial(trial)); }

  void End() {
    TellOfLostContext();
    if (opened_.lost_to_none()) TellOfUnexplainedLoss("");
  }

 private:
  // Another process can go on without the kernel that did it; libraries come last.
  void TellOfLostContext() {
    const kernels::Variant* culprit = opened_.culprit();
    if (told_ || culprit == nullptr || !culprit->steps[0].library.empty()) return;
    send_(EncodeLostContext(*culprit));
    told_ = true;
  }

  void TellOfUnexplainedLoss(const std::string& error) {
    if (std::exchange(told_, true)) return;
    const bool by_nobody = opened_.brought_down_by()->name.empty();
    std::string reason = error + (error.empty() ? "" : "; ");
    reason += by_nobody ? "the device's context ended while no kernel ran"
                        : "what fills operands brought the device's context down";
    reason += kAndWithIt;
    send_(EncodeUnexplainedLoss({std::move(reason), opened_.session->HasWorked()}));
  }

  void TellOfFailure(const backends::Measurement& measurement) {
    const kernels::Variant* culprit = opened_.culprit();
    if (culprit != nullptr && (measurement.implementation != culprit->name ||
                               backends::KindOf(measurement) != backends::KindOf(*culprit)))
      return;
    if (opened_.lost_to_none()) return TellOfUnexplainedLoss(measurement.reason.value_or(""));
    send_(backends::EncodeEvent(measurement));
  }

  const Opened& opened_;
  const RecordSink& send_;
  bool told_ = false;  // of the lost context
};

// `left_s`: until the process is ended. `first_budget_s`: of the first process of the same target.
void MeasureParts(const backends::MeasureRequest& request, const Opened& opened, Teller& teller,
                  const std::function<double()>& left_s, double first_budget_s) {
  const backends::MeasureSink sink = [&](const backends::MeasureEvent& event) { teller.Tell(event); };
  backends::MeasureExtras extras;
  extras.on_trial = [&](const backends::Measurement& trial) { teller.TellOfTrial(trial); };
  const double share = LibraryShare(request, opened.libraries);
  backends::MeasureRequest part = request;
  part.budget_s = request.budget_s * (1 - share);
  extras.first_budget_s = first_budget_s * (1 - share);
  if (share < 1) backends::Measure(*opened.session, opened.variants, part, sink, extras);
  if (share == 0 || opened.brought_down_by() != nullptr) return;
  std::vector<kernels::Variant> libraries = opened.libraries;
  std::copy_if(opened.variants.begin(), opened.variants.end(), std::back_inserter(libraries),
               [](const auto& variant) { return variant.kernel == kernels::Kernel::kFill; });
  part.budget_s = request.budget_s * share;
  extras.first_budget_s = first_budget_s * share;
  if (request.figures.empty()) part.scope = backends::Scope::kLibraries;
  extras.ends_within_s = left_s();
  backends::Measure(*opened.session, libraries, part, sink, extras);
}

Status RunMeasure(const Json& json, const RecordSink& send) {
  const auto start = probe::system::Now();
  const auto request = probe::Decode<backends::MeasureRequest>(json);
  if (!request) return request.error();
  const auto exclusions = probe::Decode<std::vector<Exclusion>>(json.value(kExclusionsKey, Json::array()));
  if (!exclusions) return exclusions.error();
  // Starting it took something of that.
  constexpr double kStartSeconds = 1;
  const double deadline_s = json.value(kDeadlineKey, std::numeric_limits<double>::infinity());
  const auto left_s = [&] { return deadline_s - kStartSeconds - probe::system::SecondsSince(start); };
  const auto all = backends::Backends();
  const auto backend = std::find_if(all.begin(), all.end(), [&](const backends::Backend& known) {
    return known.runtime == request->device.runtime;
  });
  if (backend == all.end())
    return Error{"measure", std::nullopt, "", "no backend for " + request->device.runtime};
  const auto files = probe::system::FileSystem::Open("/");
  if (!files) return files.error();
  GuardProcess(*files);
  const auto environment = probe::system::Environment::OfProcess();
  Opened opened;
  Teller teller(opened, send);
  backends::MeasureStage first{probe::Stage::kInit, "", std::nullopt, "",
                               backends::InitAllowanceSeconds(*request)};
  if (!request->peers.empty()) first.title = "p2p", first.kind = {kernels::Kernel::kPeer};
  teller.Tell(first);
  const backends::OpenRequest open{request->device, request->processor, *files, environment};
  if (!request->peers.empty()) return RunPeers(*backend, *request, open, send);
  auto session = backend->open(open);
  if (!session) return session.error();
  opened.session = *std::move(session);
  opened.variants = backend->variants(opened.session->limits());
  LeaveOut(*exclusions, opened.variants);
  const bool may_have =
      request->scope == backends::Scope::kWhole || request->scope == backends::Scope::kAgain;
  if (may_have && backend->libraries != nullptr) opened.libraries = backend->libraries(open);
  MeasureParts(*request, opened, teller, left_s, json.value(kFirstBudgetKey, 0.0));
  teller.End();
  return probe::Ok();
}

}  // namespace

Json EncodeProbeRequest(const ProbeRequest& request) { return probe::Encode(request); }

Json EncodeMeasureRequest(const backends::MeasureRequest& request, const std::vector<Exclusion>& exclusions,
                          double deadline_s, double first_budget_s) {
  Json json = probe::Encode(request);
  json[kExclusionsKey] = probe::Encode(exclusions);
  json[kDeadlineKey] = deadline_s;
  json[kFirstBudgetKey] = first_budget_s;
  return json;
}

std::optional<FileRead> DecodeFileRead(const Json& record) {
  if (!record.is_object() || !record.contains("file") || !record["file"].is_object()) return std::nullopt;
  const Json& file = record["file"];
  if (!file.contains("path") || !file["path"].is_string() || !file.contains("content") ||
      !file["content"].is_string()) {
    return std::nullopt;
  }
  return FileRead{file["path"].get<std::string>(), file["content"].get<std::string>()};
}

std::optional<PeerTurn> DecodePeerTurn(const Json& record) {
  if (!record.is_object() || !record.contains(kTurnKey)) return std::nullopt;
  auto turn = probe::Decode<PeerTurn>(record[kTurnKey]);
  return turn ? std::optional(*std::move(turn)) : std::nullopt;
}

std::optional<Error> DecodeError(const Json& record) {
  if (!record.is_object() || !record.contains("error")) return std::nullopt;
  Error error;
  if (auto malformed = probe::Codec<Error>::Decode(record["error"], "error", error)) return malformed;
  return error;
}

std::span<const probe::isolate::Task> Tasks() {
  static const std::array<probe::isolate::Task, 2> tasks = {
      probe::isolate::Task{kProbeTask, RunProbe},
      probe::isolate::Task{kMeasureTask, RunMeasure},
  };
  return tasks;
}

}  // namespace report
