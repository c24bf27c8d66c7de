// SPDX-License-Identifier: MIT
#include "backends/core/stream_session.h"

#include <algorithm>
#include <string>

#include "probe/system/clock.h"

namespace backends {

probe::Status DeviceBuffers::Check(std::string_view call, std::uint64_t bytes) const {
  if (bytes == 0 || bytes > limits_.max_buffer_bytes) {
    return probe::Error{std::string(call), std::nullopt, "too large",
                        std::to_string(bytes) + " bytes; this device takes buffers of 1 to " +
                            std::to_string(limits_.max_buffer_bytes)};
  }
  if (bytes > AllowedBytes()) {
    return probe::Error{std::string(call), std::nullopt, "too much beside others",
                        "the device is shared: " + limits_.shared_with};
  }
  return probe::Ok();
}

BufferId DeviceBuffers::Add(std::uint64_t address, std::uint64_t bytes) {
  buffers_.push_back({address, bytes});
  allocated_bytes_ += bytes;
  return BufferId{static_cast<std::uint32_t>(buffers_.size() - 1)};
}

std::optional<std::uint64_t> DeviceBuffers::Remove(BufferId buffer) {
  const Buffer* found = Find(buffer);
  if (found == nullptr) return std::nullopt;
  const Buffer known = *found;
  allocated_bytes_ -= known.bytes;
  buffers_[static_cast<std::size_t>(buffer)] = {};
  return known.address;
}

std::uint64_t DeviceBuffers::AllowedBytes() const {
  if (limits_.shared_with.empty()) return UINT64_MAX;
  const std::uint64_t most = limits_.memory_free_bytes.value_or(0);
  return most - std::min(most, allocated_bytes_);
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
