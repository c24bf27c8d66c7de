// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/score/score.h"

namespace report::score {
namespace {

// Of the layers on the device itself.
double ShareOnDevice(const InferenceRequest& request, const WorkMemory& memory) {
  const auto& available = memory.own_bytes;
  if (memory.kind == MemoryKind::kHosts || !available || *available >= NeededBytes(request)) return 1;
  return ResidentShare(request, *available);
}

// Cards read their own memory 20 to 70 times as fast as the host's (an RTX 3060 at 25 GB/s, an H200 at 55);
// in a memory that is the host's, too, a copy reads and writes. Of the card's own figure alone, so that no
// other device's changes where it stands.
Rate AssumedUpload(const Rate& read, MemoryKind kind) {
  const double rate = read.per_s.value / (kind == MemoryKind::kOwn ? 64 : 2);
  return {{rate, rate / 4, rate * 4},
          "copies from the host, assumed to reach " + RateText(rate, "bytes_per_s")};
}

}  // namespace

Placement PlaceRequest(const InferenceRequest& request, const WorkMemory& memory) {
  const double share = ShareOnDevice(request, memory);
  const double on_host = memory.OnHost(NeededBytes(request), request.buffer_bytes, share);
  return {.share = share, .on_host_bytes = on_host, .fits = memory.HostHolds(on_host)};
}

Placement PlaceStep(const ReferenceRequest& request, const WorkMemory& memory) {
  const double missing = MissingTrainingBytes(request, memory.own_bytes);
  if (missing <= 0) return {};
  if (memory.kind != MemoryKind::kOwn || missing > request.training.weight_bytes)
    return {.on_host_bytes = std::nullopt, .fits = false};
  const bool fits = memory.HostHolds(missing);
  return {.on_host_bytes = missing, .streamed_bytes = fits ? missing : 0, .fits = fits};
}

void StreamWhatDoesNotFit(std::span<Way> ways) {
  std::vector<std::pair<const probe::PhysicalDevice*, Rate>> known;
  for (const Way& way : ways) {
    if (way.rates.upload) known.emplace_back(way.device, *way.rates.upload);
  }
  for (Way& way : ways) {
    const bool brings = way.step.streamed_bytes > 0 || way.serving.share < 1;
    if (!brings || way.rates.upload || !way.rates.read) continue;
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& row) {
      return row.first == way.device || AreEqualGpus(*row.first, *way.device);
    });
    way.assumes_upload = found == known.end();
    way.rates.upload = way.assumes_upload ? AssumedUpload(*way.rates.read, way.memory.kind) : found->second;
  }
}

bool BringsLayers(const InferenceRequest& request, const Way& way) {
  const auto& brought = way.factors.brought;
  return way.serving.share < 1 && brought && request.prompt_tokens >= brought->tokens && way.rates.upload;
}

std::string MemoryReason(const InferenceRequest& request, const Way& way) {
  return fmt::format("{} needs {} and {} are free", request.model, BytesText(NeededBytes(request)),
                     BytesText(*way.memory.own_bytes));
}

std::string SplitReason(const InferenceRequest& request, const Way& way, bool has_processor) {
  const auto memory = MemoryReason(request, way);
  const double share = way.serving.share;
  if (share <= 0) return fmt::format("{}: none of {:.0f} layers fits", memory, request.layers);
  const bool is_same = way.memory.kind == MemoryKind::kShared;
  return fmt::format("{}: {:.0f} of {:.0f} layers on it, the rest {}{}", memory, share * request.layers,
                     request.layers, has_processor ? "on the processor" : "nowhere that was measured",
                     !has_processor || way.serving.fits ? ""
                     : is_same                          ? ", whose memory is the same and does not hold it"
                                                        : ", whose memory does not hold it");
}

std::string DoesNotFitReason(const ReferenceRequest& request, const Way& way) {
  const double available = *way.memory.own_bytes;
  auto memory = fmt::format("a step needs {} and {} are free", BytesText(NeededTrainingBytes(request)),
                            BytesText(available));
  const bool streams = way.step.streamed_bytes > 0 && way.rates.upload;
  if (streams)
    memory += fmt::format(": {} of its weights come from the host in every step",
                          BytesText(way.step.streamed_bytes));
  const auto less = SmallerTrainingBytes(request, available);
  return less ? fmt::format("{}; with 4-bit weights (QLoRA) it needs {}", memory, BytesText(*less)) : memory;
}

}  // namespace report::score
