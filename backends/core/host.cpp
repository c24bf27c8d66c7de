// SPDX-License-Identifier: MIT
#include "backends/core/host.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "backends/core/shape.h"
#include "probe/system/clock.h"
#include "probe/system/environment.h"
#include "probe/system/this_process.h"

namespace backends {

std::size_t ThreadsAtOnce(std::size_t threads, std::optional<double> quota_cores) {
  if (!quota_cores || *quota_cores >= static_cast<double>(threads)) return threads;
  return static_cast<std::size_t>(std::max(1.0, std::floor(*quota_cores)));
}

std::optional<std::uint32_t> UsableThreads(const std::optional<probe::Processor>& processor) {
  if (!processor || processor->usable_threads.value_or(0) == 0) return std::nullopt;
  return static_cast<std::uint32_t>(ThreadsAtOnce(*processor->usable_threads, processor->quota_cores));
}

std::optional<std::uint32_t> DriverThreads(const OpenRequest& request, const char* variable) {
  const auto chosen = request.environment.Get(variable);
  if (!chosen) return UsableThreads(request.processor);
  std::uint32_t threads = 0;
  const auto [end, error] = std::from_chars(chosen->data(), chosen->data() + chosen->size(), threads);
  if (error != std::errc() || end != chosen->data() + chosen->size() || threads == 0) return std::nullopt;
  return threads;
}

void LimitThreads(const OpenRequest& request, const char* variable) {
  const auto threads = UsableThreads(request.processor);
  if (threads && !request.environment.Get(variable))
    probe::system::SetProcessVariable(variable, std::to_string(*threads));
}

std::optional<double> BindingQuota(const OpenRequest& request, std::uint32_t threads) {
  if (!OnHost(request.device) || !request.processor || !request.processor->quota_cores) return std::nullopt;
  const double quota_cores = *request.processor->quota_cores;
  const std::uint32_t working = threads > 0 ? threads : request.processor->usable_threads.value_or(0);
  return quota_cores > 0 && quota_cores < working ? std::optional(quota_cores) : std::nullopt;
}

Timing Sustained(Timing timing, double processor_s, double quota_cores) {
  const double granted_s = processor_s / quota_cores;
  if (granted_s <= timing.wall_s) return timing;
  return {std::nullopt, granted_s};
}

probe::Result<Timing> RunSustained(Session& session, std::span<const Launch> launches,
                                   std::uint32_t repeats) {
  const std::optional<double> quota_cores = session.limits().quota_cores;
  if (!quota_cores) return session.Run(launches, repeats);
  const double before_s = probe::system::ProcessorSeconds();
  auto timing = session.Run(launches, repeats);
  if (!timing) return timing;
  return Sustained(*timing, probe::system::ProcessorSeconds() - before_s, *quota_cores);
}

probe::RuntimeDevice WithinHost(probe::RuntimeDevice device,
                                const std::optional<probe::Processor>& processor) {
  if (!OnHost(device) || !processor || !processor->memory_limit_bytes) return device;
  const std::uint64_t limit = *processor->memory_limit_bytes;
  device.memory_total_bytes = std::min(device.memory_total_bytes.value_or(limit), limit);
  if (device.memory_free_bytes) device.memory_free_bytes = std::min(*device.memory_free_bytes, limit);
  return device;
}

}  // namespace backends
