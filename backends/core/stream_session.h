// SPDX-License-Identifier: MIT
// What the sessions of CUDA and of ROCm have in common: memory that is known by its address, and kernels that
// take pointers to their arguments on one stream. Makes no call of a driver.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/sharing.h"

namespace backends {

// The buffers of one device. Owns the table, not the memory; `call` heads an error.
class DeviceBuffers {
 public:
  // `limits` outlives this.
  explicit DeviceBuffers(const Limits& limits) : allocations_(limits) {}

  [[nodiscard]] probe::Status Check(std::string_view call, std::uint64_t bytes) const {
    return allocations_.Check(call, bytes);
  }
  [[nodiscard]] BufferId Add(std::uint64_t address, std::uint64_t bytes);
  // Memory that something other than a buffer takes.
  void Take(std::uint64_t bytes) { allocations_.Take(bytes); }
  // The address, to be freed; nullopt where there is no such buffer.
  [[nodiscard]] std::optional<std::uint64_t> Remove(BufferId buffer);

  [[nodiscard]] std::uint64_t AllowedBytes() const { return allocations_.AllowedBytes(); }
  // The address of that part of a buffer.
  [[nodiscard]] probe::Result<std::uint64_t> At(std::string_view call, BufferId buffer,
                                                std::uint64_t offset_bytes, std::size_t size) const;

 private:
  struct Buffer {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] const Buffer* Find(BufferId buffer) const;

  Allocations allocations_;
  std::vector<Buffer> buffers_;
};

// The arguments of a launch, buffers before scalars, and pointers to them. The driver reads as many bytes of
// each as the kernel declares; little endian on every host that it runs on.
struct KernelArguments {
  std::vector<std::uint64_t> values;
  std::vector<void*> pointers;
};
// An error where a buffer does not exist or the block exceeds what the kernel takes.
[[nodiscard]] probe::Result<std::shared_ptr<KernelArguments>> ArgumentsOf(const Launch& launch,
                                                                          const DeviceBuffers& buffers,
                                                                          std::string_view entry,
                                                                          std::uint32_t max_threads);

// One launch on the stream, ready to be repeated.
using Enqueue = std::function<probe::Status()>;

struct StreamCalls {
  std::function<bool()> record_first;  // an event before everything, and one after it
  std::function<bool()> record_last;
  std::function<probe::Status()> synchronize;
  std::function<std::optional<double>()> seconds;  // between the two
};
// The launches in order, the whole sequence `repeats` times, and until all is done.
[[nodiscard]] probe::Result<Timing> TimeOnStream(std::span<const Enqueue> launches, std::uint32_t repeats,
                                                 const StreamCalls& calls);

}  // namespace backends
