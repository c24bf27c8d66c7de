// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/emulated_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace tests {

EmulatedSession::EmulatedSession(emulation::Order order, std::string_view name, EmulatedKernel replaced)
    : order_(order), name_(name), replaced_(std::move(replaced)) {
  limits_.max_buffer_bytes = 1U << 30U;
  limits_.shape = {1, 1024, 32};
  limits_.features = {"sm_50",     "sm_75",     "sm_80",      "sm_89",       "sm_90",
                      "sm_90a",    "sm_100a",   "sm_100f",    "tensor_maps", "shared:32",
                      "shared:48", "shared:64", "shared:160", "shared:192",  "shared:224"};
}

EmulatedSession::EmulatedSession(emulation::Order order, backends::Limits limits, Find find,
                                 unsigned shared_bytes)
    : order_(order), limits_(std::move(limits)), find_(std::move(find)), shared_bytes_(shared_bytes) {}

probe::Result<backends::BufferId> EmulatedSession::Allocate(const backends::BufferRequest& request) {
  buffers_.emplace_back(request.bytes);
  return backends::BufferId{static_cast<std::uint32_t>(buffers_.size() - 1)};
}

void EmulatedSession::Release(backends::BufferId buffer) {
  buffers_[static_cast<std::size_t>(buffer)].Free();
}

probe::Status EmulatedSession::Upload(backends::BufferId buffer, std::uint64_t offset_bytes,
                                      std::span<const std::byte> data) {
  std::copy(data.begin(), data.end(),
            buffers_[static_cast<std::size_t>(buffer)].bytes().subspan(offset_bytes, data.size()).begin());
  return probe::Ok();
}

probe::Status EmulatedSession::Download(backends::BufferId buffer, std::uint64_t offset_bytes,
                                        std::span<std::byte> data) {
  const auto from = buffers_[static_cast<std::size_t>(buffer)].bytes().subspan(offset_bytes, data.size());
  std::copy(from.begin(), from.end(), data.begin());
  return probe::Ok();
}

probe::Result<backends::KernelId> EmulatedSession::Load(const kernels::Variant&, const kernels::Step& step) {
  Loaded loaded{step.entry == name_ && replaced_ ? replaced_ : find_(step.entry), shared_bytes_,
                step.geometry.groups_a_cluster};
  if (!loaded.kernel) return probe::Error{"load", std::nullopt, "no such entry", std::string(step.entry)};
  if (step.shared_bytes > 0) loaded.shared_bytes = step.shared_bytes;
  loaded_.push_back(std::move(loaded));
  return backends::KernelId{static_cast<std::uint32_t>(loaded_.size() - 1)};
}

probe::Result<backends::Timing> EmulatedSession::Run(std::span<const backends::Launch> launches,
                                                     std::uint32_t repeats) {
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    for (const backends::Launch& launch : launches) {
      const Loaded& loaded = loaded_[static_cast<std::size_t>(launch.kernel)];
      std::vector<void*> buffers;
      std::deque<emulation::TensorMap> maps;
      for (const auto& [buffer, view, map] : launch.buffers) {
        buffers.push_back(buffers_[static_cast<std::size_t>(buffer)].bytes().data());
        if (map.box_rows == 0) continue;
        maps.push_back({static_cast<std::uint8_t*>(buffers.back()), map.rows, map.row_bytes, map.box_rows});
        buffers.back() = &maps.back();
      }
      const auto& [groups, local, scalars] = launch.shape;
      std::string wrong = emulation::Launch(
          {groups[0], groups[1], groups[2]}, {local[0], local[1], local[2]}, loaded.shared_bytes, order_,
          [&] { loaded.kernel(buffers, scalars); }, loaded.cluster);
      for (std::size_t i = 0; i < launch.buffers.size() && wrong.empty(); ++i) {
        const auto overrun = buffers_[static_cast<std::size_t>(launch.buffers[i].buffer)].Overrun();
        if (!overrun.empty())
          wrong = fmt::format("{} of buffer {} of {}", overrun, i + 1, launch.buffers.size());
      }
      if (!wrong.empty()) return probe::Error{"launch", std::nullopt, "undefined", wrong};
    }
  }
  return backends::Timing{};
}

}  // namespace tests
