// SPDX-License-Identifier: MIT
// The buffers of a session by their ids: which of them are there, whether a copy stays within one, and what
// all of them take of the device. Knows no runtime: the session makes and frees their memory by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/sharing.h"
#include "probe/core/result.h"

namespace backends {

// Memory: what a session knows a buffer by, an address or a handle. Ids are not used again.
template <class Memory>
class BufferTable : public Allocations {
 public:
  using Allocations::Allocations;

  BufferId Add(Memory memory, std::uint64_t bytes) {
    Take(bytes);
    buffers_.push_back(Buffer{std::move(memory), bytes});
    return BufferId{static_cast<std::uint32_t>(buffers_.size() - 1)};
  }
  // The memory, for the caller to free; nullopt where no buffer has that id, or none any more.
  std::optional<Memory> Remove(BufferId id) {
    if (Find(id) == nullptr) return std::nullopt;
    auto removed = std::exchange(buffers_[static_cast<std::size_t>(id)], std::nullopt);
    Return(removed->bytes);
    return std::move(removed->memory);
  }
  // That of every buffer that is left, for the end of a session whose memory does not free itself.
  [[nodiscard]] std::vector<Memory> RemoveAll() {
    std::vector<Memory> all;
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
      if (auto memory = Remove(BufferId{i})) all.push_back(*std::move(memory));
    }
    return all;
  }

  // nullptr where no buffer has that id, or none any more.
  [[nodiscard]] const Memory* Find(BufferId id) const {
    const auto index = static_cast<std::size_t>(id);
    return index < buffers_.size() && buffers_[index] ? &buffers_[index]->memory : nullptr;
  }
  // The same where these bytes lie within the buffer, else an error that `call` heads.
  [[nodiscard]] probe::Result<const Memory*> Locate(std::string_view call, BufferId id,
                                                    std::uint64_t offset_bytes = 0,
                                                    std::uint64_t size = 0) const {
    const Memory* memory = Find(id);
    const std::uint64_t bytes = memory == nullptr ? 0 : buffers_[static_cast<std::size_t>(id)]->bytes;
    if (memory != nullptr && offset_bytes <= bytes && size <= bytes - offset_bytes) return memory;
    return probe::Error{std::string(call), std::nullopt, "out of range",
                        memory == nullptr ? "no such buffer" : "beyond the buffer"};
  }
  // Where those bytes lie, of buffers that are addresses.
  [[nodiscard]] probe::Result<Memory> AddressOf(std::string_view call, BufferId id,
                                                std::uint64_t offset_bytes = 0,
                                                std::uint64_t size = 0) const {
    const auto memory = Locate(call, id, offset_bytes, size);
    if (!memory) return memory.error();
    return **memory + offset_bytes;
  }

 private:
  struct Buffer {
    Memory memory;
    std::uint64_t bytes;
  };
  std::vector<std::optional<Buffer>> buffers_;  // by BufferId
};

}  // namespace backends
