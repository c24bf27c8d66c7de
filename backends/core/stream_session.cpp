// SPDX-License-Identifier: MIT
#include "backends/core/stream_session.h"

#include <algorithm>
#include <string>

#include "probe/system/clock.h"

namespace backends {

BufferId DeviceBuffers::Add(std::uint64_t address, std::uint64_t bytes) {
  buffers_.push_back({address, bytes});
  allocations_.Take(bytes);
  return BufferId{static_cast<std::uint32_t>(buffers_.size() - 1)};
}

std::optional<std::uint64_t> DeviceBuffers::Remove(BufferId buffer) {
  const Buffer* found = Find(buffer);
  if (found == nullptr) return std::nullopt;
  const Buffer known = *found;
  allocations_.Return(known.bytes);
  buffers_[static_cast<std::size_t>(buffer)] = {};
  return known.address;
}

const DeviceBuffers::Buffer* DeviceBuffers::Find(BufferId buffer) const {
  const auto index = static_cast<std::size_t>(buffer);
  return index < buffers_.size() && buffers_[index].bytes != 0 ? &buffers_[index] : nullptr;
}

probe::Result<std::uint64_t> DeviceBuffers::At(std::string_view call, BufferId buffer,
                                               std::uint64_t offset_bytes, std::size_t size) const {
  const Buffer* known = Find(buffer);
  if (known != nullptr && offset_bytes <= known->bytes && size <= known->bytes - offset_bytes)
    return known->address + offset_bytes;
  return probe::Error{std::string(call), std::nullopt, "out of range",
                      known == nullptr ? "no such buffer" : "beyond the buffer"};
}

probe::Result<std::shared_ptr<KernelArguments>> ArgumentsOf(const Launch& launch,
                                                            const DeviceBuffers& buffers,
                                                            std::string_view entry,
                                                            std::uint32_t max_threads) {
  const auto& local = launch.shape.local;
  const std::uint64_t threads = std::uint64_t{local[0]} * local[1] * local[2];
  if (threads > max_threads) {
    return probe::Error{"launch " + std::string(entry), std::nullopt, "block too large",
                        std::to_string(threads) + " threads; the kernel takes at most " +
                            std::to_string(max_threads) + " on this device"};
  }
  auto arguments = std::make_shared<KernelArguments>();
  for (const BoundBuffer& argument : launch.buffers) {
    const auto address = buffers.At("launch", argument.buffer, 0, 0);
    if (!address) return address.error();
    arguments->values.push_back(*address);
  }
  for (const std::uint32_t scalar : launch.shape.scalars) arguments->values.push_back(scalar);
  for (std::uint64_t& value : arguments->values) arguments->pointers.push_back(&value);
  return arguments;
}

probe::Result<Timing> TimeOnStream(std::span<const Enqueue> launches, std::uint32_t repeats,
                                   const StreamCalls& calls) {
  const auto start = probe::system::Now();
  bool events = calls.record_first();
  probe::Status status = probe::Ok();
  for (std::uint32_t repeat = 0; repeat < repeats && status; ++repeat) {
    for (const Enqueue& enqueue : launches) {
      if (status = enqueue(); !status) break;
    }
  }
  events = calls.record_last() && events;
  // Also after an error: nothing may still run when the caller goes on.
  const auto finished = calls.synchronize();
  Timing timing;
  timing.wall_s = probe::system::SecondsSince(start);
  if (!status) return status.error();
  if (!finished) return finished.error();
  if (events) timing.device_s = calls.seconds();
  return timing;
}

}  // namespace backends
